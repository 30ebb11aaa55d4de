//go:build race

package web_test

// slower is how many times longer a wait may take with the race detector.
const slower = 4
