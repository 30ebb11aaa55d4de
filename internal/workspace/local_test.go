package workspace_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/internal/workspace"
	"github.com/sayurintent/sayurintent/store"
)

// bench is a project in a folder, registered in a store on disk.
type bench struct {
	t     *testing.T
	ctx   context.Context
	dir   string // of the project
	data  string // of the store
	db    *store.DB
	local *workspace.Local
	ahead atomic.Int64 // of the clock
}

const vault = `module my_vault::vault;

use my_vault::math;

public fun rebalance(amount: u64): u64 {
    math::double(amount)
}
`

const manifest = `[package]
name = "my_vault"
edition = "2024"

[addresses]
my_vault = "0x0"
`

const published = `[published.mainnet]
published-at = "0xbb"
original-id = "0xaa"
version = 2
`

func files() map[string]string {
	return map[string]string{
		"Move.toml": manifest, "Published.toml": published, "sources/vault.move": vault,
		"sources/math.move": "module my_vault::math;\n\npublic fun double(n: u64): u64 {\n    n * 2\n}\n",
	}
}

func newBench(t *testing.T, mode workspace.Mode, chain workspace.Chain) *bench {
	t.Helper()
	b := &bench{t: t, ctx: t.Context(), dir: t.TempDir(), data: filepath.Join(t.TempDir(), "data")}
	for name, text := range files() {
		b.write(name, text)
	}
	b.db, b.local = b.process(chain)
	b.register("my-vault", b.dir, mode)
	return b
}

// process opens the store as a further process does.
func (b *bench) process(chain workspace.Chain) (*store.DB, *workspace.Local) {
	b.t.Helper()
	db, err := store.Open(b.ctx, store.Config{Dir: b.data, Now: b.now})
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { _ = db.Close() })
	return db, workspace.NewLocal(workspace.Config{Registry: db, Changes: db, Chain: chain, Now: b.now})
}

func (b *bench) now() time.Time { return time.Now().Add(time.Duration(b.ahead.Load())) }

func (b *bench) register(key, dir string, mode workspace.Mode) {
	b.t.Helper()
	if err := b.db.AddFolder(b.ctx, workspace.Folder{Key: key, Root: dir, Mode: mode}, allowed); err != nil {
		b.t.Fatal(err)
	}
}

func allowed(context.Context) error { return nil }

func (b *bench) write(name, text string) {
	b.t.Helper()
	path := filepath.Join(b.dir, filepath.FromSlash(name))
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) read(name string) string {
	b.t.Helper()
	data, err := os.ReadFile(filepath.Join(b.dir, filepath.FromSlash(name)))
	if err != nil {
		b.t.Fatal(err)
	}
	return string(data)
}

// apply requests a change and returns its outcome.
func (b *bench) apply(r workspace.ChangeRequest) (*workspace.ChangeAnswer, error) {
	return b.local.ApplyChange(b.ctx, "my-vault", r)
}

// outcome is the result of ApplyChange.
type outcome struct {
	answer *workspace.ChangeAnswer
	err    error
}

// ask requests a change that the user must confirm, and returns its ID once it waits.
func (b *bench) ask(ctx context.Context, r workspace.ChangeRequest) (string, chan outcome) {
	b.t.Helper()
	c, err := b.local.Propose(b.ctx, "", "my-vault", r)
	if err != nil || c.State != workspace.Waiting {
		b.t.Fatalf("it does not wait: %s, %v", c.State, err)
	}
	done := make(chan outcome, 1)
	go func() {
		a, err := b.local.Finish(ctx, c)
		done <- outcome{a, err}
	}()
	return c.ID, done
}

func (b *bench) state(id string) workspace.State {
	b.t.Helper()
	c, ok, err := b.db.FileChange(b.ctx, id)
	if err != nil || !ok {
		b.t.Fatal(ok, err)
	}
	return c.State
}

var toThree = workspace.ChangeRequest{Path: "sources/math.move", Search: "n * 2", Replace: "n * 3"}

