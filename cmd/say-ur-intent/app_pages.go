package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strconv"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/pass"
	"github.com/sayurintent/sayurintent/review/web"
)

// openPages serves the pages, unless another process of this data directory
// does; then this one serves tools alone, and says so.
func (a *app) openPages(ctx context.Context, local http.Handler) error {
	owner, err := a.db.Own(ctx)
	if err != nil {
		return err
	}
	if !owner {
		a.log.Warn("another Say Ur Intent process serves the pages of this data directory; this one serves tools without pages")
		return nil
	}
	ln, err := a.listen()
	if err != nil {
		return err
	}
	a.pages, err = web.New(web.Config{
		Network: a.settings.network.answer, WalletChain: a.settings.network.walletChain, Sandbox: local,
		Desk: a.desk, Accounts: a.accounts, Reviews: a.reviews, Hub: a.hub,
		Journal: a.db.JournalHead, Waiting: a.db.WaitingReviews, Now: a.now, Log: a.log,
	})
	if err != nil {
		_ = ln.Close()
		return err
	}
	a.origin = "http://" + ln.Addr().String()
	go func() {
		if err := a.pages.Serve(ln); err != nil {
			a.log.Error("the pages ended", "cause", err)
		}
	}()
	a.later(func() { _ = a.pages.Shutdown(context.Background()) })

	watching, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := a.reviews.Run(watching); err != nil && watching.Err() == nil {
			a.log.Error("the receipt watcher ended", "cause", err)
		}
	}()
	a.later(func() { stop(); <-done })
	return nil
}

// listen takes the installation's port, or another one when a foreign program
// has it. A port named by the person is used or refused, never replaced.
func (a *app) listen() (net.Listener, error) {
	loopback := func(port int) (net.Listener, error) {
		return net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	}
	if a.settings.port != 0 {
		ln, err := loopback(a.settings.port)
		if err != nil {
			return nil, fmt.Errorf("port %d of SAY_UR_INTENT_REVIEW_PORT cannot be used: %w", a.settings.port, err)
		}
		return ln, nil
	}
	kept := keptPort(a.settings.dataDir)
	if kept != 0 {
		if ln, err := loopback(kept); err == nil {
			return ln, nil
		}
		a.log.Warn("another program has the port of the pages; another port is used this time", "port", kept)
		return loopback(0)
	}
	ln, err := loopback(0)
	if err != nil {
		return nil, err
	}
	if err := keepPort(a.settings.dataDir, ln.Addr().(*net.TCPAddr).Port); err != nil {
		a.log.Warn("the port of the pages could not be kept for the next start", "cause", err)
	}
	return ln, nil
}

// link makes a one-time link to a page of this process.
func (a *app) link(ctx context.Context, kind pass.Kind, id string) (string, error) {
	if a.pages == nil {
		return "", fault.New(fault.Blocked,
			"Another Say Ur Intent process serves the pages of this data directory. Close the other AI client, "+
				"or ask it for the link.")
	}
	code, err := a.desk.Link(ctx, kind, id, 0)
	if err != nil {
		return "", err
	}
	path := string(kind) + "/" + id
	if kind == pass.Home {
		path = ""
	}
	return a.origin + "/" + path + "#" + code.Reveal(), nil
}

// busy reports whether something of the person still hangs on this process: an
// unsettled release, an open page, or a fresh link that nobody opened yet.
func (a *app) busy(ctx context.Context) bool {
	if a.pages == nil {
		return false
	}
	if a.pages.Connected() > 0 {
		return true
	}
	if unsettled, err := a.db.Unsettled(ctx); err != nil || len(unsettled) > 0 {
		return err == nil
	}
	fresh, err := a.desk.Unopened(ctx, freshLink)
	return err == nil && fresh
}
