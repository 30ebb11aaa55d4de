//go:build windows || darwin

package main

import "os"

// userDataDir is the system's own place for application data.
func userDataDir(process) (string, error) { return os.UserConfigDir() }
