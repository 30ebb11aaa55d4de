// Package watch manages the coins and chains that a user wants to see for each account, including
// coins that the account does not hold.
//
// The package validates entries and does no I/O: a store keeps the list, and callers provide
// decimals. Only Sui can be watched; other known chains are rejected.
package watch
