package main

import (
	"os/exec"
	"path/filepath"
	"syscall"
)

// browserCommand returns the full path of the program that opens a file by its type. It does not
// use a shell, which would interpret the file's name.
func browserCommand(getenv func(string) string, _ func(string) (string, error)) []string {
	root := getenv("SystemRoot")
	if root == "" {
		return nil
	}
	return []string{filepath.Join(root, "System32", "rundll32.exe"), "url.dll,FileProtocolHandler"}
}

// detach keeps the browser running when this process ends.
func detach(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}
