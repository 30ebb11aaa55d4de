// Package sandbox simulates a Sui full node on loopback, for the demo and for tests.
//
// It combines a small chain in memory (ledger) with the servers around it: a full node's gRPC
// (node), history over GraphQL (graphql), the DeepBook indexer (offchain), the protocols' own
// servers, and endpoints that sign with a test key, fund addresses and inject faults.
package sandbox
