//go:build !race

package prover_test

const usualLies = 10_000
