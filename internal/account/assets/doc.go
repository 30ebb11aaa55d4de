// Package assets reads an account's holdings: coin balances in verified units, sorted by use, and
// what they mean for a payment in a denomination such as the dollar.
//
// It reads one page of coin balances at a time and nothing else that an account may own: no staked
// coins, pool positions or other objects. It converts nothing, chooses no coin for the user, and
// plans no payment.
package assets
