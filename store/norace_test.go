//go:build !race

package store_test

// raceEvery selects every case.
const raceEvery = 1
