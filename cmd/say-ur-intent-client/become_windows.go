package main

import (
	"errors"
	"os"
	"os/exec"
)

// become runs a program with this one's streams and exits with its exit code. It returns only if
// the program does not start.
func become(program string, args []string) error {
	child := exec.Command(program, args...)
	child.Stdin, child.Stdout, child.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := child.Run()
	if ended := (*exec.ExitError)(nil); err != nil && !errors.As(err, &ended) {
		return err
	}
	os.Exit(child.ProcessState.ExitCode())
	return nil
}
