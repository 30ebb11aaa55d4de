//go:build !linux

package double

// inMemory returns a directory whose files are in memory, or "" for none.
func inMemory() string { return "" }