// noRest fails when a file that was being written was left behind.
func (b *bench) noRest() {
	b.t.Helper()
	list, err := filepath.Glob(filepath.Join(b.dir, "sources", ".say-ur-intent-*"))
	if err != nil || len(list) > 0 {
		b.t.Errorf("left behind: %v, %v", list, err)
	}
}

func TestApply(t *testing.T) {
	t.Run("read_only: R001-47 a project is changed only where the person allowed it", func(t *testing.T) {
		b := newBench(t, workspace.ReadOnly, nil)
		if _, err := b.apply(toThree); !errors.Is(err, workspace.ErrReadOnly) {
			t.Error(err)
		}
		if !strings.Contains(b.read(toThree.Path), "n * 2") {
			t.Error("it was written")
		}
	})
	t.Run("R001-47 auto: written at once, with a diff", func(t *testing.T) {
		b := newBench(t, workspace.Auto, nil)
		a, err := b.apply(toThree)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.read(toThree.Path), "n * 3") || !strings.Contains(a.Diff, "-    n * 2\n+    n * 3") ||
			strings.Contains(a.Diff, b.dir) {
			t.Errorf("%s", a.Diff)
		}
		if text := a.Markdown(); !strings.HasPrefix(text, "## 修改文件: math.move\n\n**状态**: applied") {
			t.Error(text)
		}
		b.noRest()
	})
	t.Run("R001-47 confirm: the person applies it, in whichever process", func(t *testing.T) {
		b := newBench(t, workspace.Confirm, nil)
		id, done := b.ask(b.ctx, toThree)
		_, other := b.process(nil)
		if _, err := other.Decide(b.ctx, id, true, allowed); err != nil {
			t.Fatal(err)
		}
		if o := <-done; o.err != nil || o.answer.ID != id || !strings.Contains(b.read(toThree.Path), "n * 3") {
			t.Error(o.err)
		}
		b.noRest()
	})
	t.Run("R001-47 declined: nothing is written", func(t *testing.T) {
		b := newBench(t, workspace.Confirm, nil)
		id, done := b.ask(b.ctx, toThree)
		if _, err := b.local.Decide(b.ctx, id, false, allowed); err != nil {
			t.Fatal(err)
		}
		if o := <-done; !errors.Is(o.err, workspace.ErrDeclined) || strings.Contains(b.read(toThree.Path), "n * 3") {
			t.Error(o.err)
		}
	})
	t.Run("never applied after its caller was told that it failed", func(t *testing.T) {
		b := newBench(t, workspace.Confirm, nil)
		ctx, give := context.WithTimeout(b.ctx, 100*time.Millisecond)
		defer give()
		id, done := b.ask(ctx, toThree)
		if o := <-done; !errors.Is(o.err, workspace.ErrWithdrawn) {
			t.Error(o.err)
		}
		if _, err := b.local.Decide(b.ctx, id, true, allowed); !errors.Is(err, workspace.ErrOver) {
			t.Error(err)
		}
		if strings.Contains(b.read(toThree.Path), "n * 3") {
			t.Error("it was written")
		}
	})
	t.Run("kill: a caller that is gone without a word is taken as one that was told", func(t *testing.T) {
		b := newBench(t, workspace.Confirm, nil)
		// what a process leaves behind if it is killed while it waits
		c := waiting(b)
		b.ahead.Add(int64(6 * time.Second))
		if _, err := b.local.Decide(b.ctx, c.ID, true, allowed); !errors.Is(err, workspace.ErrOver) {
			t.Error(err)
		}
		if strings.Contains(b.read(toThree.Path), "n * 3") {
			t.Error("it was written")
		}
	})
	t.Run("kill while it is written: judged by the file", func(t *testing.T) {
		for _, written := range []bool{false, true} {
			b := newBench(t, workspace.Confirm, nil)
			c := waiting(b)
			if moved, err := b.db.MoveFileChange(b.ctx, c.ID, workspace.Waiting, workspace.Applying, "", nil); err != nil ||
				!moved {
				t.Fatal(moved, err)
			}
			want := workspace.Failed
			if written {
				b.write(c.Path, string(c.After))
				want = workspace.Applied
			}
			if err := b.local.Settle(b.ctx, c); err != nil || b.state(c.ID) != want {
				t.Errorf("written %v: %s, %v", written, b.state(c.ID), err)
			}
		}
	})
	t.Run("R001-47 the file was changed between asking and writing", func(t *testing.T) {
		b := newBench(t, workspace.Confirm, nil)
		id, done := b.ask(b.ctx, toThree)
		b.write(toThree.Path, "module my_vault::math;\n// mine\n")
		if _, err := b.local.Decide(b.ctx, id, true, allowed); err == nil || !strings.Contains(err.Error(),
			workspace.ErrBase.Error()) {
			t.Error(err)
		}
		if o := <-done; o.err == nil || !strings.Contains(o.err.Error(), workspace.ErrBase.Error()) {
			t.Error(o.err)
		}
		if b.read(toThree.Path) != "module my_vault::math;\n// mine\n" || b.state(id) != workspace.Failed {
			t.Error("it was written")
		}
		b.noRest()
	})
	t.Run("the mode was taken back between asking and deciding", func(t *testing.T) {
		b := newBench(t, workspace.Confirm, nil)
		ctx, give := context.WithCancel(b.ctx)
		id, done := b.ask(ctx, toThree)
		if _, err := b.db.SetFolder(b.ctx, "my-vault", workspace.ReadOnly, allowed); err != nil {
			t.Fatal(err)
		}
		if _, err := b.local.Decide(b.ctx, id, true, allowed); !errors.Is(err, workspace.ErrReadOnly) {
			t.Error(err)
		}
		give()
		<-done
	})
	t.Run("a page without the right decides nothing", func(t *testing.T) {
		b := newBench(t, workspace.Confirm, nil)
		ctx, give := context.WithCancel(b.ctx)
		id, done := b.ask(ctx, toThree)
		refused := errors.New("refused")
		for _, apply := range []bool{true, false} {
			if _, err := b.local.Decide(b.ctx, id, apply, func(context.Context) error { return refused }); !errors.Is(err,
				refused) {
				t.Errorf("%v: %v", apply, err)
			}
		}
		if b.state(id) != workspace.Waiting {
			t.Error(b.state(id))
		}
		give()
		<-done
	})
}

