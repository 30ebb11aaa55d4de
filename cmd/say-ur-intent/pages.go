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

// waitsLine precedes the link. The console belongs to one AI client, which creates its link.
const waitsLine = "Your home page, by a link that works once, within 30 minutes " +
	"(for a page that stays current all day, ask your AI client to open the console):\n"

// atPages is what the user is told about the pages.
type atPages struct {
	Link    string `json:"link"`    // to the home page, for one opening
	Origin  string `json:"origin"`  // of all pages
	Waiting int    `json:"waiting"` // reviews whose transaction is not settled
}

func pagesCommand(p process) *cobra.Command {
	flags := newServerFlags()
	flags.hide(sessionFlags...)
	cmd := &cobra.Command{Use: "pages", Short: "Open your pages",
		Long: "Prints a link to your pages, and opens it in the browser when you type this in a terminal.\n" +
			"The link works once. It starts the server if none runs.",
		Example: examples("say-ur-intent pages", "say-ur-intent pages --open-browser=never"),
		Args:    noArguments, RunE: func(*cobra.Command, []string) error { return runPages(p, flags) }}
	cmd.Flags().AddFlagSet(flags.set)
	return cmd
}

// runPages prints a link to the home page and opens it, if there is a browser. It starts the server
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

// onScreen opens the browser for a user who types the command in a terminal, unless a flag says
// otherwise.
func onScreen(p process, choice string) string {
	if choice == openAsk && p.screen != nil && p.screen() {
		return openHere
	}
	return choice
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
			_ = browser.Start(ctx, at.Link) // errors are in the log
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
	link, err := a.ownLink(ctx, pagetoken.Home, pagetoken.HomeSubject)
	return atPages{link, a.served.origin, len(unsettled)}, err
}

func (at atPages) print(w io.Writer, s options) {
	fmt.Fprintf(w, "Pages at %s for %s. Transactions without a result: %d.\n"+waitsLine+"%s\n",
		at.Origin, s.network.answer, at.Waiting, at.Link)
}

// keepLaunch waits while the browser may still read a file of this process.
func keepLaunch(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(launchLife):
	}
}
