package store_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/internal/workspace"
)

func TestFolders(t *testing.T) {
	db := open(t, filepath.Join(double.Dir(t), "data"), nil, newClock().Now)
	ctx := t.Context()
	may := func(context.Context) error { return nil }
	refused := errors.New("refused")
	mayNot := func(context.Context) error { return refused }
	f := workspace.Folder{Key: "mine", Root: "/projects/mine", Mode: workspace.ReadOnly}
	if err := db.AddFolder(ctx, f, mayNot); !errors.Is(err, refused) {
		t.Error(err)
	}
	if err := db.AddFolder(ctx, f, may); err != nil {
		t.Fatal(err)
	}
	for _, again := range []workspace.Folder{{Key: "mine", Root: "/other", Mode: workspace.Auto}, {Key: "other",
		Root: "/projects/mine", Mode: workspace.Auto}} {
		if err := db.AddFolder(ctx, again, may); !fault.Is(err, fault.Blocked) {
			t.Errorf("%+v: %v", again, err)
		}
	}
	if _, err := db.SetFolder(ctx, "mine", workspace.Auto, mayNot); !errors.Is(err, refused) {
		t.Error(err)
	}
	if known, err := db.SetFolder(ctx, "none", workspace.Auto, may); err != nil || known {
		t.Error(known, err)
	}
	if known, err := db.SetFolder(ctx, "mine", workspace.Confirm, may); err != nil || !known {
		t.Error(known, err)
	}
	all, err := db.Folders(ctx)
	if err != nil || len(all) != 1 || all[0].Mode != workspace.Confirm || all[0].Root != "/projects/mine" {
		t.Errorf("%+v %v", all, err)
	}
	if known, err := db.SetFolder(ctx, "mine", "", may); err != nil || !known {
		t.Error(known, err)
	}
	if all, err := db.Folders(ctx); err != nil || len(all) != 0 {
		t.Errorf("%+v %v", all, err)
	}
}

func TestChanges(t *testing.T) {
	c := newClock()
	db := open(t, filepath.Join(double.Dir(t), "data"), nil, c.Now)
	ctx := t.Context()
	add := func(id string, state workspace.State) error {
		return db.AddFileChange(ctx, workspace.Change{ID: id, Project: "mine", Root: "/r", Path: "a.move", Diff: "d",
			After: []byte("b"),
			State: state, At: c.Now(), HeldUntil: c.Now().Add(5 * time.Second)})
	}
	state := func(id string) workspace.State {
		v, _, err := db.FileChange(ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		return v.State
	}
	t.Run("a change moves from the state that was meant, and only if the law says so", func(t *testing.T) {
		if err := add("one", workspace.Waiting); err != nil {
			t.Fatal(err)
		}
		refused := errors.New("refused")
		if moved, err := db.MoveFileChange(ctx, "one", workspace.Waiting, workspace.Applying, "",
			func(workspace.Change) error { return refused }); moved || !errors.Is(err, refused) ||
			state("one") != workspace.Waiting {
			t.Error(moved, err)
		}
		if moved, err := db.MoveFileChange(ctx, "one", workspace.Applying, workspace.Applied, "",
			func(workspace.Change) error {
				t.Error("the law was asked of a change in another state")
				return nil
			}); moved || err != nil {
			t.Error(moved, err)
		}
		if moved, err := db.MoveFileChange(ctx, "one", workspace.Waiting, workspace.Declined, "", nil); !moved || err != nil {
			t.Error(moved, err)
		}
	})
	t.Run("no more wait than a person can decide, and what nobody waits for does not count", func(t *testing.T) {
		for i := range workspace.MaxWaiting {
			if err := add(fmt.Sprint("w", i), workspace.Waiting); err != nil {
				t.Fatal(err)
			}
		}
		if err := add("more", workspace.Waiting); !errors.Is(err, workspace.ErrMany) {
			t.Error(err)
		}
		c.Advance(6 * time.Second)
		if err := db.HoldFileChange(ctx, "w0", c.Now().Add(5*time.Second)); err != nil {
			t.Fatal(err)
		}
		if err := add("more", workspace.Waiting); err != nil {
			t.Error(err)
		}
		if state("w0") != workspace.Waiting || state("w1") != workspace.Withdrawn {
			t.Error(state("w0"), state("w1"))
		}
	})
}