// waiting leaves a change that waits, as a process does that is killed.
func waiting(b *bench) workspace.Change {
	b.t.Helper()
	before := b.read(toThree.Path)
	now := b.now()
	c := workspace.Change{ID: "edit_left", Project: "my-vault", Root: b.dir, Path: toThree.Path, Before: []byte(before),
		After: []byte(strings.Replace(before, "n * 2", "n * 3", 1)), State: workspace.Waiting, At: now,
		HeldUntil: now.Add(5 * time.Second)}
	if err := b.db.AddFileChange(b.ctx, c); err != nil {
		b.t.Fatal(err)
	}
	return c
}

func TestUndo(t *testing.T) {
	b := newBench(t, workspace.Auto, nil)
	before := b.read(toThree.Path)
	a, err := b.apply(toThree)
	if err != nil {
		t.Fatal(err)
	}
	made, err := b.apply(workspace.ChangeRequest{Path: "sources/new.move", Replace: "module my_vault::new;\n"})
	if err != nil {
		t.Fatal(err)
	}
	t.Run("apply and undo leave the file as it was", func(t *testing.T) {
		if _, err := b.local.Undo(b.ctx, a.ID, allowed); err != nil || b.read(toThree.Path) != before {
			t.Errorf("%v: %q", err, b.read(toThree.Path))
		}
		if _, err := b.local.Undo(b.ctx, a.ID, allowed); !errors.Is(err, workspace.ErrUndo) {
			t.Error("a second time:", err)
		}
	})
	t.Run("what was edited since stays", func(t *testing.T) {
		b.write("sources/new.move", "module my_vault::new;\n// mine\n")
		if _, err := b.local.Undo(b.ctx, made.ID, allowed); !errors.Is(err, workspace.ErrBase) {
			t.Error(err)
		}
		if !strings.Contains(b.read("sources/new.move"), "mine") {
			t.Error("it was taken away")
		}
	})
	t.Run("a file that was made goes away", func(t *testing.T) {
		b.write("sources/new.move", "module my_vault::new;\n")
		if _, err := b.local.Undo(b.ctx, made.ID, allowed); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(filepath.Join(b.dir, "sources", "new.move")); !errors.Is(err, os.ErrNotExist) {
			t.Error(err)
		}
	})
	t.Run("for seven days, after which the contents are forgotten", func(t *testing.T) {
		a, err := b.apply(toThree)
		if err != nil {
			t.Fatal(err)
		}
		b.ahead.Add(int64(7*24*time.Hour + time.Minute))
		if _, err := b.local.Undo(b.ctx, a.ID, allowed); !errors.Is(err, workspace.ErrUndo) {
			t.Error(err)
		}
		if _, err := b.apply(workspace.ChangeRequest{Path: toThree.Path, Search: "n * 3", Replace: "n * 4"}); err != nil {
			t.Fatal(err)
		}
		if c, _, err := b.db.FileChange(b.ctx, a.ID); err != nil || len(c.Before)+len(c.After) > 0 {
			t.Errorf("%d bytes are kept: %v", len(c.Before)+len(c.After), err)
		}
	})
	b.noRest()
}

