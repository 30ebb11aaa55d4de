//go:build unix

package door

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	startLock = "start.lock"
	// startTime bounds one start, migration of a large store included.
	startTime = 30 * time.Second
	lockPause = 5 * time.Millisecond
	ready     = "ready\n"
)

// startedVariable is set for a server that a proxy starts: descriptor 3 is the lock
// of starting, which it keeps until it can be reached, and 4 takes the news of that.
const startedVariable = "SAY_UR_INTENT_STARTED_BY_PROXY"

// Command is how a server is started.
type Command struct {
	Path string
	Args []string
	Env  []string // the whole environment
}

// start runs a server that outlives this process and everything that ends this process's
// group or children, and waits until it can be reached. The lock of starting must be held.
func (c Command) start(ctx context.Context, dir string, lock *os.File, now func() time.Time) error {
	news, tell, err := os.Pipe()
	if err != nil {
		return err
	}
	defer func() { _ = news.Close() }()
	keepDescriptors()
	// The shell ends at once, so that the server is nobody's child: a program that ends a client
	// with its children, by the list of processes, does not find it.
	child := exec.Command("/bin/sh", append([]string{"-c", `"$0" "$@" &`, c.Path}, c.Args...)...)
	child.Env = append(c.Env, startedVariable+"=1")
	child.Dir = dir
	child.ExtraFiles = []*os.File{lock, tell}
	child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	err = child.Run()
	_ = tell.Close()
	if err != nil {
		return fmt.Errorf("the server could not be started: %w", err)
	}
	_ = news.SetReadDeadline(now().Add(startTime))
	stop := context.AfterFunc(ctx, func() { _ = news.SetReadDeadline(now()) })
	defer stop()
	said, err := io.ReadAll(io.LimitReader(news, 4<<10))
	switch {
	case string(said) == ready:
		return nil
	case len(said) > 0:
		return errors.New(strings.TrimSpace(string(said)))
	case err != nil:
		return fmt.Errorf("the server did not start within %s: %w", startTime, err)
	}
	return errors.New("the server ended before it could be reached; server.log in the data directory says why")
}

// lockStart takes the lock of starting a server, and waits while another process has it.
func lockStart(ctx context.Context, dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, startLock), os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			return f, nil
		}
		if !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR) {
			_ = f.Close()
			return nil, err
		}
		select {
		case <-ctx.Done():
			_ = f.Close()
			return nil, ctx.Err()
		case <-time.After(lockPause):
		}
	}
}

// Starter is the proxy that started this server, as the server sees it.
type Starter struct{ lock, news *os.File }

// StartedBy returns the proxy that started this process, nil if none did. It takes the
// variable that says so out of the environment.
func StartedBy() *Starter {
	if os.Getenv(startedVariable) == "" {
		return nil
	}
	_ = os.Unsetenv(startedVariable)
	unix.CloseOnExec(3)
	unix.CloseOnExec(4)
	return &Starter{os.NewFile(3, startLock), os.NewFile(4, "news")}
}

// Ready says that the server can be reached, or with an error why it never can.
func (s *Starter) Ready(err error) {
	if s == nil {
		return
	}
	text := ready
	if err != nil {
		text = err.Error()
	}
	_, _ = io.WriteString(s.news, text)
	_ = s.news.Close()
	_ = s.lock.Close()
}
