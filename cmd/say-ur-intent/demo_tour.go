package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/door"
	"github.com/sayurintent/sayurintent/internal/install"
	"github.com/sayurintent/sayurintent/internal/record"
)

// tourTimeout limits one call that waits for the user. The tour repeats such a call indefinitely.
const tourTimeout = 2000 // in milliseconds

// tourLimit is the limit that the tour asks the user to set. tourSwap is an amount above it.
const (
	tourLimit = "5"
	tourSwap  = "10"
)

// guide leads the user through the pages and plays the AI client.
type guide struct {
	*demo
	// open opens a page in the browser. If it fails, the user can open the link, which is always
	// printed.
	open func(ctx context.Context, link string) error
}

// lead runs the tour: connect, swap, order, limit and receipt.
func (g guide) lead(ctx context.Context) error {
	if err := g.start(); err != nil {
		return err
	}
	// Ending the tour also ends a wait for the server.
	defer context.AfterFunc(ctx, g.client.abort)()
	if err := g.connectWallet(ctx); err != nil {
		return err
	}
	digest, err := g.takeSwap(ctx)
	if err != nil {
		return err
	}
	for _, step := range []func(context.Context) error{g.placeOrder, g.setLimit} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return g.showReceipt(ctx, digest)
}

// show prints a link and opens it.
func (g guide) show(ctx context.Context, link string) {
	g.say("%s", link)
	if err := g.open(ctx, link); err != nil {
		g.say("(Open it in a browser on this computer.)")
	}
}

// until calls done until it returns true. Meanwhile, the screen shows what as the reason for the
// wait.
func (g guide) until(ctx context.Context, what string, done func() (bool, error)) error {
	for {
		g.screen.waiting("Waiting for you: " + what + " (Ctrl-C ends the tour)")
		ok, err := done()
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			return err
		case ok:
			return nil
		}
	}
}

func (g guide) connectWallet(ctx context.Context) error {
	g.stage("Connect: “connect my wallet”")
	g.say("The AI client gets a link for you. On the page, choose the test wallet.")
	var session struct {
		ID  string `json:"walletSessionId"`
		URL string `json:"walletUrl"`
	}
	if err := g.client.call("session.create_wallet_identity", map[string]any{}, &session); err != nil {
		return err
	}
	g.show(ctx, session.URL)
	err := g.until(ctx, "choose the wallet on the page", func() (bool, error) {
		var identity struct{ Status string }
		err := g.client.call("session.wait_wallet_identity",
			map[string]any{"walletSessionId": session.ID, "timeoutMs": tourTimeout}, &identity)
		if err == nil && (identity.Status == "rejected" || identity.Status == "failed" || identity.Status == "expired") {
			err = fmt.Errorf("the wallet was not connected (%s); restart the tour", identity.Status)
		}
		return identity.Status == "connected", err
	})
	if err != nil {
		return err
	}
	g.say("Connected. The AI client (simulated by this terminal) now knows the address and nothing else.")
	return nil
}

// review requests a review, shows its page, and waits for the outcome.
func (g guide) review(ctx context.Context, w fields, what string) (*record.Execution, error) {
	var prepared struct {
		ID  string `json:"reviewSessionId"`
		URL string `json:"reviewUrl"`
	}
	if err := g.client.call("action.prepare_sui_action_review", map[string]any{"intent": w}, &prepared); err != nil {
		return nil, err
	}
	g.show(ctx, prepared.URL)
	var result struct {
		Status   string            `json:"status"`
		Category string            `json:"statusCategory"`
		Headline string            `json:"headline"`
		Result   *record.Execution `json:"executionResult"`
	}
	err := g.until(ctx, what, func() (bool, error) {
		err := g.client.call("session.wait_execution_result",
			map[string]any{"reviewSessionId": prepared.ID, "timeoutMs": tourTimeout, "detail": "full"}, &result)
		return result.Category == "final", err
	})
	if err != nil {
		return nil, err
	}
	g.say("%s", result.Headline)
	if result.Status != "success" || result.Result == nil {
		return nil, fmt.Errorf("this review ended as %s, so the tour cannot continue: restart it", result.Status)
	}
	return result.Result, nil
}

func (g guide) takeSwap(ctx context.Context) (digest string, err error) {
	g.stage("Swap: “swap 10 SUI to USDC, at most 0.5 percent worse”")
	g.say("Read what you pay and the minimum you receive. Both are decoded from the bytes. Then press Sign.")
	done, err := g.review(ctx, fields(swapRequest("10")["intent"].(map[string]any)), "read the review, and sign it")
	if err != nil {
		return "", err
	}
	return done.TxDigest, nil
}

func (g guide) placeOrder(ctx context.Context) error {
	g.stage("Order: “sell 10 SUI at " + demoPrice + " USDC each, or better”")
	g.say("Orders are paid from a balance manager. Creating and funding it takes two reviews like the last one.")
	g.say("The tour signs these two for you. You sign the order.")
	if _, err := g.carry(fields{"type": "manager-create"}); err != nil {
		return err
	}
	if _, err := g.carry(fields{"type": "manager-deposit", "from": fields{"symbol": "SUI", "amount": "30"}}); err != nil {
		return err
	}
	order := fields{"pool": "SUI_USDC", "side": "sell", "price": demoPrice, "quantity": "10"}
	_, err := g.review(ctx, fields{"type": "limit-order", "order": order}, "read the order, and sign it")
	return err
}