// failing is a store whose writes fail for a while.
type failing struct {
	*store.DB
	fails atomic.Bool
	tried chan struct{} // a write that failed
}

func (f *failing) MoveFileChange(ctx context.Context, id string, from, to workspace.State, reason string,
	update func(workspace.Change) error) (bool, error) {
	if f.fails.Load() {
		select {
		case f.tried <- struct{}{}:
		default:
		}
		return false, errors.New("the disk is full")
	}
	return f.DB.MoveFileChange(ctx, id, from, to, reason, update)
}

// A change is not reported as failed while the user could still apply it.
func TestWithdrawingIsTriedAgain(t *testing.T) {
	b := newBench(t, workspace.Confirm, nil)
	f := &failing{DB: b.db, tried: make(chan struct{})}
	local := workspace.NewLocal(workspace.Config{Registry: b.db, Changes: f, Now: b.now})
	c, err := local.Propose(b.ctx, "", "my-vault", toThree)
	if err != nil {
		t.Fatal(err)
	}
	f.fails.Store(true)
	ctx, end := context.WithCancel(b.ctx)
	end()
	done := make(chan error, 1)
	go func() { _, err := local.Finish(ctx, c); done <- err }()
	for range 3 {
		double.Next(t, "the store is asked to withdraw it", f.tried)
	}
	select {
	case err := <-done:
		t.Fatalf("told of %v, and the change is %s", err, b.state(c.ID))
	default:
	}
	f.fails.Store(false)
	if err := <-done; !errors.Is(err, workspace.ErrWithdrawn) || b.state(c.ID) != workspace.Withdrawn {
		t.Errorf("%v, %s", err, b.state(c.ID))
	}
}

// TestExecutedFilesAsk: in auto mode, a change of a file that other programs execute waits for the
// user.
func TestExecutedFilesAsk(t *testing.T) {
	b := newBench(t, workspace.Auto, nil)
	b.write(".vscode/tasks.json", "{}\n")
	b.write("tool", "#!/bin/sh\necho 1\n")
	if err := os.Chmod(filepath.Join(b.dir, "tool"), 0o755); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]workspace.State{".vscode/tasks.json": workspace.Waiting, "tool": workspace.Waiting,
		"sources/math.move": workspace.Applying} {
		search := map[string]string{".vscode/tasks.json": "{}", "tool": "echo 1", "sources/math.move": "n * 2"}[path]
		c, err := b.local.Propose(b.ctx, "", "my-vault", workspace.ChangeRequest{Path: path, Search: search,
			Replace: "other"})
		if err != nil || c.State != want {
			t.Errorf("%s: %s %v", path, c.State, err)
		}
	}
	c, err := b.local.Propose(b.ctx, "", "my-vault", workspace.ChangeRequest{Path: "new.sh", Replace: "echo\n"})
	if err != nil || c.State != workspace.Waiting {
		t.Errorf("a new script: %s %v", c.State, err)
	}
}
