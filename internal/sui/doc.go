// Package sui is the vocabulary of the Sui chain: addresses, coin types, raw
// and decimal amounts, digests, transactions, their exact bytes, and
// signatures over them.
//
// It does no I/O, holds no keys and signs nothing. Values reported by a node
// (coins, objects, effects) are only carried here; package rpc fetches them.
package sui
