package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/sayurintent/sayurintent/internal/stdio"
)

// After the client is gone the server stays for the person at most this long.
const (
	stayMost  = 30 * time.Minute
	stayCheck = 100 * time.Millisecond
	freshLink = 10 * time.Minute
	freshPage = 10 * time.Minute
)

// runServe serves one AI client over stdio, and the pages beside it.
func runServe(p process, args []string) int {
	s, err := parseOptions(p, args)
	if errors.Is(err, flag.ErrHelp) {
		usage(p.Stdout)
		return exitOK
	}
	if err != nil {
		fmt.Fprintf(p.Stderr, "say-ur-intent: %v\n", err)
		return exitBadInput
	}
	// The live heap is a few megabytes, so collecting at its double would mean a
	// collection every hundred calls; the limit keeps a burst from growing it.
	debug.SetGCPercent(400)
	debug.SetMemoryLimit(256 << 20)
	in, out := p.claim()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	a, err := newApp(ctx, p, s)
	if err != nil {
		fmt.Fprintf(p.Stderr, "say-ur-intent: %v\n", err)
		return exitFailed
	}
	defer a.close()
	err = a.serve(ctx, in, out)
	if ctx.Err() != nil || errors.Is(err, stdio.ErrOutputClosed) {
		err = nil
	}
	if err != nil {
		a.log.Error("stdio ended", "cause", err)
		return exitFailed
	}
	a.stay(ctx)
	return exitOK
}

// serve serves one client of this machine until its input ends.
func (a *app) serve(ctx context.Context, in io.Reader, out io.Writer) error {
	toolsets, err := a.withProjects(ctx, a.options.toolsets)
	if err != nil {
		return err
	}
	s := &session{app: a, conversation: a.db.Bus(ctx), toolsets: toolsets, toolNames: a.options.toolNames}
	var done func()
	s.browser, done = a.openBrowser(a.options.openBrowser, a.process.Getenv)
	defer done()
	return s.serve(ctx, in, out)
}
