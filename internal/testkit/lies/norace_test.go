//go:build !race

package lies_test

// raceEvery tries every eighth case: one after another, all of them take a quarter of an
// hour, which is the job of make lies.
const raceEvery = 8
