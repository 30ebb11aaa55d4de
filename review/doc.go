// Package review carries one proposed action from an intent to a receipt. It
// coordinates the packages below it: plan is what a transaction promises, record is
// what is stored of a review, gate computes and checks, handoff releases, sends and
// settles, proposal reads proposals from outside, and node queries full nodes.
//
// It never signs, holds no keys, renders no pages and opens no connection to a node:
// adapters, the store and the node come in through interfaces. Bytes of a transaction
// leave it through [handoff.Service.HandoffTo] alone.
package review
