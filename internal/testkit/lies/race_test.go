//go:build race

package lies_test

// raceEvery samples the cases, because races repeat.
const raceEvery = 20
