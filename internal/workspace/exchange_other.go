//go:build !linux && !darwin

package workspace

import (
	"errors"
	"os"
)

// exchange is not supported on this system. A save between the comparison and the replacement of a
// file is therefore lost.
func exchange(*os.Root, string, string) error { return errors.ErrUnsupported }
