// Package review carries one proposed action from an intent to a receipt. It is
// small: it conducts, and the packages below it do the work. What a transaction
// promises is plan, what is stored of a review is record; gate computes and
// checks, handoff releases, sends and settles, proposal reads what somebody
// outside proposes, and node asks full nodes.
//
// It never signs, holds no keys, draws no pages and speaks to no node itself:
// adapters, the store and the node come in through interfaces. Bytes of a
// transaction leave it by [handoff.Service.HandoffTo] alone.
package review
