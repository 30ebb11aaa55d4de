package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/sayurintent/sayurintent/internal/pass"
)

var errElsewhere = errors.New("another Say Ur Intent process serves the pages of this data directory already")

// runPages serves the pages and the receipt watcher without an AI client: for
// links that outlive their client, and to see a signed transaction through.
func runPages(p process, args []string) int {
	s, err := parseOptions(p, args)
	if err != nil {
		fmt.Fprintf(p.Stderr, "say-ur-intent pages: %v\n", err)
		return exitBadInput
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	a, err := newApp(ctx, p, s)
	if err != nil {
		fmt.Fprintf(p.Stderr, "say-ur-intent pages: %v\n", err)
		return exitFailed
	}
	defer a.close()
	pages := a.here()
	if pages == nil {
		fmt.Fprintf(p.Stderr, "say-ur-intent pages: %v\n", errElsewhere)
		return exitFailed
	}
	unsettled, err := a.db.Unsettled(ctx)
	if err != nil {
		fmt.Fprintf(p.Stderr, "say-ur-intent pages: %v\n", err)
		return exitFailed
	}
	home, err := a.link(ctx, pass.Home, pass.HomeSubject)
	if err != nil {
		fmt.Fprintf(p.Stderr, "say-ur-intent pages: %v\n", err)
		return exitFailed
	}
	fmt.Fprintf(p.Stdout, "Pages at %s for %s. Reviews waiting for a result: %d. Ctrl-C ends this.\n"+
		"What waits, by a link that works once and within 30 minutes:\n%s\n",
		pages.origin, s.network.answer, len(unsettled), home)
	a.showHome(ctx, p)
	<-ctx.Done()
	return exitOK
}

// showHome starts the browser at the page of what waits, where --open-browser
// says so. The link that was printed stays good for another opening.
func (a *app) showHome(ctx context.Context, p process) {
	browser := a.openBrowser(p)
	if !browser.Unasked {
		return
	}
	if home, err := a.link(ctx, pass.Home, pass.HomeSubject); err == nil {
		_ = browser.Start(ctx, home) // what went wrong is in the log
	}
}
