//go:build !race

package lies_test

// raceEvery tries every eighth case. All of them take a quarter of an hour; make lies runs them.
const raceEvery = 8
