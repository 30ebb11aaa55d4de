//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/testkit/natskit"
	"github.com/sayurintent/sayurintent/internal/workspace"
)

// TestWhatToDoAboutIt checks that error messages state the actual cause and how to fix it.
func TestWhatToDoAboutIt(t *testing.T) {
	dir := t.TempDir()
	at := func(t *testing.T, args ...string) (code int, out, errs string) {
		t.Helper()
		var said, wrong bytes.Buffer
		p := process{Stdin: strings.NewReader(""), Stdout: &said, Stderr: &wrong, Now: time.Now,
			Getenv: func(name string) string { return map[string]string{dataDirVariable: dir}[name] }}
		code = run(p, args)
		return code, said.String(), wrong.String()
	}
	t.Run("doctor: an address that is none", func(t *testing.T) {
		for address, want := range map[string]string{
			"graphql.example": "A GraphQL address is https://host[:port]/path",
			"htps://a.b":      "A GraphQL address is https://host[:port]/path",
			"https://a b":     "This is not a valid GraphQL URL",
		} {
			_, findings, _ := examine(t, map[string]string{"SUI_GRPC_URL": "http://127.0.0.1:9", "SUI_GRAPHQL_URL": address,
				dataDirVariable: dir})
			f := findings["graphql"]
			if !strings.HasPrefix(f.What, want) || !strings.Contains(f.Next, "Correct the address (SUI_GRAPHQL_URL)") {
				t.Errorf("%s: %+v", address, f)
			}
		}
	})
	t.Run("connect --pair: nobody shares", func(t *testing.T) {
		url := natskit.Server(t, 0)
		want := "say-ur-intent connect: no machine shares the profile home over this NATS server. " +
			"Run there: say-ur-intent share --nats " + url + " --profile home\n"
		if code, _, errs := at(t, "connect", "--nats", url, "--profile", "home", "--pair"); code != exitUnreachable ||
			errs != want {
			t.Errorf("code %d, %q, want %q", code, errs, want)
		}
	})
	for _, command := range []string{"share", "connect"} {
		t.Run(command+": no profile", func(t *testing.T) {
			want := "say-ur-intent " + command + ": name the connection, with the same name on both machines: --profile home\n"
			if code, _, errs := at(t, command, "--nats", "nats://127.0.0.1:1"); code != exitBadInput || errs != want {
				t.Errorf("code %d, %q, want %q", code, errs, want)
			}
		})
	}
	t.Run("--manual-test: no such project", func(t *testing.T) {
		a := machine(t, dir)
		a.options.manualTest = "dex"
		want := "--manual-test dex: no project is registered. Register one on the settings page: say-ur-intent pages"
		if err := a.checkManualTest(t.Context()); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
		may := func(context.Context) error { return nil }
		if err := a.db.AddFolder(t.Context(), workspace.Folder{Key: "vault", Root: t.TempDir(), Mode: workspace.ReadOnly},
			may); err != nil {
			t.Fatal(err)
		}
		want = "--manual-test dex: no project has this key. Registered: vault"
		if err := a.checkManualTest(t.Context()); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
		a.options.manualTest = "vault"
		if err := a.checkManualTest(t.Context()); err != nil {
			t.Error(err)
		}
	})
	t.Run("--manual-test: for a client of the shared server", func(t *testing.T) {
		p := process{Getenv: func(string) string { return "" }}
		err := options{dataDir: dir, manualTest: "dex"}.byServer(t.Context(), p, []string{"--manual-test", "dex"}, nil, nil)
		want := "--http and --manual-test need --standalone or the command serve"
		if f := (*failure)(nil); !errors.As(err, &f) || f.code != exitBadInput || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	})
	t.Run("status: a server that stays for a link", func(t *testing.T) {
		var said bytes.Buffer
		serverStatus{Network: "sandbox", PID: 1, Stays: "a link of the last 10 minutes was not opened"}.print(&said)
		if !strings.Contains(said.String(),
			"\n  Stays       for you, because a link of the last 10 minutes was not opened\n") {
			t.Error(said.String())
		}
	})
}

// TestStatusFirst checks that a status begins with the most important facts.
func TestStatusFirst(t *testing.T) {
	var said bytes.Buffer
	serverStatus{Network: "sandbox", PID: 1, Pages: "http://127.0.0.1:1", Stopped: true, Open: 2, Waiting: 1, Sessions: 3,
		Version: "1.0.0", Started: "a person"}.print(&said)
	want := `Running on sandbox
  Signing     paused by you; resume it on the settings page
  For you     open reviews: 2, without a result yet: 1
  Pages       http://127.0.0.1:1 (open them: say-ur-intent pages --network sandbox)
  AI clients  3 connected
`
	if !strings.HasPrefix(said.String(), want) {
		t.Errorf("%s\nwant\n%s", &said, want)
	}
}
