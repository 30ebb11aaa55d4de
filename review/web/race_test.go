//go:build race

package web_test

// slower is how many times longer waits may take under the race detector.
const slower = 4
