//go:build race

package lies_test

// raceEvery thins the cases out: what the race detector can find repeats itself.
const raceEvery = 20
