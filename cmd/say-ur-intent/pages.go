package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/sayurintent/sayurintent/internal/door"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
)

// waitsLine stands before the link. The console is of one AI client, which makes its link.
const waitsLine = "What waits, by a link that works once and within 30 minutes " +
	"(for a page that stays true all day, ask your AI client to open the console):\n"

// runPages serves the pages and the receipt watcher without an AI client: for
// links that outlive their client, and to see a signed transaction through. Where
// another process serves the pages, it prints a link to those and ends.
func runPages(p process, args []string) int {
	s, err := parseOptions(p, args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(p.Stdout, "usage: say-ur-intent pages [flags of the server, as --network sandbox]\n"+
			"Prints a link to the pages, and serves them where no other process does.")
		return exitOK
	}
	if err != nil {
		fmt.Fprintf(p.Stderr, "say-ur-intent pages: %v\n", err)
		return exitBadInput
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if link, ok := s.serverLink(p); ok {
		fmt.Fprintf(p.Stdout, "The server that runs serves the pages for %s.\n"+waitsLine+"%s\n", s.network.answer, link)
		s.showServer(ctx, p)
		return exitOK
	}
	a, err := newApp(ctx, p, s)
	if err != nil {
		fmt.Fprintf(p.Stderr, "say-ur-intent pages: %v\n", err)
		return exitFailed
	}
	defer a.close()
	pages := a.here()
	if pages == nil {
		// Nobody may count on a process that ends at once to take the pages over.
		a.front.endSuccession()
		a.db.StandDown()
		pages = a.here()
	}
	if pages == nil {
		return a.pagesElsewhere(ctx, p)
	}
	unsettled, err := a.db.Unsettled(ctx)
	if err != nil {
		fmt.Fprintf(p.Stderr, "say-ur-intent pages: %v\n", err)
		return exitFailed
	}
	home, err := a.link(ctx, pagetoken.Home, pagetoken.HomeSubject)
	if err != nil {
		fmt.Fprintf(p.Stderr, "say-ur-intent pages: %v\n", err)
		return exitFailed
	}
	fmt.Fprintf(p.Stdout, "Pages at %s for %s. Reviews waiting for a result: %d. Ctrl-C ends this.\n"+
		waitsLine+"%s\n",
		pages.origin, s.network.answer, len(unsettled), home)
	a.showHome(ctx, p)
	<-ctx.Done()
	return exitOK
}

// serverLink returns a link to the home page of the server that runs, false if none does.
func (s options) serverLink(p process) (string, bool) {
	var at struct{ Link string }
	ok := s.dataDir != "" && s.askServer(p, door.KindPages, &at) == nil
	return at.Link, ok
}

// showServer starts the browser at the home page of the server that runs, if --open-browser
// says so. The link that was printed stays good for another opening.
func (s options) showServer(ctx context.Context, p process) {
	a := &app{options: s, log: newLog(p.Stderr), now: p.Now}
	browser, done := a.openBrowser(s.openBrowser, p.Getenv)
	defer done()
	if !browser.Unasked {
		return
	}
	if link, ok := s.serverLink(p); ok && browser.Start(ctx, link) == nil {
		keepLaunch(ctx)
	}
}

// keepLaunch waits while the browser may still read a file of this process.
func keepLaunch(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(launchLife):
	}
}

// pagesElsewhere prints a link to the home page of the process that serves the pages,
// once that process has proved that it does.
func (a *app) pagesElsewhere(ctx context.Context, p process) int {
	home, err := a.link(ctx, pagetoken.Home, pagetoken.HomeSubject)
	if err != nil {
		fmt.Fprintf(p.Stderr, "say-ur-intent pages: %v\n", err)
		return exitFailed
	}
	fmt.Fprintf(p.Stdout, "Another Say Ur Intent process, such as the one of your AI client, serves the pages for %s.\n"+
		waitsLine+"%s\n", a.options.network.answer, home)
	if a.showHome(ctx, p) {
		keepLaunch(ctx)
	}
	return exitOK
}

// showHome starts the browser at the page of what waits, where --open-browser
// says so, and reports whether it did. The link that was printed stays good for
// another opening.
func (a *app) showHome(ctx context.Context, p process) bool {
	browser, done := a.openBrowser(a.options.openBrowser, p.Getenv)
	a.later(done)
	if !browser.Unasked {
		return false
	}
	home, err := a.link(ctx, pagetoken.Home, pagetoken.HomeSubject)
	return err == nil && browser.Start(ctx, home) == nil // what went wrong is in the log
}
