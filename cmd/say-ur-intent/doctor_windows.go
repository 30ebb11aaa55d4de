//go:build windows

package main

// writable always returns true on Windows. Only creating a file would show whether it is allowed,
// and doctor writes nothing.
func writable(string) bool { return true }
