//go:build clients && !windows && !darwin

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/internal/testkit/long"
)

// TestOpenBrowserReally opens a launch file in a real browser. The page must load and exchange the
// code in the link.
func TestOpenBrowserReally(t *testing.T) {
	long.Skip(t, "it starts a browser")
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		t.Fatal("there is no chromium: install the package chromium")
	}
	env, started := withStarter(t, "#!/bin/sh\ntimeout 30 "+chromium+
		" --headless --no-sandbox --disable-gpu --disable-background-networking --no-first-run"+
		" --user-data-dir=\"$STARTED/profile\" --virtual-time-budget=6000 --dump-dom \"file://$1\" > \"$STARTED/dom\" 2>&1\n"+
		"touch \"$STARTED/ended\"\n")
	t.Cleanup(func() { browserEnded(t, started) })
	c, _ := startDesktop(t, t.TempDir(), env, "--open-browser")
	var out struct {
		ID      string `json:"walletSessionId"`
		Opening string `json:"opening"`
	}
	if err := c.call("session.create_wallet_identity", map[string]any{}, &out); err != nil ||
		out.Opening != "browser_started" {
		t.Fatalf("%+v %v", out, err)
	}
	var state struct{ Status string }
	double.Until(t, "the browser opens the session", func() bool {
		if err := c.call("session.get_wallet_identity", map[string]any{"walletSessionId": out.ID}, &state); err != nil {
			t.Fatal(err)
		}
		return state.Status != "pending"
	})
	if state.Status != "opened" {
		t.Errorf("the session is %s", state.Status)
	}
}

// browserEnded waits until the browser and its helper processes, which may outlive it, have stopped
// writing to the profile.
func browserEnded(t *testing.T, started string) {
	t.Helper()
	double.Until(t, "the browser ends", func() bool {
		_, err := os.Stat(filepath.Join(started, "ended"))
		return err == nil && os.RemoveAll(filepath.Join(started, "profile")) == nil
	})
}
