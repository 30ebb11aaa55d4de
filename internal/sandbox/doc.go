// Package sandbox is a Sui full node stand-in on loopback: the demo network and
// the test network.
//
// It holds one small chain in memory (objects with versions, coins, epochs,
// checkpoints, DeepBook pools with real order books) and serves the part of
// gRPC sui.rpc.v2 that the product and the official clients ask for, over gRPC
// and gRPC-web, and what they ask of the past over GraphQL. It executes the calls
// of the swap line exactly, refuses every other call by name, verifies signatures,
// and can be told to be slow, to fail or to lie. It keeps nothing on disk, runs no Move code and is no consensus:
// one lock orders everything.
package sandbox
