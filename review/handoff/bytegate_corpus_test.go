//go:build !race

package handoff_test

// gateTransactions is how many transactions TestByteGate goes through.
const gateTransactions = 200
