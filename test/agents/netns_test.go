//go:build agents && linux

package agents_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// isolated runs the command in a network of its own that has nothing but loopback, and returns its
// exit code. It reports false if the machine does not let it.
func isolated(cmd *exec.Cmd) (code int, ok bool) {
	one := func(id int) []syscall.SysProcIDMap {
		return []syscall.SysProcIDMap{{ContainerID: id, HostID: id, Size: 1}}
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET, UidMappings: one(os.Getuid()),
		GidMappings: one(os.Getgid()),
	}
	if err := cmd.Start(); err != nil {
		return 0, false
	}
	_ = cmd.Wait()
	return cmd.ProcessState.ExitCode(), true
}

// loopbackUp switches on the loopback device of a new network.
func loopbackUp() error {
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(socket) }()
	request, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	request.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	return unix.IoctlIfreq(socket, unix.SIOCSIFFLAGS, request)
}

// endAll ends what a client left behind in sessions of its own: every process whose
// home is this one, which no other run has.
func endAll(home string) {
	for range 10 { // one may start another meanwhile
		found := false
		environments, _ := filepath.Glob("/proc/[0-9]*/environ")
		for _, path := range environments {
			environment, err := os.ReadFile(path)
			if err != nil || !bytes.Contains(environment, []byte("HOME="+home+"\x00")) {
				continue
			}
			if id, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil {
				found = syscall.Kill(id, syscall.SIGKILL) == nil || found
			}
		}
		if !found {
			return
		}
	}
}
