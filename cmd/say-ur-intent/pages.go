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

// waitsLine precedes the link. It does not mention the console, whose link the AI client creates.
const waitsLine = "A link to your home page, which works once, within 30 minutes (for a page that updates all " +
	"day, ask your AI client to open the console):\n"

// atPages is what the user is shown about the pages.
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

// runPages prints a link to the home page and opens it if there is a browser. It starts the server
// if needed.
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

// onScreen opens the browser if a user typed the command in a terminal and no flag prevents it.
func onScreen(p process, choice string) string {
	if choice == openAsk && p.screen != nil && p.screen() {
		return openHere
	}
	return choice
}

// showPages shows the server's pages.
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
	// The printed link stays valid, so the browser gets another one.
	if at, err = ask(); err == nil && browser.Start(ctx, at.Link) == nil {
		keepLaunch(ctx)
	}
	return nil
}

// showHere shows this process's pages until ctx ends.
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
			_ = browser.Start(ctx, at.Link) // the log has the error
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

// keepLaunch waits while the browser may still read one of this process's files.
func keepLaunch(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(launchLife):
	}
}
