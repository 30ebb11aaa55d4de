// Package proof decides what Sui's validators signed.
//
// A checkpoint is signed by validators with more than two thirds of the voting
// power. From a committee that is known, the package verifies the certificate of a
// checkpoint, that the checkpoint contains a transaction, and that effects, events
// and objects are those of that transaction. Committees come from an [Anchor]: the
// last checkpoint of each epoch names the next committee and is signed by its own.
//
// The package does no I/O and knows no node. It returns all of what is asked or
// a [Refusal], nothing in between; a case of a newer chain is a Refusal too. It does not prove
// that a transaction is absent, and not what a node computes by itself, such as
// changes of balances.
package proof
