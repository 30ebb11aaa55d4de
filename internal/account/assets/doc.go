// Package assets is what an account holds: coin balances in verified units,
// sorted by what they can be used for, and what follows from them for a payment
// in a denomination such as the dollar.
//
// It reads one page of coin balances at a time and nothing else that an account
// may own: no staked coins, no pool positions, no other objects. It converts
// nothing, chooses no coin for the user, and plans no payment.
package assets
