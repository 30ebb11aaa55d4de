// Package book is the address book: names that a person, or an AI client for a
// person, keeps for addresses of any chain.
//
// It judges entries and matches deletions, and does no I/O: a store keeps them. A
// name only stands beside a whole address. Nothing here makes an address trusted:
// only a payment that was signed and executed from this machine does.
package book
