// Package watch manages the list of coins and chains that a user wants to see for each wallet
// account, including coins of which the account holds nothing.
//
// It validates entries and does no I/O of its own: a store keeps the list, and another component
// provides decimals. Sui is the only chain that can be watched; other chains of the enum are
// rejected by name.
package watch
