//go:build unix

package door

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// lockDescriptor is the file descriptor of the start lock in a new server. The server holds the
// lock until it is reachable, even if its starter is killed.
const lockDescriptor = 3

// detach starts the server in its own session and without a parent.
func (c Command) detach(dir string, lock, news *os.File) error {
	keepDescriptors()
	// The shell exits at once, so the server has no parent. It therefore survives if a client is
	// killed together with its child processes.
	child := exec.Command("/bin/sh", append([]string{"-c", `"$0" "$@" &`, c.Path}, c.Args...)...)
	child.Env = append(c.Env, startedVariable+"=1")
	child.Dir = dir
	child.Stdout = news
	child.ExtraFiles = []*os.File{lock}
	child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := child.Run(); err != nil {
		return fmt.Errorf("starting %s: %w", c.Path, err)
	}
	return nil
}

// inherited returns the start lock and the file for the result of the start. It redirects standard
// output to the null device, because a process is killed when it writes to a pipe that nobody
// reads. The result therefore needs another descriptor.
func inherited() (lock, news *os.File) {
	unix.CloseOnExec(lockDescriptor)
	tell, err := unix.FcntlInt(1, unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		tell = -1 // the starter sees the pipe end
	}
	if nowhere, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0); err == nil {
		_ = unix.Dup2(int(nowhere.Fd()), 1)
		_ = nowhere.Close()
	}
	return os.NewFile(lockDescriptor, startLock), os.NewFile(uintptr(tell), "news")
}
