//go:build unix

package door_test

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/testkit/double"
)

// TestServerOutlivesClient checks that a server does not end with the process group or the
// descendants of the client that started it.
func TestServerOutlivesClient(t *testing.T) {
	for name, end := range map[string]func(t *testing.T, c *client){
		"its group is killed": func(t *testing.T, c *client) {
			if err := syscall.Kill(-c.cmd.Process.Pid, syscall.SIGKILL); err != nil {
				t.Error(err)
			}
		},
		"its group is interrupted": func(t *testing.T, c *client) {
			if err := syscall.Kill(-c.cmd.Process.Pid, syscall.SIGINT); err != nil {
				t.Error(err)
			}
		},
		"its descendants are killed": func(t *testing.T, c *client) {
			for _, pid := range descendants(c.cmd.Process.Pid) {
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := place(t)
			first := start(t, dir, "", func(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} })
			server := first.ping()
			second := start(t, dir, "")
			second.ping()
			end(t, first)
			_ = first.wait()
			if pid := second.ping(); pid != server || len(begun(t, dir)) != 1 {
				t.Errorf("%d answers, and %d were started", pid, len(begun(t, dir)))
			}
			if err := second.stop(); err != nil {
				t.Error(err)
			}
		})
	}
}

// descendants returns a process and its descendants, as the operating system lists them.
func descendants(pid int) []int {
	all := []int{pid}
	if runtime.GOOS != "linux" {
		out, _ := exec.Command("pgrep", "-P", strconv.Itoa(pid)).Output()
		for _, child := range strings.Fields(string(out)) {
			if id, err := strconv.Atoi(child); err == nil {
				all = append(all, descendants(id)...)
			}
		}
		return all
	}
	statuses, _ := filepath.Glob("/proc/[0-9]*/status")
	for _, path := range statuses {
		text, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		_, after, _ := strings.Cut(string(text), "\nPPid:\t")
		parent, _, _ := strings.Cut(after, "\n")
		if child, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil && parent == strconv.Itoa(pid) {
			all = append(all, descendants(child)...)
		}
	}
	return all
}

// TestServerHoldsNothing checks that a server keeps none of its starter's files open. A program
// that waits until they are closed would otherwise wait for the server.
func TestServerHoldsNothing(t *testing.T) {
	dir := place(t)
	read := make([]*os.File, 2)
	write := make([]*os.File, 2)
	for i := range read {
		var err error
		if read[i], write[i], err = os.Pipe(); err != nil {
			t.Fatal(err)
		}
	}
	c := start(t, dir, "", func(c *exec.Cmd) {
		c.Stderr = write[0]
		// The server uses some of the lowest descriptors itself.
		c.ExtraFiles = []*os.File{write[1], write[1], write[1], write[1], write[1], write[1]}
	})
	for _, f := range write {
		_ = f.Close()
	}
	server := c.ping()
	_ = c.in.Close()
	_ = c.out.SetReadDeadline(time.Now().Add(double.Patience))
	if rest, err := io.ReadAll(c.buf); err != nil {
		t.Errorf("standard output: %q %v", rest, err)
	}
	if err := c.wait(); err != nil {
		t.Error(err)
	}
	for i, what := range []string{"standard error", "a stray descriptor"} {
		_ = read[i].SetReadDeadline(time.Now().Add(double.Patience))
		if rest, err := io.ReadAll(read[i]); err != nil {
			t.Errorf("%s: %q %v", what, rest, err)
		}
		_ = read[i].Close()
	}
	if !toyAlive(server) {
		t.Error("the server has ended")
	}
}

// TestLongPath checks a data directory whose path is too long for the name of a socket.
func TestLongPath(t *testing.T) {
	dir := place(t)
	long := dir
	for len(long) < 250 {
		long = filepath.Join(long, strings.Repeat("d", min(60, max(1, 249-len(long)))))
	}
	c := start(t, long, "")
	server := c.ping()
	if err := c.stop(); err != nil {
		t.Error(err)
	}
	again := start(t, long, "")
	if pid := again.ping(); pid != server {
		t.Errorf("%d answers, and %d was there", pid, server)
	}
	if err := again.stop(); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(filepath.Join(long, "s")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
	kill(begun(t, long)[0])
}
