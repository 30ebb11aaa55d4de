//go:build !race

package lies_test

// raceEvery tries every case.
const raceEvery = 1
