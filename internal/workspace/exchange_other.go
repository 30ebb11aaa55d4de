//go:build !linux && !darwin

package workspace

import (
	"errors"
	"os"
)

// exchange is not supported here, so a save between the comparison and the replacement of a file is
// lost.
func exchange(*os.Root, string, string) error { return errors.ErrUnsupported }
