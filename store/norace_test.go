//go:build !race

package store_test

// raceEvery tries every case.
const raceEvery = 1
