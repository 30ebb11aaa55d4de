// Package sandbox is a Sui full node stand-in on loopback: the demo network and
// the test network.
//
// It assembles one small chain in memory (ledger) and what is served over it: the
// gRPC of a full node (node), the past over GraphQL (graphql), the DeepBook indexer
// and the quoter of FlowX (offchain), and endpoints that sign with a test key, fund
// addresses and inject faults.
package sandbox
