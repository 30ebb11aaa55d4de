package main

import (
	"errors"
	"os"
	"os/exec"
)

// become runs a program as if it were this one: with its streams, and to the same end. It
// returns only if the program does not start.
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
