//go:build unix

package main

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/relay"
	"github.com/sayurintent/sayurintent/internal/remotes"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/internal/testkit/long"
	"github.com/sayurintent/sayurintent/internal/testkit/natskit"
)

// machine opens an app on a data directory, in this process.
func machine(t *testing.T, dir string) *app {
	t.Helper()
	p := process{Stderr: &logged{t: t}, Stdout: io.Discard, Now: time.Now,
		Getenv: func(name string) string { return map[string]string{dataDirVariable: dir}[name] }}
	s, err := parseOptions(p, []string{"--network", "sandbox"})
	if err != nil {
		t.Fatal(err)
	}
	a, err := newApp(t.Context(), p, s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.close)
	return a
}

// settingsPage opens the settings page through the home page, as a user would.
func settingsPage(t *testing.T, a *app) *person {
	t.Helper()
	link, err := a.ownLink(t.Context(), pagetoken.Home, pagetoken.HomeSubject)
	if err != nil {
		t.Fatal(err)
	}
	home, err := openLink(link)
	if err != nil {
		t.Fatal(err)
	}
	return visit(t, home, pagetoken.Settings, pagetoken.SettingsSubject)
}

// shares changes the sharing setting on the page, and confirms it if asked.
func shares(t *testing.T, page *person, wish map[string]any) {
	t.Helper()
	path := "/api/settings/" + page.id + "/sharing"
	var out struct {
		Done    bool
		Confirm string
	}
	if err := page.post(path, wish, &out); err != nil {
		t.Fatal(err)
	}
	if wish["on"] == true {
		if out.Done || out.Confirm == "" {
			t.Fatalf("it is on without a second word: %+v", out)
		}
		wish["confirm"] = out.Confirm
		if err := page.post(path, wish, &out); err != nil {
			t.Fatal(err)
		}
	}
	if !out.Done {
		t.Fatalf("%+v", out)
	}
}

// TestSharingSwitch turns sharing on, changes its server, and turns it off on the settings page.
// Each change must take effect without a restart.
func TestSharingSwitch(t *testing.T) {
	long.Skip(t, "it waits for NATS servers that come and go")
	first, second := natskit.Own(t, 0), natskit.Own(t, 0)
	dir := t.TempDir()
	a := machine(t, dir)
	page := settingsPage(t, a)
	shown := func(what string) {
		t.Helper()
		double.Until(t, "the page shows: "+what, func() bool {
			return strings.Contains(read(t, page, "/api/settings/"+page.id+"/view"), what)
		})
	}
	clients := func(s *server.Server, n int) {
		t.Helper()
		double.Until(t, "as many programs are connected", func() bool { return s.NumClients() == n })
	}
	shown("Nothing is shared.")
	wish := func(url string) map[string]any { return map[string]any{"on": true, "url": url, "profile": "home"} }
	shares(t, page, wish(first.ClientURL()))
	shown("</b>: connected to " + first.ClientURL())

	nc, err := relay.Dial(second.ClientURL(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	profile, err := relay.OpenProfile(t.TempDir(), relay.Connecting, "home")
	if err != nil {
		t.Fatal(err)
	}
	guest := &relay.Guest{NATS: nc, Profile: profile, Now: time.Now}
	if _, err := guest.Pair(t.Context()); !errors.Is(err, relay.ErrAbsent) {
		t.Fatalf("another server than the chosen one: %v", err)
	}
	shares(t, page, wish(second.ClientURL()))
	shown("</b>: connected to " + second.ClientURL())
	clients(first, 0)
	paired, err := guest.Pair(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	profile.Peer = &paired.Peer
	if err := a.db.AdmitRemote(t.Context(), remotes.Admission{Key: profile.Own.Public, Code: paired.Code, Name: "cloud",
		Scope:  remotes.AllTools,
		EndsAt: time.Now().Add(time.Hour)}, func(context.Context) error { return nil }); err != nil {
		t.Fatal(err)
	}
	open, err := guest.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}

	clients(second, 2) // the guest and the server
	a.close()
	next := machine(t, dir)
	t.Run("the next server shares in the place of the one before", func(t *testing.T) {
		clients(second, 2)
		double.Until(t, "what was open has ended", func() bool {
			select {
			case <-open.Done():
				return true
			default:
				return false
			}
		})
		double.Until(t, "it serves who was admitted", func() bool { open, err = guest.Open(t.Context()); return err == nil })
	})
	shown("</b>: connected to " + second.ClientURL())
	second.Shutdown()
	shown("</b>: not connected: ")
	shares(t, page, wish("nats://127.0.0.1:1"))
	shown("</b>: not connected: cannot use the NATS server")
	shares(t, page, wish(first.ClientURL()))
	shown("</b>: connected to " + first.ClientURL())
	shares(t, page, map[string]any{"on": false})
	shown("Nothing is shared.")
	clients(first, 0)
	shown(`value="` + first.ClientURL() + `"`)
	t.Run("off, a program starts without it", func(t *testing.T) {
		next.close()
		machine(t, dir)
		shown("Nothing is shared.")
		clients(first, 0)
	})
}
