package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/sayurintent/sayurintent/internal/door"
	"github.com/sayurintent/sayurintent/internal/stdio"
)

// runMCP runs the MCP server of one AI client.
func runMCP(p process, args []string) error {
	s, err := parseOptions(p, args)
	if err != nil {
		return err
	}
	in, out := p.claim()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	err = s.byServer(ctx, p, args, func(proxy *door.Proxy) error { return proxy.Serve(ctx, in, out) },
		func(ctx context.Context, a *app) error { return a.serve(ctx, in, out) })
	if ctx.Err() != nil || errors.Is(err, stdio.ErrOutputClosed) {
		return nil
	}
	return err
}

// byServer runs there against the data directory's server, starting the server if needed. With
// --standalone, without a data directory, or if no server can be started, this process becomes the
// server and runs here instead. It then stays while the user may still need it.
func (s options) byServer(ctx context.Context, p process, args []string, there func(*door.Proxy) error,
	here func(context.Context, *app) error) error {
	if s.dataDir != "" && !s.standalone {
		c, err := door.ReadClient(args, p.Getenv)
		if err != nil { // parseOptions has checked everything else
			flag := "--idle needs the command serve"
			if s.http || s.manualTest != "" {
				flag = "--http and --manual-test need --standalone or the command serve"
			}
			return bad(errors.New(flag))
		}
		executable, err := os.Executable()
		if err == nil {
			if err = there(c.Proxy(executable, version, p.Now)); !errors.Is(err, door.ErrNoServer) {
				return err
			}
		}
		s.why = err
	}
	if s.dataDir != "" {
		s.endUnused(p)
	}
	s.idle, s.inClient = 0, true
	return host(ctx, p, s, nil, here)
}

// endUnused stops the data directory's server if nothing uses it. Such a server may be a standalone
// one whose client has left.
func (s options) endUnused(p process) {
	var is serverStatus
	if s.askServer(p, door.KindStatus, &is) == nil && is.Sessions == 0 && is.Running == 0 && !is.Sharing {
		_ = s.askServer(p, door.KindStop, &is)
	}
}

// serve serves this process's own client until its input ends.
func (a *app) serve(ctx context.Context, in io.Reader, out io.Writer) error {
	s := &session{app: a, conversation: a.db.Bus(ctx), toolsets: a.options.toolsets, toolNames: a.options.toolNames}
	var done func()
	s.browser, done = a.openBrowser(a.options.openBrowser, a.process.Getenv)
	defer done()
	return s.serve(ctx, in, out)
}
