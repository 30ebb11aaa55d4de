//go:build unix

package store_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/store"
)

// Who stands by is seen by the process that leaves, and by nobody's guess.
func TestStandBy(t *testing.T) {
	ctx := context.Background()
	dir := filepath.Join(t.TempDir(), "data")
	a, b := open(t, dir, nil, newClock().Now), open(t, dir, nil, newClock().Now)
	awaited := func() bool {
		t.Helper()
		return must[bool](t)(a.Awaited())
	}
	if !must[bool](t)(a.Own(ctx)) || awaited() {
		t.Fatal("somebody stands by before anybody does")
	}
	stand := func(db *store.DB) {
		t.Helper()
		if err := db.StandBy(); err != nil {
			t.Fatal(err)
		}
	}
	stand(b)
	stand(b)
	if !awaited() {
		t.Error("nobody stands by")
	}
	b.StandDown()
	if awaited() {
		t.Error("one that stood down still counts")
	}
	stand(b)
	a.Disown()
	if !must[bool](t)(b.Own(ctx)) || must[bool](t)(a.Own(ctx)) {
		t.Error("the pages did not go over")
	}
	if awaited() {
		t.Error("who serves the pages still stands by")
	}
	stand(a)
	if !must[bool](t)(b.Awaited()) {
		t.Error("the one that left cannot stand by")
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if must[bool](t)(b.Awaited()) {
		t.Error("a closed store stands by")
	}
	t.Run("a killed process stands by no more", func(t *testing.T) {
		p := start(t, "heir", dir)
		if got := p.line(t); got != "stands by" || !must[bool](t)(b.Awaited()) {
			t.Fatalf("the other process said %q", got)
		}
		_ = p.Process.Kill()
		_ = p.Wait()
		if must[bool](t)(b.Awaited()) {
			t.Error("the dead are waited for")
		}
	})
}

func TestAnnounce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	a, b := open(t, dir, nil, newClock().Now), open(t, dir, nil, newClock().Now)
	if text, err := b.Announced(); err != nil || text != nil {
		t.Fatalf("%q, %v", text, err)
	}
	for _, text := range []string{"first", "the second, which is longer"} {
		if err := a.Announce([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if got, err := b.Announced(); err != nil || string(got) != text {
			t.Errorf("%q, %v", got, err)
		}
	}
	if left, err := filepath.Glob(filepath.Join(dir, "owner.json.*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	path := filepath.Join(dir, "owner.json")
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("%v, %v", info.Mode(), err)
	}
	for what, spoil := range map[string]func(t *testing.T){
		"file_shared": func(t *testing.T) { chmod(t, path, 0o640) },
		"file_linked": func(t *testing.T) { link(t, os.Link, path, path+"2") },
		"file_symlink": func(t *testing.T) {
			if err := os.Rename(path, path+"3"); err != nil {
				t.Fatal(err)
			}
			link(t, os.Symlink, path+"3", path)
		},
	} {
		t.Run(what, func(t *testing.T) {
			_ = os.Remove(path)
			if err := a.Announce([]byte("text")); err != nil {
				t.Fatal(err)
			}
			spoil(t)
			_, err := b.Announced()
			wantFault(t, err, fault.InternalError)
			if got := fault.As(err).Detail.Get("store"); got != what {
				t.Errorf("refused as %q: %v", got, err)
			}
		})
	}
	t.Run("a link in its place is replaced, not followed", func(t *testing.T) {
		victim := filepath.Join(t.TempDir(), "victim")
		if err := os.WriteFile(victim, []byte("precious"), 0o600); err != nil {
			t.Fatal(err)
		}
		_ = os.Remove(path)
		link(t, os.Symlink, victim, path)
		if err := a.Announce([]byte("text")); err != nil {
			t.Fatal(err)
		}
		if kept, err := os.ReadFile(victim); err != nil || string(kept) != "precious" {
			t.Errorf("%q, %v", kept, err)
		}
		if got, err := b.Announced(); err != nil || string(got) != "text" {
			t.Errorf("%q, %v", got, err)
		}
	})
	t.Run("the lock files refuse links and foreign eyes", func(t *testing.T) {
		lock := filepath.Join(dir, "heirs.lock")
		if _, err := a.Awaited(); err != nil {
			t.Fatal(err)
		}
		chmod(t, lock, 0o666)
		if _, err := a.Awaited(); err == nil || !strings.Contains(err.Error(), "chmod 600") {
			t.Errorf("%v", err)
		}
	})
}

// A lock on a file that nobody else sees under its name keeps nobody out.
func TestLockReplaced(t *testing.T) {
	ctx := context.Background()
	dir := filepath.Join(t.TempDir(), "data")
	a, b := open(t, dir, nil, newClock().Now), open(t, dir, nil, newClock().Now)
	if !must[bool](t)(a.Own(ctx)) || must[bool](t)(b.Own(ctx)) {
		t.Fatal("two serve the pages, or nobody")
	}
	if err := os.Remove(filepath.Join(dir, "pages.lock")); err != nil {
		t.Fatal(err)
	}
	a.Disown()
	if won, err := b.Own(ctx); won || err == nil {
		t.Errorf("the lock of a removed file is taken: %v, %v", won, err)
	}
	if !must[bool](t)(b.Own(ctx)) || must[bool](t)(a.Own(ctx)) {
		t.Error("a new file is not used by both")
	}
}
