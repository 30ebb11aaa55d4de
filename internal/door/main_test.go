package door_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/door"
	"github.com/sayurintent/sayurintent/internal/filelock"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/internal/testkit/long"
)

// Variables with which the test binary runs itself as a proxy, a server or another program.
const (
	role    = "DOOR_TEST_ROLE"
	manner  = "DOOR_TEST_MANNER" // how the server starts
	mostAge = 10 * time.Minute   // after which a forgotten process exits
)

func TestMain(m *testing.M) {
	play := os.Getenv(role)
	if play == "" {
		os.Exit(m.Run())
	}
	time.AfterFunc(mostAge, func() { os.Exit(3) })
	var err error
	switch play {
	case "server":
		err = toyServer()
	case "proxy":
		err = toyProxy(os.Args[len(os.Args)-1])
	case "foreigner":
		err = foreigner(os.Args[len(os.Args)-1])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// program is the path of the test binary.
var program = func() string {
	path, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return path
}()

// as returns an environment in which the test binary plays a role.
func as(play string, more ...string) []string {
	env := slices.DeleteFunc(os.Environ(), func(entry string) bool {
		return strings.HasPrefix(entry, role+"=") || strings.HasPrefix(entry, manner+"=")
	})
	return append(append(env, role+"="+play, "GORACE=atexit_sleep_ms=0"), more...)
}

// toyProxy runs a proxy on standard input and output, for the server of a directory.
func toyProxy(dir string) error {
	p := newProxy(dir, os.Getenv(manner))
	return p.Serve(context.Background(), os.Stdin, os.Stdout)
}

// newProxy returns a proxy that starts toy servers. how is the manner of their start.
func newProxy(dir, how string) *door.Proxy {
	p := &door.Proxy{Now: time.Now, Dir: dir, Hello: door.Hello{Protocol: door.Protocol, Version: "test"},
		Start: door.Command{Path: program, Env: as("server", manner+"="+how)}}
	if p.Hello.Client.PID = os.Getpid(); how == "absent" {
		p.Start = door.Command{Path: "/absent"}
	}
	return p
}

// toyServer serves its working directory until it is killed. It appends its process ID to the file
// begun, and the effects of calls to the file effects.
func toyServer() error {
	starter := door.StartedBy()
	defer runtime.KeepAlive(starter) // the proxy notices when its files are closed
	if err := appendLine("begun", strconv.Itoa(os.Getpid())); err != nil {
		return err
	}
	how := os.Getenv(manner)
	switch how {
	case "fails":
		err := errors.New("the toy server does not want to")
		starter.Ready(err)
		return err
	case "dies":
		return die()
	case "no sockets":
		// A directory that cannot be removed has the name of the socket.
		if err := os.MkdirAll(filepath.Join("s.new", "x"), 0o700); err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Join("s", "x"), 0o700); err != nil {
			return err
		}
	default:
		if address, ok := strings.CutPrefix(how, waits); ok {
			if err := awaitClose(address); err != nil {
				return err
			}
		}
	}
	lock, err := serverLock()
	if err != nil {
		return err
	}
	defer func() { _ = lock.Close() }()
	s := toy()
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	s.Serve = func(_ context.Context, h door.Hello, in io.Reader, out io.Writer) error {
		if h.Kind == door.KindStop {
			stop()
			return nil
		}
		return toySession(in, out)
	}
	if err := s.Listen("."); err != nil {
		starter.Ready(err)
		return err
	}
	if how != "silent" {
		starter.Ready(nil)
	}
	return s.Run(ctx)
}

// waits is the prefix of a manner that names an address. The server connects to it, and starts when
// the connection is closed.
const waits = "waits "

func awaitClose(address string) error {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	_, _ = conn.Read(make([]byte, 1))
	return nil
}

// die kills this process.
func die() error {
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Kill()
	}
	if err == nil {
		select {}
	}
	return err
}

// serverLock acquires the server lock of a directory, waiting if necessary.
func serverLock() (*os.File, error) {
	f, err := os.OpenFile("serve.lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		if won, err := filelock.Try(f, false); won || err != nil {
			return f, err
		}
		time.Sleep(time.Millisecond)
	}
}

func toy() *door.Server {
	return &door.Server{Now: time.Now, Log: slog.New(slog.DiscardHandler),
		Admit: func(door.Hello) door.Welcome { return door.Welcome{OK: true, Reads: []string{"toy.read"}} },
		Serve: func(_ context.Context, _ door.Hello, in io.Reader, out io.Writer) error { return toySession(in, out) }}
}

