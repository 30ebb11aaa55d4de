package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/account"
	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/store"
)

// TestWithdraw checks that a review, connect session or request whose creation was not reported to
// the client is deleted, unless the user has already opened it.
func TestWithdraw(t *testing.T) {
	ctx := context.Background()
	linked := func(t *testing.T, db *store.DB, c *double.Clock, kind pagetoken.Kind, subject string, used bool) {
		t.Helper()
		err := db.ChangePage(ctx, kind, subject, func(p *pagetoken.Page) (string, error) {
			l := pagetoken.Link{Code: pagetoken.Hash{byte(len(p.Links)), subject[0], kind[0]}, IssuedAt: c.Now(),
				ExpiresAt: c.Now().Add(time.Hour)}
			if used {
				l.UsedAt = c.Now()
			}
			p.Links = append(p.Links, l)
			return "", nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	taken := func(t *testing.T, db *store.DB, kind pagetoken.Kind, id string) {
		t.Helper()
		for range 2 {
			if err := db.Withdraw(ctx, kind, id); err != nil {
				t.Fatal(err)
			}
		}
	}
	live := func(t *testing.T, db *store.DB, c *double.Clock) int {
		t.Helper()
		return must[int](t)(db.UnopenedLinks(ctx, time.Time{}, c.Now()))
	}
	journal := func(t *testing.T, db *store.DB, kind events.Kind, id string) int {
		t.Helper()
		return len(must[[]events.Entry](t)(db.JournalSince(ctx, kind, id, 0)))
	}
	t.Run("a review with its links, and no other", func(t *testing.T) {
		db, c := fresh(t)
		for _, id := range []string{"one", "two"} {
			if err := db.CreateReview(ctx, proposed(id, c)); err != nil {
				t.Fatal(err)
			}
			linked(t, db, c, pagetoken.Review, id, false)
			linked(t, db, c, pagetoken.Review, id, false)
		}
		taken(t, db, pagetoken.Review, "one")
		_, err := db.Review(ctx, "one")
		wantFault(t, err, fault.SessionNotFound)
		if n := journal(t, db, events.Review, "one"); n != 0 {
			t.Errorf("%d entries of the journal are left", n)
		}
		if _, err := db.Review(ctx, "two"); err != nil || live(t, db, c) != 2 || journal(t, db, events.Review, "two") != 1 {
			t.Errorf("the other one: %v, %d links", err, live(t, db, c))
		}
		if n := journal(t, db, events.Home, pagetoken.HomeSubject); n != 1 {
			t.Errorf("the list is told %d times", n)
		}
	})
	t.Run("a connect session", func(t *testing.T) {
		db, c := fresh(t)
		err := db.CreateIdentity(ctx, account.Identity{ID: "i", Status: account.Pending, CreatedAt: c.Now(),
			UpdatedAt: c.Now(), ExpiresAt: c.Now().Add(time.Hour)})
		if err != nil {
			t.Fatal(err)
		}
		linked(t, db, c, pagetoken.Connect, "i", false)
		taken(t, db, pagetoken.Connect, "i")
		_, err = db.Identity(ctx, "i")
		wantFault(t, err, fault.SessionNotFound)
		if live(t, db, c) != 0 || journal(t, db, events.Identity, "i") != 0 {
			t.Error("something is left")
		}
	})
	t.Run("what somebody opened stays, without the links that nobody opened", func(t *testing.T) {
		db, c := fresh(t)
		if err := db.CreateReview(ctx, proposed("one", c)); err != nil {
			t.Fatal(err)
		}
		linked(t, db, c, pagetoken.Review, "one", true)
		linked(t, db, c, pagetoken.Review, "one", false)
		taken(t, db, pagetoken.Review, "one")
		if _, err := db.Review(ctx, "one"); err != nil {
			t.Error(err)
		}
		err := db.ChangePage(ctx, pagetoken.Review, "one", func(p *pagetoken.Page) (string, error) {
			if len(p.Links) != 1 || p.Links[0].UsedAt.IsZero() {
				t.Errorf("%d links", len(p.Links))
			}
			return "", nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
	t.Run("a review that has moved on stays", func(t *testing.T) {
		db, c := fresh(t)
		if err := db.CreateReview(ctx, proposed("one", c)); err != nil {
			t.Fatal(err)
		}
		_, err := db.Change(ctx, "one", "opened", func(r *record.Row) error {
			r.Session.Status, r.Session.Revision = record.AwaitingWallet, r.Session.Revision+1
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		taken(t, db, pagetoken.Review, "one")
		if _, err := db.Review(ctx, "one"); err != nil {
			t.Error(err)
		}
	})
}

// TestReadPages checks that a page counts even without a stream, if it was used recently and its
// review or connect session has not ended.
func TestReadPages(t *testing.T) {
	ctx := context.Background()
	db, c := fresh(t)
	if err := db.CreateReview(ctx, proposed("one", c)); err != nil {
		t.Fatal(err)
	}
	held := func(kind pagetoken.Kind, subject string) {
		err := db.ChangePage(ctx, kind, subject, func(p *pagetoken.Page) (string, error) {
			p.Passes = append(p.Passes, pagetoken.Held{Token: pagetoken.Hash{kind[0], subject[0]},
				Pass: pagetoken.Pass{ID: string(kind) + subject, Kind: kind, Subject: subject,
					Access: pagetoken.Active, IssuedAt: c.Now(), LastUsedAt: c.Now(), ExpiresAt: c.Now().Add(2 * time.Hour)}})
			return "", nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	count := func() int {
		t.Helper()
		return must[int](t)(db.ReadPages(ctx, c.Now().Add(-10*time.Minute), c.Now()))
	}
	held(pagetoken.Settings, "s")
	held(pagetoken.Review, "unknown")
	if n := count(); n != 0 {
		t.Errorf("%d before a page of a review was used", n)
	}
	held(pagetoken.Review, "one")
	if n := count(); n != 1 {
		t.Errorf("%d with a page", n)
	}
	c.Advance(10 * time.Minute)
	if n := count(); n != 0 {
		t.Errorf("%d ten minutes later", n)
	}
	c.Advance(-5 * time.Minute)
	_, err := db.Change(ctx, "one", "declined", func(r *record.Row) error {
		r.Session.Status, r.Session.Revision = record.Failure, r.Session.Revision+1
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if n := count(); n != 0 {
		t.Errorf("%d although the review is over", n)
	}
	connecting := account.Identity{ID: "i", Status: account.Opened, CreatedAt: c.Now(), UpdatedAt: c.Now(),
		ExpiresAt: c.Now().Add(20 * time.Minute)}
	if err := db.CreateIdentity(ctx, connecting); err != nil {
		t.Fatal(err)
	}
	held(pagetoken.Connect, "i")
	if n := count(); n != 1 {
		t.Errorf("%d with a page that connects a wallet", n)
	}
	c.Advance(10 * time.Minute)
	if n := count(); n != 0 {
		t.Errorf("%d ten minutes after that page was used", n)
	}
	c.Advance(-5 * time.Minute)
	_, err = db.ChangeIdentity(ctx, "i", func(i *account.Row) error {
		i.Identity.Status = account.Rejected
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if n := count(); n != 0 {
		t.Errorf("%d although the connection has ended", n)
	}
}
