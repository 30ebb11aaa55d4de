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
	// The browser keeps the page open until the test has seen it, or for a minute and a half.
	env, started := withStarter(t, "#!/bin/sh\ntimeout 90 "+chromium+
		" --headless --no-sandbox --disable-gpu --disable-background-networking --no-first-run"+
		" --user-data-dir=\"$STARTED/profile\" \"file://$1\" > \"$STARTED/log\" 2>&1 &\n"+
		"i=0\nwhile [ ! -e \"$STARTED/seen\" ] && [ $i -lt 900 ]; do sleep 0.1; i=$((i + 1)); done\n"+
		"kill $!\nwait\ntouch \"$STARTED/ended\"\n")
	t.Cleanup(func() { endBrowser(t, started) })
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

// endBrowser ends the browser, and waits until it and its helper processes, which may outlive it,
// have stopped writing to the profile.
func endBrowser(t *testing.T, started string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(started, "seen"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	double.Until(t, "the browser ends", func() bool {
		_, err := os.Stat(filepath.Join(started, "ended"))
		return err == nil && os.RemoveAll(filepath.Join(started, "profile")) == nil
	})
	if log, err := os.ReadFile(filepath.Join(started, "log")); t.Failed() {
		t.Logf("the browser said %s, %v", log, err)
	}
}
