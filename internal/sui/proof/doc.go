// Package proof verifies what Sui's validators signed.
//
// Validators with more than two thirds of the voting power sign each checkpoint. Given a known
// committee, the package verifies a checkpoint's certificate, that the checkpoint contains a
// transaction, and that effects, events and objects belong to that transaction. Committees come
// from an [Anchor]: the last checkpoint of each epoch names the next committee and is signed by its
// own.
//
// The package does no I/O and does not depend on a node. It returns a complete result or a
// [Refusal], also for a variant of a newer chain. It proves neither that a transaction is absent nor
// values that a node computes by itself, such as balance changes.
package proof
