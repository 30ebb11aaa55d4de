package door

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/windows"
)

// detach starts the server without a console, in its own process group and outside this process's
// job. If the job does not allow that, the server ends with the client, and the next client starts
// another.
func (c Command) detach(dir string, _, news *os.File) error {
	const apart = windows.CREATE_NEW_PROCESS_GROUP | windows.DETACHED_PROCESS
	var failed error
	for _, program := range c.programs(dir) {
		for _, flags := range []uint32{apart | windows.CREATE_BREAKAWAY_FROM_JOB, apart} {
			child := exec.Command(program, c.Args...)
			child.Env = append(c.Env, startedVariable+"=1")
			child.Dir = dir
			child.Stdout = news
			child.SysProcAttr = &syscall.SysProcAttr{HideWindow: true, CreationFlags: flags}
			err := child.Start()
			if err == nil {
				return child.Process.Release()
			}
			failed = errors.Join(failed, fmt.Errorf("starting %s: %w", program, err))
		}
	}
	return failed
}

// inherited returns the file for the result of the start. There is no lock, because a lock on
// Windows belongs to its process. The starter holds it until the server is reachable.
func inherited() (lock, news *os.File) { return nil, os.NewFile(uintptr(syscall.Stdout), "news") }

// programs returns the paths to start the program from, best first. The first is a copy, so that an
// upgrade can replace the original while the server runs. On some machines, a policy forbids
// running programs from a data directory.
func (c Command) programs(dir string) []string {
	if copied, err := copyProgram(c.Path, dir); err == nil {
		return []string{copied, c.Path}
	}
	return []string{c.Path}
}

// copyProgram copies a program to the data directory, under a name that depends on its contents,
// and returns the path. It removes other copies, except those that Windows protects because they
// run.
func copyProgram(program, dir string) (string, error) {
	from, err := os.Open(program)
	if err != nil {
		return "", err
	}
	defer func() { _ = from.Close() }()
	hash := sha256.New()
	size, err := io.Copy(hash, from)
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "server-"+hex.EncodeToString(hash.Sum(nil)[:8])+".exe")
	others, _ := filepath.Glob(filepath.Join(dir, "server-*.exe*"))
	for _, other := range others {
		if other != path {
			_ = os.Remove(other)
		}
	}
	if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() && info.Size() == size {
		return path, nil
	}
	if _, err := from.Seek(0, io.SeekStart); err != nil {
		return "", err
	}
	to, err := os.CreateTemp(dir, "server-*.exe.new")
	if err != nil {
		return "", err
	}
	_, err = io.Copy(to, from)
	if err = errors.Join(err, to.Close()); err == nil {
		err = os.Rename(to.Name(), path)
	}
	if err != nil {
		_ = os.Remove(to.Name())
	}
	return path, err
}
