// Package review carries one proposed action from an intent to a receipt: the
// graph of statuses, the pipeline of stages and gates, the handoff of exactly
// one transaction to a wallet, and what the chain then said.
//
// It never signs, holds no keys, draws no pages and speaks to no node itself:
// adapters, the store and the node come in through the interfaces declared
// here. Bytes of a transaction leave it by [Service.Handoff] alone.
package review
