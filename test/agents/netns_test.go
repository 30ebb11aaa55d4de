//go:build agents && linux

package agents_test

import (
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// isolated runs the command in a network of its own that has nothing but loopback,
// and returns its exit code. It reports false where the machine does not let it.
func isolated(cmd *exec.Cmd) (code int, ok bool) {
	one := func(id int) []syscall.SysProcIDMap {
		return []syscall.SysProcIDMap{{ContainerID: id, HostID: id, Size: 1}}
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET, UidMappings: one(os.Getuid()), GidMappings: one(os.Getgid()),
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
