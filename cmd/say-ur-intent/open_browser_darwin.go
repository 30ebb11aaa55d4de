package main

import (
	"os/exec"
	"syscall"
)

// browserCommand returns the system's own starter, by its full path.
func browserCommand(func(string) string, func(string) (string, error)) []string {
	return []string{"/usr/bin/open"}
}

// detach keeps the browser from ending with this process.
func detach(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
