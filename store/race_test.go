//go:build race

package store_test

// raceEvery skips most cases, because the race detector finds the same races in each.
const raceEvery = 15
