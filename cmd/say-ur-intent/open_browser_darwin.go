package main

import (
	"os/exec"
	"syscall"
)

// browserCommand returns the full path of the system's open command.
func browserCommand(func(string) string, func(string) (string, error)) []string {
	return []string{"/usr/bin/open"}
}

// detach keeps the browser running when this process ends.
func detach(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
