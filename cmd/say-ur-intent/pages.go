package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/sayurintent/sayurintent/internal/door"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
)

// waitsLine introduces the link. It does not mention the console, because only AI clients create
// links to it.
const waitsLine = "A link to your home page, which works once, within 30 minutes (for a page that updates all " +
	"day, ask your AI client to open the console):\n"

// atPages is the server's answer to a command that asks for the pages.
type atPages struct {
	Link    string `json:"link"`    // one-time link to the home page
	Origin  string `json:"origin"`  // origin of all pages
	Waiting int    `json:"waiting"` // number of reviews with an unsettled transaction
}

func pagesCommand(p process) *cobra.Command {
	flags := newServerFlags()
	flags.hide(sessionFlags...)
	cmd := &cobra.Command{Use: "pages", Short: "Open your pages",
		Long: "Prints a link to your pages, and opens it in the browser if you type this in a terminal.\nThe link " +
			"works once. If no server is running, this starts one.",
		Example: examples("say-ur-intent pages", "say-ur-intent pages --open-browser=never"),
		Args:    noArguments, RunE: func(*cobra.Command, []string) error { return runPages(p, flags) }}
	cmd.Flags().AddFlagSet(flags.set)
	return cmd
}

// runPages prints a link to the home page, and opens it if this machine has a browser. It starts
// the server if none is running.
func runPages(p process, flags *serverFlags) error {
	s, err := flags.options(p)
	if err != nil {
		return err
	}
	s.openBrowser = onScreen(p, s.openBrowser)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err = s.byServer(ctx, p, flags.args(), func(proxy *door.Proxy) error { return s.showPages(ctx, p, proxy) }, showHere)
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// onScreen makes the browser open without asking if the user typed the command in a terminal and
// set no flag against it.
func onScreen(p process, choice string) string {
	if choice == openAsk && p.screen != nil && p.screen() {
		return openHere
	}
	return choice
}

// showPages prints and opens a link to the pages of the data directory's server.
func (s options) showPages(ctx context.Context, p process, proxy *door.Proxy) error {
	proxy.Hello.Kind = door.KindPages
	ask := func() (at atPages, err error) {
		err = proxy.Answers(ctx, func(line json.RawMessage) error { return json.Unmarshal(line, &at) })
		if err == nil && at.Link == "" {
			err = errors.New("the server returned no link; see server.log in the data directory")
		}
		return at, err
	}
	at, err := ask()
	if err != nil {
		return err
	}
	at.print(p.Stdout, s)
	a := newSetup(p, s)
	browser, done := a.openBrowser(s.openBrowser, p.Getenv)
	defer done()
	if !browser.Unasked {
		return nil
	}
	// The browser gets a second link, so that the printed one can still be used.
	if at, err = ask(); err == nil && browser.Start(ctx, at.Link) == nil {
		keepLaunch(ctx)
	}
	return nil
}

// showHere prints and opens a link to this process's pages, and keeps them open until ctx ends.
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
			_ = browser.Start(ctx, at.Link) // the error is in the log
		}
	}
	<-ctx.Done()
	return nil
}

// atPages creates a link to the home page.
func (a *app) atPages(ctx context.Context) (atPages, error) {
	unsettled, err := a.db.Unsettled(ctx)
	if err != nil {
		return atPages{}, err
	}
	link, err := a.ownLink(ctx, pagetoken.Home, pagetoken.HomeSubject)
	return atPages{link, a.served.origin, len(unsettled)}, err
}

func (at atPages) print(w io.Writer, s options) {
	fmt.Fprintf(w, "Pages at %s for %s. Transactions without a result: %d.\n"+waitsLine+"%s\n",
		at.Origin, s.network.answer, at.Waiting, at.Link)
}

// keepLaunch waits until the browser should have read the file that redirects to the link.
func keepLaunch(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(launchLife):
	}
}
