//go:build race

package handoff_test

// gateTransactions is how many transactions TestByteGate goes through: few, as the
// race detector slows a pure function down and finds nothing in it.
const gateTransactions = 40
