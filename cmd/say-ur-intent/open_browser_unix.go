//go:build !windows && !darwin

package main

import (
	"os/exec"
	"syscall"
)

// browserCommand returns the desktop's command for opening files. Without a display it returns nil,
// because the command would fall back to a browser in the terminal, and this process has no
// terminal.
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

// detach keeps the browser running when this process ends.
func detach(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
