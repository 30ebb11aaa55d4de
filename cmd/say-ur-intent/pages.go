package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
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

// atPages is what a person is told of the pages.
type atPages struct {
	Link    string `json:"link"`    // to the home page, for one opening
	Origin  string `json:"origin"`  // of all pages
	Waiting int    `json:"waiting"` // reviews whose transaction is not settled
}

// runPages prints a link to the home page and opens it, where there is a browser. It starts
// the server if none runs.
func runPages(p process, args []string) int {
	s, err := parseOptions(p, args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(p.Stdout, "usage: say-ur-intent pages [flags of the server, as --network sandbox]\n"+
			"Prints a link to the pages, and starts the server that has them if none runs.")
		return exitOK
	}
	if err != nil {
		fmt.Fprintf(p.Stderr, "say-ur-intent pages: %v\n", err)
		return exitBadInput
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err = s.byServer(ctx, p, args, func(proxy *door.Proxy) error { return s.showPages(ctx, p, proxy) }, showHere)
	if err != nil && ctx.Err() == nil {
		fmt.Fprintf(p.Stderr, "say-ur-intent pages: %v\n", err)
		return exitFailed
	}
	return exitOK
}

// showPages shows the pages of the server.
func (s options) showPages(ctx context.Context, p process, proxy *door.Proxy) error {
	proxy.Hello.Kind = door.KindPages
	ask := func() (at atPages, err error) {
		err = proxy.Answers(ctx, func(line json.RawMessage) error { return json.Unmarshal(line, &at) })
		if err == nil && at.Link == "" {
			err = errors.New("the server gave no link; server.log in the data directory says why")
		}
		return at, err
	}
	at, err := ask()
	if err != nil {
		return err
	}
	at.print(p.Stdout, s)
	a := &app{options: s, log: newLog(p.Stderr), now: p.Now}
	browser, done := a.openBrowser(s.openBrowser, p.Getenv)
	defer done()
	if !browser.Unasked {
		return nil
	}
	// The link that was printed stays good for another opening.
	if at, err = ask(); err == nil && browser.Start(ctx, at.Link) == nil {
		keepLaunch(ctx)
	}
	return nil
}

// showHere shows the pages of this process, until ctx ends.
func showHere(ctx context.Context, a *app) error {
	at, err := a.atPages(ctx)
	if err != nil {
		return err
	}
	at.print(a.process.Stdout, a.options)
	fmt.Fprintln(a.process.Stdout, "Ctrl-C ends this.")
	browser, done := a.openBrowser(a.options.openBrowser, a.process.Getenv)
	defer done()
	if browser.Unasked {
		if at, err := a.atPages(ctx); err == nil {
			_ = browser.Start(ctx, at.Link) // what went wrong is in the log
		}
	}
	<-ctx.Done()
	return nil
}

// atPages makes a link to the home page.
func (a *app) atPages(ctx context.Context) (atPages, error) {
	unsettled, err := a.db.Unsettled(ctx)
	if err != nil {
		return atPages{}, err
	}
	link, err := a.link(ctx, pagetoken.Home, pagetoken.HomeSubject)
	return atPages{link, a.served.origin, len(unsettled)}, err
}

func (at atPages) print(w io.Writer, s options) {
	fmt.Fprintf(w, "Pages at %s for %s. Reviews waiting for a result: %d.\n"+waitsLine+"%s\n",
		at.Origin, s.network.answer, at.Waiting, at.Link)
}

// keepLaunch waits while the browser may still read a file of this process.
func keepLaunch(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(launchLife):
	}
}
