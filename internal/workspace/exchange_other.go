//go:build !linux && !darwin

package workspace

import (
	"errors"
	"os"
)

// exchange is not possible here: a save in the instant between the comparison and the
// replacement of a file is lost.
func exchange(*os.Root, string, string) error { return errors.ErrUnsupported }
