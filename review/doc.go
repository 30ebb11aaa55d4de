// Package review takes one proposed action from an intent to a receipt. It coordinates these
// packages: plan defines what a transaction promises, record what is stored about a review. gate
// computes and checks, and handoff releases, sends and settles. proposal reads proposals from
// outside, and node queries full nodes.
//
// The package never signs, holds no keys, renders no pages and opens no connection to a node:
// adapters, the store and the node clients are interfaces. Bytes of a transaction leave it only
// through [handoff.Service.HandoffTo].
package review
