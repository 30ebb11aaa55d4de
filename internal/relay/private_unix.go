//go:build unix

package relay

import (
	"fmt"
	"os"
)

// private rejects a file that others can read.
func private(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() || info.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("%s holds a private key and must be readable only by you: chmod 600 it", path)
	}
	return nil
}
