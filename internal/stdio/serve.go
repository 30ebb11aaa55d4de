package stdio

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/mark3labs/mcp-go/server"
)

// ErrOutputClosed is Serve's error if the client no longer reads frames.
var ErrOutputClosed = errors.New("stdio: the client closed the output")

// Options configure a transport. The zero value of every field except Now means the
// default noted with the field.
type Options struct {
	Now         func() time.Time // required: the clock for progress and for expiry
	Log         *slog.Logger     // nil: no log; never standard output
	ToolNames   ToolNames        // ToolNamesAuto: how the names of tools are spelled
	Names       []string         // none: dotted names of tools in texts, in addition to the served ones
	FrameLimit  int              // 4 MiB: the longest line taken
	Depth       int              // 64: how deep a message may nest
	Concurrency int              // 32: max running calls, without parked ones
	// Shared limits all sessions of a server together; may be nil.
	Shared    *Shared
	Admission int // 1024: maximum of running, parked and queued calls, except those in Waits
	// Waits reports whether a tool's calls, by its canonical name, mostly wait for something
	// outside. They and streams are limited separately, to WaitMost, so that they never replace
	// other calls. nil means none.
	Waits    func(tool string) bool
	WaitMost int // 1024
	// LendArguments means that tool handlers take their arguments from [Session.Arguments]. mcp-go,
	// which would parse them several times, does not get them.
	LendArguments bool
	// Tasks and Events are the extensions of the protocol that are offered to requests of
	// the era without a handshake; nil: not offered.
	Tasks  Tasks
	Events Events
	// Skills are the instructions that clients can load. Their files are resources of the server.
	Skills []Skill
	// Changes calls changed after each change of a resource, until ctx ends. It returns
	// at once for one that never changes. nil: none does.
	Changes func(ctx context.Context, uri string, changed func())
	// Channel pushes messages outside calls to clients that accept them; may be nil.
	Channel Channel
	// NoLinks means that no client is asked to open a link, because it is on another machine than
	// the pages.
	NoLinks       bool
	Heartbeat     time.Duration // 20 s: between signs of life of a quiet stream of events
	Grace         time.Duration // 2 s: for running calls after the end of input
	ProgressEvery time.Duration // 100 ms: between two progress messages of one call
}

// admissionBytes and waitBytes limit the size of all requests held at once.
const (
	admissionBytes = 16 << 20
	waitBytes      = 4 << 20
)

// stragglers is how long canceled calls may take to end.
const stragglers = 250 * time.Millisecond

func (o Options) filled() (Options, error) {
	if o.Now == nil {
		return o, errors.New("stdio: Options.Now is missing")
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.ToolNames == "" {
		o.ToolNames = ToolNamesAuto
	}
	for _, d := range []struct {
		value *int
		usual int
	}{{&o.FrameLimit, 4 << 20}, {&o.Depth, 64}, {&o.Concurrency, 32}, {&o.Admission, 1024}, {&o.WaitMost, 1024}} {
		if *d.value <= 0 {
			*d.value = d.usual
		}
	}
	if o.Waits == nil {
		o.Waits = func(string) bool { return false }
	}
	if o.Heartbeat <= 0 {
		o.Heartbeat = usualBeat
	}
	if o.Grace <= 0 {
		o.Grace = 2 * time.Second
	}
	if o.ProgressEvery <= 0 {
		o.ProgressEvery = 100 * time.Millisecond
	}
	return o, nil
}

// Serve reads requests from in and answers them on out until one of these:
//
//   - input ends: running calls may finish within Options.Grace, and waiting
//     calls are notified ([Session.InputEnded]); returns nil;
//   - ctx ends: calls are canceled and given a quarter of a second; returns
//     ctx's error;
//   - out fails, so the client is gone: as for ctx; returns ErrOutputClosed.
//
// Any other error is a broken input or invalid options. After Serve returned,
// nothing more is written. Tools, prompts and resources must be registered
// before. A blocked read of in cannot be interrupted and may outlive Serve.
func Serve(ctx context.Context, in io.Reader, out io.Writer, s *server.MCPServer, opts Options) error {
	return run(ctx, out, s, opts, func(c *connection) error { return c.read(in) })
}

// run serves messages from take until it returns; see Serve.
func run(ctx context.Context, out io.Writer, s *server.MCPServer, opts Options, take func(*connection) error) error {
	opts, err := opts.filled()
	if err != nil {
		return err
	}
	c, err := newConnection(ctx, out, s, opts)
	if err != nil {
		return err
	}
	defer c.out.shut()
	defer c.cancel()
	if err := c.openBroadcast(); err != nil {
		return err
	}
	defer c.closeBroadcast()

	ended := make(chan error, 1)
	go func() { ended <- take(c) }()
	select {
	case err = <-ended:
	case <-c.ctx.Done():
	}
	idle := c.endInput()
	if c.ctx.Err() == nil {
		wait(c.ctx, idle, opts.Grace)
	}
	stopped := context.Cause(c.ctx)
	c.cancel()
	wait(context.Background(), idle, stragglers)
	if stopped != nil {
		return stopped
	}
	return err
}

// wait waits for idle, for ctx, or for the time to pass.
func wait(ctx context.Context, idle <-chan struct{}, most time.Duration) {
	t := time.NewTimer(most)
	defer t.Stop()
	select {
	case <-idle:
	case <-ctx.Done():
	case <-t.C:
	}
}

// errPanicked ends a session in which something went wrong outside of a call.
var errPanicked = errors.New("stdio: the session panicked")

// read serves messages until the input ends. A panic ends this session and no other.
func (c *connection) read(in io.Reader) (err error) {
	defer func() {
		if v := recover(); v != nil {
			c.panicked(0, "", v)
			err = errPanicked
		}
	}()
	f := newFrames(in, c.opts.FrameLimit)
	for {
		line, err := f.next()
		switch {
		case err == nil:
			c.receive(c.home, line)
		case errors.Is(err, errFrameTooLong):
			c.refuse(c.home, &refusal{code: codeInvalidRequest,
				text: fmt.Sprintf("A message may have at most %d bytes; this one was dropped.", c.opts.FrameLimit)})
		case errors.Is(err, io.EOF):
			return nil
		default:
			return fmt.Errorf("stdio: reading: %w", err)
		}
		if c.ctx.Err() != nil {
			return nil
		}
	}
}

// Claim takes the process's standard input and output for Serve. From then on os.Stdout is standard
// error, so no library can write between frames, and a client that is gone causes a write error
// instead of a fatal signal. Call it once, early in main.
func Claim() (in, out *os.File) {
	in, out = os.Stdin, os.Stdout
	os.Stdout = os.Stderr
	signal.Ignore(syscall.SIGPIPE)
	return in, out
}