// toySession responds to each request with this process's ID. The tool toy.write also appends a
// line to the file effects.
func toySession(in io.Reader, out io.Writer) error {
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return nil
		}
		var r struct {
			ID     json.RawMessage
			Method string
			Params struct {
				Name      string
				Arguments struct{ Text string }
			}
		}
		if err := json.Unmarshal(line, &r); err != nil || len(r.ID) == 0 {
			continue
		}
		if r.Params.Name == "toy.write" {
			if err := appendLine("effects", r.Params.Arguments.Text); err != nil {
				return err
			}
		}
		if _, err := fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"result":{"pid":%d}}`+"\n", r.ID, os.Getpid()); err != nil {
			return err
		}
	}
}

func appendLine(file, text string) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	_, err = f.WriteString(text + "\n")
	return err
}

// place returns a data directory for toy servers, which are killed at the end of the test.
func place(t *testing.T) string {
	t.Helper()
	long.Skip(t, "it starts processes")
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, pid := range begun(t, dir) {
			kill(pid)
		}
	})
	return dir
}

// begun returns the process IDs of the servers that were started in a directory, oldest first.
func begun(t *testing.T, dir string) (pids []int) {
	t.Helper()
	for _, line := range lines(t, filepath.Join(dir, "begun")) {
		pid, err := strconv.Atoi(line)
		if err != nil {
			t.Fatal(err)
		}
		pids = append(pids, pid)
	}
	return pids
}

// lines returns the lines of a file, or none if it does not exist.
func lines(t *testing.T, path string) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return strings.Fields(string(text))
}

// kill kills a toy server and waits until it has ended.
func kill(pid int) {
	if toyAlive(pid) {
		if p, err := os.FindProcess(pid); err == nil {
			_ = p.Kill()
			_ = p.Release()
		}
	}
	double.Await(func() bool { return !toyAlive(pid) })
}

// client is an AI client whose proxy is a process.
type client struct {
	t   testing.TB
	cmd *exec.Cmd
	in  io.WriteCloser
	out *os.File
	buf *bufio.Reader
	err strings.Builder
}

// start starts a proxy. change may modify its command first.
func start(t testing.TB, dir, how string, change ...func(*exec.Cmd)) *client {
	t.Helper()
	c := &client{t: t, cmd: exec.Command(program, dir)}
	c.cmd.Env = as("proxy", manner+"="+how)
	var err error
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	var theirs *os.File
	if c.out, theirs, err = os.Pipe(); err != nil {
		t.Fatal(err)
	}
	c.cmd.Stdout, c.cmd.Stderr = theirs, &c.err
	c.cmd.WaitDelay = time.Second
	for _, f := range change {
		f(c.cmd)
	}
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = theirs.Close()
	c.buf = bufio.NewReader(c.out)
	return c
}

// stop closes the client's input and waits for the proxy to end.
func (c *client) stop() error {
	_ = c.in.Close()
	return c.wait()
}

// wait waits for the proxy to end.
func (c *client) wait() error {
	late := time.AfterFunc(double.Patience, func() { _ = c.cmd.Process.Kill() })
	defer late.Stop()
	defer func() { _ = c.out.Close() }()
	return c.cmd.Wait()
}

// ask sends a request and returns the process ID of the server that responds.
func (c *client) ask(id int, method, params string) (server int, err error) {
	if _, err := fmt.Fprintf(c.in, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", id, method,
		params); err != nil {
		return 0, err
	}
	_ = c.out.SetReadDeadline(time.Now().Add(double.Patience))
	line, err := c.buf.ReadBytes('\n')
	if err != nil {
		return 0, err
	}
	var answer struct {
		ID     int
		Result struct{ PID int }
		Error  struct{ Message string }
	}
	switch err := json.Unmarshal(line, &answer); {
	case err != nil:
		return 0, err
	case answer.ID != id:
		return 0, fmt.Errorf("%d was answered by %s", id, line)
	case answer.Error.Message != "":
		return 0, errors.New(answer.Error.Message)
	}
	return answer.Result.PID, nil
}

// ping returns the process ID of the server.
func (c *client) ping() int {
	c.t.Helper()
	pid, err := c.ask(1, "ping", "{}")
	if err != nil {
		c.t.Fatalf("%v %s", err, c.err.String())
	}
	return pid
}
