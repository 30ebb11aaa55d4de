package main

import (
	"os/exec"
	"path/filepath"
	"syscall"
)

// browserCommand returns the handler of files by their kind, by its full path; no
// shell reads the file's name.
func browserCommand(getenv func(string) string, _ func(string) (string, error)) []string {
	root := getenv("SystemRoot")
	if root == "" {
		return nil
	}
	return []string{filepath.Join(root, "System32", "rundll32.exe"), "url.dll,FileProtocolHandler"}
}

// detach keeps the browser from ending with this process.
func detach(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}
