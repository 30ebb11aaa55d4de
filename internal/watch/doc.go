// Package watch is the list of coins and chains that a person wants to see, for each
// wallet account: also coins of which the account holds nothing.
//
// It judges entries and does no I/O of its own: a store keeps the list, and whoever
// knows coins is asked for their decimals. Sui is the only chain that can be watched;
// other chains of the enum are refused by name.
package watch
