//go:build !race

package sui

// bitTransactions is how many transactions TestEveryBit goes through.
const bitTransactions = 200
