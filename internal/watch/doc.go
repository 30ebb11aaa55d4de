// Package watch manages the list of coins and chains that a user wants to see for each account,
// including coins that the account does not hold.
//
// It validates entries and does no I/O of its own: a store keeps the list, and callers provide
// decimals. Only Sui can be watched; other chains of the enum are rejected by name.
package watch
