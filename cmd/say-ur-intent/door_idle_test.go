//go:build unix

package main

import (
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/door"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/settings"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
)

// soon makes a server end after a short idle time.
const soon = "--idle=200ms"

// TestServerStays checks that a server ends when it is no longer needed, and not earlier.
func TestServerStays(t *testing.T) {
	t.Parallel()
	// A server that is not needed ends within a second.
	stays := func(t *testing.T, s *ownServer) {
		t.Helper()
		s.letGo()
		select {
		case err := <-s.end:
			t.Fatalf("it ended: %v %s", err, s.log)
		case <-time.After(3 * time.Second):
		}
	}
	ends := func(t *testing.T, s *ownServer) {
		t.Helper()
		s.letGo()
		if err := s.ends(t); err != nil {
			t.Errorf("%v %s", err, s.log)
		}
	}
	t.Run("nobody ever came", func(t *testing.T) {
		t.Parallel()
		s := serves(t, t.TempDir(), soon)
		ends(t, s)
	})
	t.Run("the data directory was removed", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		s := serves(t, dir) // a session keeps it running
		double.Until(t, "the directory goes", func() bool { return os.RemoveAll(filepath.Join(dir, "sandbox")) == nil })
		if err := s.ends(t); err != nil {
			t.Errorf("%v %s", err, s.log)
		}
	})
	t.Run("session", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		s := serves(t, dir, soon)
		c := joins(t, dir)
		stays(t, s)
		c.stop()
		ends(t, s)
	})
	t.Run("running task", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		s := serves(t, dir, soon)
		c := joins(t, dir)
		watchPrice(t, c.mcpClient)
		c.stop()
		stays(t, s)
	})
	t.Run("open stream of a page", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		s := serves(t, dir, soon)
		var home struct{ Link string }
		if err := askedServer(dir, door.KindPages, &home); err != nil {
			t.Fatal(err)
		}
		page, err := openLink(home.Link)
		if err != nil {
			t.Fatal(err)
		}
		req, err := http.NewRequest(http.MethodGet, page.origin+"/api/stream", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+page.token)
		resp, err := (&http.Client{}).Do(req)
		if err != nil || resp.StatusCode != http.StatusOK {
			t.Fatal(resp, err)
		}
		stays(t, s)
		_ = resp.Body.Close()
		ends(t, s)
	})
	t.Run("link that nobody opened", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		s := serves(t, dir, soon)
		c := joins(t, dir)
		if _, err := connectLink(c.mcpClient); err != nil {
			t.Fatal(err)
		}
		c.stop()
		stays(t, s)
		if n := strings.Count(s.log.String(), "the server keeps running"); n != 1 {
			t.Errorf("it says %d times that it stays: %s", n, s.log)
		}
	})
	t.Run("sharing", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		change := func(on bool) {
			t.Helper()
			a := appAt(t, dir)
			err := a.db.ChangeSettings(t.Context(), func(s *settings.Stored) error {
				s.Sharing = settings.Sharing{On: on, URL: "nats://127.0.0.1:1", Profile: "home"}
				return nil
			})
			a.close()
			if err != nil {
				t.Fatal(err)
			}
		}
		change(true)
		s := serves(t, dir, soon)
		stays(t, s)
	})
	t.Run("release without a result", func(t *testing.T) {
		t.Parallel()
		chain, node := outside(t)
		dir := t.TempDir()
		s := serves(t, dir, soon, node)
		c := joins(t, dir, node)
		tell := &demo{process: process{Stdout: io.Discard, Now: time.Now}, client: c.mcpClient}
		if err := tell.connect(); err != nil {
			t.Fatal(err)
		}
		_, page, err := tell.prepare("10")
		if err != nil {
			t.Fatal(err)
		}
		shown, err := tell.read(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range []sandbox.Fault{{Kind: sandbox.Drop, Times: 1}, {Kind: sandbox.Fail, Method: "GetTransaction"}} {
			if err := chain.Inject(f); err != nil {
				t.Fatal(err)
			}
		}
		if err := tell.sign(page, shown); err != nil {
			t.Fatal(err)
		}
		c.stop()
		stays(t, s)
	})
}

// appAt opens the app on a data directory, in this process.
func appAt(t *testing.T, dir string) *app {
	t.Helper()
	p := environment(map[string]string{dataDirVariable: dir})
	p.Now = time.Now
	o, err := parseOptions(p, []string{"--network", "sandbox"})
	if err != nil {
		t.Fatal(err)
	}
	a, err := newApp(context.Background(), p, o)
	if err != nil {
		t.Fatal(err)
	}
	return a
}
