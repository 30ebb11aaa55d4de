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

// ErrOutputClosed is returned by Serve if the client has closed the output.
var ErrOutputClosed = errors.New("stdio: the client closed the output")

// Options configures a transport. Now is required. For the other fields, the zero value means the
// default noted at the field.
type Options struct {
	Now         func() time.Time // required: the clock for progress and expiry
	Log         *slog.Logger     // default: no log; must not write to standard output
	ToolNames   ToolNames        // default: ToolNamesAuto
	Names       []string         // further dotted tool names that texts may contain
	FrameLimit  int              // default 4 MiB: maximum line length
	Depth       int              // default 64: maximum nesting depth of a message
	Concurrency int              // default 32: maximum running calls, not counting parked ones
	// Shared, if not nil, limits the calls of all sessions of a server together.
	Shared    *Shared
	Admission int // default 1024: maximum running, parked and queued calls, except those in Waits
	// Waits reports whether calls of a tool, given by its canonical name, are expected to wait for
	// something outside the server. These calls and streams have their own limit, WaitMost, so that
	// they do not block other calls. nil means that no tool waits.
	Waits    func(tool string) bool
	WaitMost int // default 1024
	// LendArguments makes tool handlers read their arguments from [Session.Arguments]. mcp-go gets
	// an empty object instead, so that it does not parse them again.
	LendArguments bool
	// Tasks and Events are the protocol extensions offered to requests of the era without a
	// handshake; nil means not offered.
	Tasks  Tasks
	Events Events
	// Skills lists the instructions that clients can load. Their files must be resources of the
	// server.
	Skills []Skill
	// Changes calls changed after each change of a resource, until ctx ends. For a resource that
	// never changes, it returns immediately. nil means that no resource changes.
	Changes func(ctx context.Context, uri string, changed func())
	// Channel pushes messages that do not belong to a call to clients that accept them; may be nil.
	Channel Channel
	// NoLinks means that clients are not asked to open links, because the pages are on another
	// machine.
	NoLinks       bool
	Heartbeat     time.Duration // default 20 s: interval of heartbeats on a quiet event stream
	Grace         time.Duration // default 2 s: how long running calls may take after the end of input
	ProgressEvery time.Duration // default 100 ms: minimum interval of a call's progress messages
}

// admissionBytes and waitBytes limit the total size of accepted requests.
const (
	admissionBytes = 16 << 20
	waitBytes      = 4 << 20
)

// stragglers is how long Serve waits for canceled calls to end.
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

// Serve reads requests from in and writes the answers to out. It ends when one of these happens:
//
//   - in ends: running calls may finish within Options.Grace, and waiting calls are notified
//     ([Session.InputEnded]); Serve returns nil;
//   - ctx ends: calls are canceled and have a quarter of a second to end; Serve returns ctx's error;
//   - a write to out fails, so the client is gone: as for ctx; Serve returns ErrOutputClosed.
//
// Any other error means that reading failed or the options are invalid. Nothing is written after
// Serve returns. Tools, prompts and resources must be registered before Serve is called. A blocked
// read of in cannot be interrupted and may outlive Serve.
func Serve(ctx context.Context, in io.Reader, out io.Writer, s *server.MCPServer, opts Options) error {
	return run(ctx, out, s, opts, func(c *connection) error { return c.read(in) })
}

// run serves the messages that take receives, until take returns; see Serve.
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

// wait returns when idle is closed, ctx ends or most has passed.
func wait(ctx context.Context, idle <-chan struct{}, most time.Duration) {
	t := time.NewTimer(most)
	defer t.Stop()
	select {
	case <-idle:
	case <-ctx.Done():
	case <-t.C:
	}
}

// errPanicked is returned for a session that panicked outside a call.
var errPanicked = errors.New("stdio: the session panicked")

// read handles messages until the input ends. A panic ends only this session.
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
				text: fmt.Sprintf("The message is too long (max %d bytes) and was dropped.", c.opts.FrameLimit)})
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

// Claim reserves the process's standard input and output for Serve. It points os.Stdout to standard
// error, so that no library can write between frames, and ignores SIGPIPE, so that a write to a
// closed output returns an error instead of killing the process. Call it once, early in main.
func Claim() (in, out *os.File) {
	in, out = os.Stdin, os.Stdout
	os.Stdout = os.Stderr
	signal.Ignore(syscall.SIGPIPE)
	return in, out
}
