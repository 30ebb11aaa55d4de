//go:build unix

package main

import (
	"os"
	"syscall"
)

// become runs a program in place of this one.
func become(program string, args []string) error {
	return syscall.Exec(program, append([]string{program}, args...), os.Environ())
}
