// Package sui defines the types of the Sui chain: addresses, coin types, raw and decimal amounts,
// digests, transactions, their exact bytes, and signatures.
//
// It does no I/O, holds no keys and signs nothing. It also defines types for values reported by a node,
// such as coins, objects and effects; package rpc fetches them.
package sui
