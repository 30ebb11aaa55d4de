//go:build windows || darwin

package door

import "os"

// userDataDir returns the system's directory for application data.
func userDataDir(func(string) string) (string, error) { return os.UserConfigDir() }
