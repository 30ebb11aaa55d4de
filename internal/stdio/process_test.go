package stdio_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/stdio"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/internal/testkit/long"
)

// fixtureMain runs the fixture as a separate process that ends on signals, as the product does.
func fixtureMain() int {
	in, out := stdio.Claim()
	fmt.Println("a library writes where it should not")
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	err := stdio.Serve(ctx, in, out, newFixture().MCPServer, stdio.Options{Now: time.Now})
	if err != nil && !errors.Is(err, stdio.ErrOutputClosed) && !errors.Is(err, context.Canceled) {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// child is a fixture that runs in a child process.
type child struct {
	t      testing.TB
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    io.ReadCloser
	lines  *bufio.Reader
	stderr *bytes.Buffer
}

func spawn(t testing.TB) *child {
	t.Helper()
	long.Skip(t, "it starts a process")
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	// Without this, the race detector sleeps for a second at exit.
	cmd.Env = append(os.Environ(), "STDIO_FIXTURE=1", "GORACE=atexit_sleep_ms=0")
	c := &child{t: t, cmd: cmd, stderr: &bytes.Buffer{}}
	cmd.Stderr = c.stderr
	var err error
	if c.in, err = cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if c.out, err = cmd.StdoutPipe(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	c.lines = bufio.NewReaderSize(c.out, 1<<20)
	t.Cleanup(func() {
		if cmd.ProcessState == nil {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
	})
	return c
}

func (c *child) send(line string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		c.t.Fatal(err)
	}
}

func (c *child) next() frame {
	c.t.Helper()
	line, err := c.lines.ReadString('\n')
	if err != nil {
		c.t.Fatalf("reading: %v; stderr: %s", err, c.stderr)
	}
	f, err := parseFrame(line)
	if err != nil {
		c.t.Fatalf("stdout carries nothing but frames: %q: %v", line, err)
	}
	return f
}

func (c *child) initialize() {
	c.t.Helper()
	c.send(request(`"init"`, "initialize",
		`{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}`))
	if m := c.next(); m.id() != `"init"` || m.Result == nil {
		c.t.Fatalf("initialize: %s", m.line)
	}
}

// exits checks that the process exits with code 0 within double.Patience.
func (c *child) exits() {
	c.t.Helper()
	killer := time.AfterFunc(double.Patience, func() { _ = c.cmd.Process.Kill() })
	defer killer.Stop()
	rest, _ := io.ReadAll(c.lines)
	err := c.cmd.Wait()
	if err != nil {
		c.t.Errorf("ended with %v; want exit code 0; stderr: %s", err, c.stderr)
	}
	for line := range strings.Lines(string(rest)) {
		if _, err := parseFrame(line); err != nil {
			c.t.Errorf("stdout carries nothing but frames: %q: %v", line, err)
		}
	}
	if said := c.stderr.String(); said != "a library writes where it should not\n" {
		c.t.Errorf("stderr at the default level: %q", said)
	}
}

// stubborn makes a call outlive every time limit: a process that ends did not wait for it.
const stubborn = `{"ms":3600000,"announce":true}`

// begun sends a call and waits for its first progress message.
func (c *child) begun(id, tool, arguments string) {
	c.t.Helper()
	c.send(request(id, "tools/call", `{"name":"`+tool+`","arguments":`+arguments+`,"_meta":{"progressToken":`+id+`}}`))
	if m := c.next(); m.Method != "notifications/progress" {
		c.t.Fatalf("the call %s does not begin: %s", id, m.line)
	}
}

func TestSignals(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // a process cannot be asked to end by a signal there
	}
	for _, sig := range []os.Signal{syscall.SIGTERM, os.Interrupt, syscall.SIGHUP} {
		t.Run(sig.String()+" idle", func(t *testing.T) {
			c := spawn(t)
			c.initialize()
			c.signal(sig)
			c.exits()
		})
	}
	t.Run("busy", func(t *testing.T) {
		c := spawn(t)
		c.initialize()
		c.begun("1", "test.stubborn", stubborn)
		c.begun("2", "test.wait", "{}")
		c.signal(syscall.SIGTERM)
		c.exits()
	})
	t.Run("twice", func(t *testing.T) {
		c := spawn(t)
		c.initialize()
		c.begun("1", "test.stubborn", stubborn)
		c.signal(syscall.SIGTERM)
		time.Sleep(20 * time.Millisecond)
		c.signal(syscall.SIGTERM)
		c.exits()
	})
}

func (c *child) signal(sig os.Signal) {
	c.t.Helper()
	if err := c.cmd.Process.Signal(sig); err != nil {
		c.t.Fatal(err)
	}
}

func TestProcessEnd(t *testing.T) {
	t.Run("idle", func(t *testing.T) {
		c := spawn(t)
		c.initialize()
		c.in.Close()
		c.exits()
	})
	t.Run("waiting call", func(t *testing.T) {
		c := spawn(t)
		c.initialize()
		c.begun("1", "test.wait", "{}")
		c.in.Close()
		if m := c.next(); m.id() != "1" || m.text() != "nothing yet" {
			t.Errorf("got %s", m.line)
		}
		c.exits()
	})
	t.Run("stubborn call", func(t *testing.T) {
		c := spawn(t)
		c.initialize()
		c.begun("1", "test.stubborn", stubborn)
		c.in.Close()
		c.exits()
	})
	t.Run("nothing but the end", func(t *testing.T) {
		c := spawn(t)
		c.in.Close()
		c.exits()
	})
}

// TestStdoutClosed checks that the process exits without a fatal signal after the client has closed
// its output.
func TestStdoutClosed(t *testing.T) {
	c := spawn(t)
	c.initialize()
	c.out.Close()
	c.send(request("1", "ping", "{}"))
	done := make(chan error, 1)
	go func() { done <- c.cmd.Wait() }()
	select {
	case err := <-done:
		if err != nil {
			t.Errorf("ended with %v; stderr: %s", err, c.stderr)
		}
	case <-time.After(double.Patience):
		t.Error("the process goes on without a client")
	}
}

// TestProcessMemory checks that deep, long or unfinished messages do not increase memory use.
func TestProcessMemory(t *testing.T) {
	if runtime.GOOS != "linux" {
		return // only Linux makes another process's peak easy to read
	}
	c := spawn(t)
	c.initialize()
	c.send(strings.Repeat("[", 100_000))
	c.next()
	c.send(request("1", "tools/call", `{"name":"test.raw","arguments":`+strings.Repeat("[", 1_900_000)+strings.Repeat("]",
		1_900_000)+`}`))
	c.next()
	chunk := strings.Repeat("x", 1<<20)
	for range 64 {
		if _, err := io.WriteString(c.in, chunk); err != nil {
			t.Fatal(err)
		}
	}
	c.send("")
	c.next()
	c.send("[" + strings.Repeat(request("1", "ping", "{}")+",", 50_000) + "1]")
	c.next()
	c.send(call("2", "test.echo", `{"text":"alive"}`))
	if m := c.next(); m.text() != "alive" {
		t.Errorf("got %s", m.line)
	}
	if peak := c.peak(); peak > 128<<10 {
		t.Errorf("SD-02: peak RSS %d KiB", peak)
	}
	c.in.Close()
	c.exits()
}

// peak returns the process's peak resident size in KiB.
func (c *child) peak() int {
	c.t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", c.cmd.Process.Pid))
	if err != nil {
		c.t.Fatal(err)
	}
	var kib int
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			if _, err := fmt.Sscan(rest, &kib); err != nil {
				c.t.Fatal(err)
			}
		}
	}
	return kib
}
