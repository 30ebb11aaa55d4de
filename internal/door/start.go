package door

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/sayurintent/sayurintent/internal/filelock"
)

const (
	startLock = "start.lock"
	// startTime limits one start of a server, which may migrate a large store.
	startTime = 30 * time.Second
	lockPause = 5 * time.Millisecond
	// lookPause is how often a starter checks whether another process has started a server.
	lookPause = 25 * time.Millisecond
)

// Messages from a new server to its starter: first that the program is running, then that the
// server is ready or why it is not. The two may have different versions, so the messages must not
// change.
const (
	saysStarted  = "started\n"
	saysReady    = "ready\n"
	saysNoServer = "no server\n" // prefix of a reason that is ErrNoServer
)

// startedVariable is set in the environment of a server that a proxy started. Such a server reports
// its start on standard output.
const startedVariable = "SAY_UR_INTENT_STARTED_BY_PROXY"

// ErrNoServer means that this process can neither start a server nor connect to one, because it may
// not start programs, there is no shell, or the data directory is not writable or does not support
// sockets. A process that is able to may then serve its client itself.
var ErrNoServer = errors.New("a server cannot be started here")

// Command is how to start a server.
type Command struct {
	Path string
	Args []string
	Env  []string // complete environment
}

// start starts a server that outlives this process and its process group. It returns when a server
// is reachable or ctx ends. The caller must hold the start lock. The reachable server may be
// another one: on Windows, the lock is released when its holder is killed, and the server of that
// holder may still be starting.
func (c Command) start(ctx context.Context, dir string, lock *os.File) error {
	news, tell, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNoServer, err)
	}
	err = c.detach(dir, lock, tell)
	_ = tell.Close()
	if err != nil {
		_ = news.Close()
		return fmt.Errorf("%w: %w", ErrNoServer, err)
	}
	said := make(chan error, 1)
	go func() {
		defer func() { _ = news.Close() }()
		said <- readNews(news)
	}()
	look := time.NewTicker(lookPause)
	defer look.Stop()
	for {
		select {
		case err := <-said:
			return err
		case <-look.C:
			if conn, err := dial(dir); err == nil {
				return conn.Close()
			}
		case <-ctx.Done():
			return fmt.Errorf("the server did not start in time: %w", ctx.Err())
		}
	}
}

// readNews reads the messages of a new server and returns the error that it reports.
func readNews(news io.Reader) error {
	text, err := io.ReadAll(io.LimitReader(news, 4<<10))
	said, started := strings.CutPrefix(string(text), saysStarted)
	why, no := strings.CutPrefix(said, saysNoServer)
	switch {
	case !started: // the shell could not run the program
		return fmt.Errorf("%w: its program did not start", ErrNoServer)
	case said == saysReady:
		return nil
	case no:
		return fmt.Errorf("%w: %s", ErrNoServer, strings.TrimSpace(why))
	case said != "":
		return errors.New(strings.TrimSpace(said))
	case err != nil:
		return err
	}
	return errors.New("the server exited during startup; see server.log in the data directory")
}

// lockStart acquires the start lock of a data directory, waiting if another process holds it.
func lockStart(ctx context.Context, dir string) (*os.File, error) {
	f, err := openStart(dir)
	if err != nil {
		return nil, err
	}
	for {
		won, err := filelock.Try(f, false)
		if won {
			return f, nil
		}
		if err == nil {
			select {
			case <-ctx.Done():
				err = ctx.Err()
			case <-time.After(lockPause):
			}
		}
		if err != nil {
			_ = f.Close()
			return nil, err
		}
	}
}

// openStart opens the lock file. It creates the data directory if necessary.
func openStart(dir string) (f *os.File, err error) {
	if err = os.MkdirAll(dir, 0o700); err == nil {
		f, err = os.OpenFile(filepath.Join(dir, startLock), os.O_RDWR|os.O_CREATE|noFollow, 0o600)
	}
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		err = fmt.Errorf("%w: %w", ErrNoServer, err)
	}
	return f, err
}

// Starter is the proxy that started this server.
type Starter struct{ lock, news *os.File }

// StartedBy returns the proxy that started this process, or nil. It unsets the variable that a
// starter sets.
func StartedBy() *Starter {
	if os.Getenv(startedVariable) == "" {
		return nil
	}
	_ = os.Unsetenv(startedVariable)
	lock, news := inherited()
	_, _ = io.WriteString(news, saysStarted)
	return &Starter{lock, news}
}

// Ready reports to the starter that the server is reachable, or why it is not.
func (s *Starter) Ready(err error) {
	if s == nil {
		return
	}
	text := saysReady
	if err != nil {
		text = err.Error()
	}
	if errors.Is(err, ErrNoServer) {
		text = saysNoServer + text
	}
	_, _ = io.WriteString(s.news, text)
	_ = s.news.Close()
	if s.lock != nil {
		_ = s.lock.Close()
	}
}
