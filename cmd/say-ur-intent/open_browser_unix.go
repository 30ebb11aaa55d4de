//go:build !windows && !darwin

package main

import (
	"os/exec"
	"syscall"
)

// browserCommand returns the desktop's starter. Without a display there is no browser: a starter
// would fall back to one in a terminal, and there is none.
func browserCommand(getenv func(string) string, look func(string) (string, error)) []string {
	if getenv("DISPLAY") == "" && getenv("WAYLAND_DISPLAY") == "" {
		return nil
	}
	for _, name := range []string{"xdg-open", "wslview"} {
		if path, err := look(name); err == nil {
			return []string{path}
		}
	}
	return nil
}

// detach keeps the browser from ending with this process.
func detach(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
