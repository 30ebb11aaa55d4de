package store_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/store"
)

// openCoins contains a gas coin and another coin.
var openCoins = []sui.ObjectRef{{ID: sui.MustAddress("0xc1"), Version: 4, Digest: sui.Digest{1}},
	{ID: sui.MustAddress("0xc2"), Version: 5, Digest: sui.Digest{2}}}

// twoCoins returns a transaction that uses both coins.
func twoCoins(t *testing.T, account sui.Address) sui.Material {
	t.Helper()
	tx := sui.Transaction{Sender: account, Expiration: sui.EpochExpiration{Epoch: 5},
		Inputs:   []sui.Input{sui.OwnedInput{Ref: openCoins[1]}},
		Commands: []sui.Command{sui.MergeCoins{Into: sui.GasCoin, Sources: []sui.Argument{sui.InputArg(0)}}},
		Gas:      sui.Gas{Payment: openCoins[:1], Owner: account, Price: 1000, Budget: 5_000_000}}
	raw, err := tx.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return sui.NewMaterial(raw)
}

// openHouse returns a store in which review "a" has an open release.
func openHouse(t *testing.T) (db *store.DB, c *double.Clock, dir string, v record.Release) {
	t.Helper()
	ctx := context.Background()
	c, dir = newClock(), filepath.Join(double.Dir(t), "data")
	db = open(t, dir, nil, c.Now)
	s := proposed("a", c)
	s.Status, s.ChainID, s.Intent = record.Ready, "chain", plan.Intent{Type: "transfer", Recipient: "0x1"}
	m := twoCoins(t, s.Account)
	v = release(m.Digest(), "n")
	v.At, v.GasCoin, v.Inputs = c.Now(), openCoins[0], openCoins
	v.Facts = factsOf(s.Account, openCoins[0])
	if err := db.CreateReview(ctx, s); err != nil {
		t.Fatal(err)
	}
	_, err := db.Change(ctx, "a", "built", func(r *record.Row) error {
		r.Materials = []record.Material{{Digest: m.Digest(), Bytes: m, CreatedAt: c.Now()}}
		return bump(r)
	})
	if err == nil {
		_, err = db.Release(ctx, "a", func(r *record.Row) (record.Release, error) {
			r.Session.Releases = append(r.Session.Releases, v)
			return v, bump(r)
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	return db, c, dir, v
}

func TestOpenReleases(t *testing.T) {
	ctx := context.Background()
	account := sui.MustAddress("0xa1")
	change := func(t *testing.T, db *store.DB, edit func(*record.Session)) {
		t.Helper()
		if _, err := db.Change(ctx, "a", "edited",
			func(r *record.Row) error { edit(&r.Session); return bump(r) }); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("it is told to every other review of the account, inside the release too", func(t *testing.T) {
		db, c, _, v := openHouse(t)
		want := []record.OpenRelease{{Review: "a", Protocol: "deep", Action: "swap", ChainID: "chain",
			Intent: plan.Intent{Type: "transfer", Recipient: "0x1"}, Release: v}}
		if diff := cmp.Diff(want, must[[]record.OpenRelease](t)(db.Open(ctx, account))); diff != "" {
			t.Error(diff)
		}
		create(t, db, c, "b")
		_, err := db.Release(ctx, "b", func(r *record.Row) (record.Release, error) {
			if diff := cmp.Diff(want, must[[]record.OpenRelease](t)(r.Open())); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff([]record.ID{"a"}, must[[]record.ID](t)(r.ReleasedBy(v.Digest))); diff != "" {
				t.Error(diff)
			}
			return release(sui.Digest{9}, "b"), context.Canceled
		})
		if err == nil {
			t.Fatal("the law's refusal is lost")
		}
	})
	t.Run("of one that an older version recorded, the bytes say what it uses up", func(t *testing.T) {
		db, _, dir, _ := openHouse(t)
		alter(t, dir, "UPDATE releases SET inputs_json = NULL")
		got := must[[]record.OpenRelease](t)(db.Open(ctx, account))
		if len(got) != 1 || !cmp.Equal(got[0].Release.Inputs, openCoins) {
			t.Fatalf("%+v", got)
		}
		alter(t, dir, "DELETE FROM materials")
		if got = must[[]record.OpenRelease](t)(db.Open(ctx, account)); len(got) != 1 ||
			got[0].Release.GasCoin != openCoins[0] {
			t.Errorf("without its bytes: %+v", got)
		}
	})
	t.Run("another account has none", func(t *testing.T) {
		db, _, _, _ := openHouse(t)
		if got := must[[]record.OpenRelease](t)(db.Open(ctx, sui.MustAddress("0xa2"))); len(got) != 0 {
			t.Error(got)
		}
	})
	t.Run("proof closes it, and so does the end of its review", func(t *testing.T) {
		for name, edit := range map[string]func(*record.Session){
			"dead":    func(s *record.Session) { s.Releases[0].Dead = true },
			"success": func(s *record.Session) { s.Status = record.Success },
			"failure": func(s *record.Session) { s.Status = record.Failure },
		} {
			db, _, _, v := openHouse(t)
			change(t, db, edit)
			if got := must[[]record.OpenRelease](t)(db.Open(ctx, account)); len(got) != 0 {
				t.Errorf("%s: %+v", name, got)
			}
			if of := must[[]record.ID](t)(db.ReleasedBy(ctx, v.Digest)); len(of) != 1 {
				t.Errorf("%s: nobody remembers that it was handed out", name)
			}
		}
	})
	t.Run("nothing else does", func(t *testing.T) {
		for _, status := range record.Statuses() {
			db, _, _, _ := openHouse(t)
			change(t, db, func(s *record.Session) { s.Status, s.Releases[0].Outcome = status, record.OutcomeDeclined })
			if got := must[[]record.OpenRelease](t)(db.Open(ctx, account)); len(got) == 0 && !status.Terminal() {
				t.Errorf("in the status %s it is called closed", status)
			}
		}
	})
	t.Run("that a person wants both is kept with the review", func(t *testing.T) {
		db, _, dir, _ := openHouse(t)
		change(t, db, func(s *record.Session) { s.Again = true })
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		if s := must[record.Session](t)(open(t, dir, nil, newClock().Now).Review(ctx, "a")); !s.Again {
			t.Error("it is lost")
		}
	})
}
