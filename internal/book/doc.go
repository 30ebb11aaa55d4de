// Package book is the address book: names for addresses on any chain, which the user keeps, or an
// AI client on the user's behalf.
//
// The package validates entries and finds the entries to delete. It does no I/O: a store keeps the
// entries. A name is only ever shown next to the full address, and does not make it trusted. Only a
// payment that was signed and executed from this computer does that.
package book
