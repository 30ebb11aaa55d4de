// Package book is the address book: names that a user, or an AI client for the user, keeps for
// addresses of any chain.
//
// It validates entries and matches deletions, and does no I/O: a store keeps them. A name is only
// shown next to the full address. Nothing here makes an address trusted: only a payment signed and
// executed from this machine does.
package book
