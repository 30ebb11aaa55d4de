//go:build race

package sui

// bitTransactions is how many transactions TestEveryBit goes through: few, as the
// race detector slows a pure function down and finds nothing in it.
const bitTransactions = 40
