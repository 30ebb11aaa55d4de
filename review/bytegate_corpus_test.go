//go:build !race

package review_test

// gateTransactions is how many transactions TestByteGate goes through.
const gateTransactions = 200
