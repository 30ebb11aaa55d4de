//go:build race

package store_test

// raceEvery thins the cases out: what the race detector can find repeats itself.
const raceEvery = 15
