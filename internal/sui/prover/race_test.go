//go:build race

package prover_test

// usualLies is less under the race detector, which is ten times as slow.
const usualLies = 1_000
