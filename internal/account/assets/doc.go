// Package assets reads an account's coin balances, in verified units and classified by use, and
// compares them with a payment in a denomination such as the dollar.
//
// It reads one page of coin balances at a time. It does not read other assets such as staked coins,
// pool positions and objects. It converts nothing, chooses no coin for the user, and plans no
// payment.
package assets
