package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/remotes"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/store"
)

func TestRemotes(t *testing.T) {
	ctx, now := t.Context(), time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	db, err := store.Open(ctx, store.Config{Dir: double.Dir(t), Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	may := func(context.Context) error { return nil }
	ask := func(n byte) error {
		return db.AskRemote(ctx, remotes.Remote{Key: remotes.Key{n}, Profile: "home", Code: "ABC-DEF", AskedAt: now})
	}
	if err := ask(1); err != nil {
		t.Fatal(err)
	}
	if err := db.AdmitRemote(ctx, remotes.Admission{Key: remotes.Key{1}, Code: "ABC-DEF", Name: "cloud",
		Scope:  remotes.ReadOnly,
		EndsAt: now.Add(time.Hour)}, may); err != nil {
		t.Fatal(err)
	}
	if r, ok, err := db.Remote(ctx, remotes.Key{1}); err != nil || !ok || r.State(now) != remotes.Admitted ||
		r.Name != "cloud" {
		t.Errorf("%+v, %t, %v", r, ok, err)
	}
	t.Run("who asks again stays admitted until the person decides", func(t *testing.T) {
		if err := ask(1); err != nil {
			t.Fatal(err)
		}
		if r, _, _ := db.Remote(ctx, remotes.Key{1}); r.State(now) != remotes.Admitted || !r.Asks(now) || r.Name != "cloud" {
			t.Errorf("%+v", r)
		}
	})
	t.Run("of too many that wait the oldest gives way", func(t *testing.T) {
		for n := byte(2); n <= remotes.MostWait+1; n++ {
			now = now.Add(time.Second)
			if err := ask(n); err != nil {
				t.Fatal(err)
			}
		}
		now = now.Add(time.Second)
		if err := ask(100); err != nil {
			t.Fatal(err)
		}
		for n, want := range map[byte]bool{1: true, 2: false, 3: true, 100: true} {
			if _, got, err := db.Remote(ctx, remotes.Key{n}); err != nil || got != want {
				t.Errorf("machine %d is known: %t, %v", n, got, err)
			}
		}
	})
	t.Run("those that were dismissed take no place", func(t *testing.T) {
		for n := byte(101); n <= 101+remotes.MostKept; n++ {
			if err := ask(n); err != nil {
				t.Fatal(err)
			}
			if _, err := db.RevokeRemote(ctx, remotes.Key{n}, may); err != nil {
				t.Fatal(err)
			}
		}
		if err := ask(100); err != nil {
			t.Error(err)
		}
	})
	t.Run("revoked once", func(t *testing.T) {
		for i, want := range []bool{true, false} {
			if gone, err := db.RevokeRemote(ctx, remotes.Key{100}, may); err != nil || gone != want {
				t.Errorf("%d: %t, %v", i, gone, err)
			}
		}
		if r, _, _ := db.Remote(ctx, remotes.Key{100}); r.State(now) != remotes.Revoked {
			t.Errorf("%+v", r)
		}
	})
}