func (g guide) setLimit(ctx context.Context) error {
	g.stage("Limit: no AI client can exceed your limits")
	g.say("On the settings page, under “Spending limits”, add a limit for one transaction: %s SUI. Then save it.",
		tourLimit)
	var session struct {
		URL string `json:"settingsUrl"`
	}
	if err := g.client.call("settings.create_local_settings_session", map[string]any{}, &session); err != nil {
		return err
	}
	g.show(ctx, session.URL)
	err := g.until(ctx, "set a limit for one transaction, and save it", func() (bool, error) {
		var view struct {
			Limits struct {
				PerTransaction []struct{} `json:"perTransaction"`
			} `json:"spendingLimits"`
		}
		if err := g.client.call("settings.get_local_settings", map[string]any{}, &view); err != nil {
			return false, err
		}
		return len(view.Limits.PerTransaction) > 0, g.pause(ctx)
	})
	if err != nil {
		return err
	}
	g.say("Now the AI client requests a swap of %s SUI again:", tourSwap)
	var prepared struct {
		ID  string `json:"reviewSessionId"`
		URL string `json:"reviewUrl"`
	}
	if err := g.client.call("action.prepare_sui_action_review", swapRequest("10"), &prepared); err != nil {
		return err
	}
	g.show(ctx, prepared.URL)
	var status struct {
		Internal string `json:"internalStatus"`
		Headline string `json:"headline"`
	}
	err = g.until(ctx, "open the review", func() (bool, error) {
		if err := g.client.call("session.get_review_status", map[string]any{"reviewSessionId": prepared.ID},
			&status); err != nil {
			return false, err
		}
		over := status.Internal == string(record.Blocked) || status.Internal == string(record.Ready)
		return over, g.pause(ctx)
	})
	if err != nil {
		return err
	}
	if status.Internal == string(record.Ready) {
		g.say("Your limit allows this one, so the page offers it to your wallet. You can decline it.")
		return nil
	}
	g.say("%s It cannot be signed, whatever the AI client says.", status.Headline)
	return nil
}

// pause waits briefly between two calls.
func (g guide) pause(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(300 * time.Millisecond):
		return nil
	}
}

func (g guide) showReceipt(ctx context.Context, digest string) error {
	g.stage("Receipt: the result on chain, compared with the promise")
	g.say("This page needs no code, because anyone can read the chain. Press the button to load it.")
	origin, err := g.origin()
	if err != nil {
		return err
	}
	g.show(ctx, origin+"/receipt/"+digest)
	g.screen.end()
	return g.offerMore()
}

// offerMore prints links to the pages that the tour did not show, and how to continue.
func (g guide) offerMore() error {
	g.stage("Done. What you can do next")
	var console struct {
		URL string `json:"consoleUrl"`
	}
	if err := g.client.call("events.create_console_session", map[string]any{}, &console); err != nil {
		return err
	}
	pages, err := g.pagesLink()
	if err != nil {
		return err
	}
	g.say("See everything your AI client requested, on the console:")
	g.say("  %s", console.URL)
	g.say("See all your pages, including the address book:")
	g.say("  %s", pages)
	g.say("Use your own wallet and real coins:")
	g.say("  %s", installLine(g.process))
	g.say("The pages stay open until you press Ctrl-C.")
	return nil
}

// pagesLink returns a link to all pages.
func (g guide) pagesLink() (string, error) {
	s := options{network: networks["sandbox"], dataDir: filepath.Join(g.dir, "sandbox")}
	var at atPages
	err := s.askServer(g.process, door.KindPages, &at)
	return at.Link, err
}

// installLine returns the command that adds this program to the first AI client found on this
// machine, or the general command if there is none.
func installLine(p process) string {
	line := "say-ur-intent install"
	if _, err := exec.LookPath("say-ur-intent"); err != nil && len(os.Args) > 0 {
		line = os.Args[0] + " install"
	}
	env, err := machineOf(p)
	if err != nil {
		return line
	}
	for _, c := range clientsHere() {
		if slices.ContainsFunc(c.Places(env), func(place install.Place) bool { return place.Here }) {
			return line + " " + c.Name
		}
	}
	return line
}

// origin returns the origin of the pages, which it takes from a fresh link.
func (g guide) origin() (string, error) {
	var session struct {
		URL string `json:"walletUrl"`
	}
	if err := g.client.call("session.create_wallet_identity", map[string]any{}, &session); err != nil {
		return "", err
	}
	scheme, rest, ok := strings.Cut(session.URL, "://")
	host, _, _ := strings.Cut(rest, "/")
	if !ok || host == "" {
		return "", errors.New("the server did not report the address of its pages")
	}
	return scheme + "://" + host, nil
}

// opener returns a function that opens a link in this machine's browser, if it has one.
func (d *demo) opener() func(context.Context, string) error {
	command := browserCommand(d.Getenv, exec.LookPath)
	if command == nil {
		return func(context.Context, string) error { return errors.New("no browser can be started") }
	}
	l := &launcher{dir: filepath.Join(d.dir, launchDir), command: command, files: map[string]*time.Timer{},
		log: slog.New(slog.NewTextHandler(io.Discard, nil))}
	d.undo = append(d.undo, l.close)
	return l.start
}
