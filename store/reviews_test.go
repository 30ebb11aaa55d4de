package store_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/big"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/store"
)

// filled sets all fields of v to nonzero values, so that a field that is not stored is noticed.
func filled(v reflect.Value, n *int) {
	*n++
	switch x := v.Addr().Interface().(type) {
	case *time.Time:
		*x = time.Date(2026, 1, 2, 3, 4, 5, *n, time.UTC)
		return
	case *[]plan.Intent: // steps have no steps of their own
		*x = []plan.Intent{{Type: "one", Protocol: "deep"}, {Type: "two", Recipient: "0x5"}}
		return
	case *big.Int:
		x.SetInt64(-int64(*n))
		return
	case *sui.Delta:
		*x = sui.DeltaOf(sui.Raw(*n), 0)
		return
	case *sui.Raw:
		*x = ^sui.Raw(0) - sui.Raw(*n)
		return
	case *sui.Decimal:
		*x = sui.Decimal(strconv.Itoa(*n) + ".5")
		return
	case *sui.CoinType:
		*x = "0x0000000000000000000000000000000000000000000000000000000000000002::sui::SUI"
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprintf("text %d <&> ü\u2028", *n))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(*n))
	case reflect.Uint8, reflect.Uint16, reflect.Uint64:
		v.SetUint(uint64(*n % 200))
		if v.Kind() == reflect.Uint64 {
			v.SetUint(^uint64(0) - uint64(*n))
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		filled(v.Elem(), n)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			filled(v.Index(i), n)
		}
	case reflect.Array:
		for i := range v.Len() {
			filled(v.Index(i), n)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			filled(v.Field(i), n)
		}
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		filled(key, n)
		filled(value, n)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	default:
		panic("no filling for " + v.Type().String())
	}
}

func proposed(id string, c *double.Clock) record.Session {
	return record.Session{
		ID: record.ID(id), Network: "sui:sandbox", Account: sui.MustAddress("0xa1"), Protocol: "deep", Action: "swap",
		Status: record.Proposed, Revision: 1, CreatedAt: c.Now(), UpdatedAt: c.Now(), ExpiresAt: c.Now().Add(time.Hour),
	}
}

func create(t testing.TB, db *store.DB, c *double.Clock, id string) record.ID {
	t.Helper()
	s := proposed(id, c)
	if err := db.CreateReview(context.Background(), s); err != nil {
		t.Fatal(err)
	}
	return s.ID
}

// bump is the smallest transition that changes something.
func bump(r *record.Row) error {
	r.Session.Revision++
	return nil
}

// built returns a transition that adds a built transaction, whose bytes are b.
func built(b byte) (sui.Digest, func(*record.Row) error) {
	m := sui.NewMaterial([]byte{b, b, b})
	return m.Digest(), func(r *record.Row) error {
		r.Materials = append(r.Materials, record.Material{Digest: m.Digest(), Bytes: m, CreatedAt: r.Session.CreatedAt})
		return bump(r)
	}
}

// release returns a valid release of the account used by proposed.
func release(d sui.Digest, nonce string) record.Release {
	account, coin := sui.MustAddress("0xa1"), sui.ObjectRef{ID: sui.MustAddress("0xc0"), Version: 7, Digest: sui.Digest{7}}
	return record.Release{Digest: d, Commitment: sui.Commitment(d), NonceHash: sha256.Sum256([]byte(nonce)), Revision: 3,
		At: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), GasCoin: coin, LastEpoch: ^uint64(0), Facts: factsOf(account, coin)}
}

func factsOf(account sui.Address, coin sui.ObjectRef) plan.Facts {
	step := plan.StepFacts{Sends: account, Promise: plan.Promise{Outcomes: []plan.Outcome{{Name: "done"}}}}
	return plan.Facts{Sender: account, Steps: []plan.StepFacts{step}, LastEpoch: ^uint64(0),
		Gas: plan.GasFacts{Owner: account, Payment: []sui.ObjectRef{coin}}}
}

// sound replaces the arbitrary values that filled set with valid ones, in fields that accept only
// certain values.
func sound(s *record.Session) {
	hash := func(b byte) string { return strings.Repeat(fmt.Sprintf("%02x", b), 32) }
	s.ID, s.Revision, s.Status, s.Reason, s.Commitment = "filled", 1, record.Blocked, plan.WalletMismatch, hash(1)
	s.State.Status, s.Execution.Status, s.Execution.Submission = record.Blocked, record.SignedPendingResult,
		record.SubmissionUnknown
	s.Proposal = nil
	for i := range s.State.Outlook {
		plain(&s.State.Outlook[i])
	}
	for i := range s.Releases {
		r := &s.Releases[i]
		r.Commitment, r.Outcome, r.Revision = sui.Commitment(r.Digest), record.OutcomeDeclined, 1
		r.Inputs = []sui.ObjectRef{r.GasCoin}
		r.LookUntil = sui.MostEpoch - uint64(i)
		r.Facts.Sender, r.Facts.Gas.Payment, r.Facts.LastEpoch = s.Account, []sui.ObjectRef{r.GasCoin}, r.LastEpoch
		for n := range r.Facts.Steps {
			r.Facts.Steps[n].Expected = r.Facts.Steps[n].Expected.Of(r.Facts.Steps[n].Expected.Raw)
		}
	}
}

// plain sets the prices and amounts of an outlook to realistic values.
func plain(o *plan.Outlook) {
	for _, p := range []*sui.Decimal{&o.Market.Middle, &o.Market.Bid, &o.Market.Ask, &o.Order.Average, &o.Other.Middle} {
		*p = "1.5"
	}
	amounts := []*plan.Amount{&o.Trade.Guaranteed.Amount, &o.Trade.Expected.Amount, &o.Order.Fills, &o.Order.FillsFor,
		&o.Order.Rests}
	for i := range o.Frees {
		amounts = append(amounts, &o.Frees[i])
	}
	for _, a := range amounts {
		*a = a.Of(a.Raw)
	}
}

func TestReviewRoundTrip(t *testing.T) {
	ctx := context.Background()
	db, _ := fresh(t)
	var want record.Session
	n := 0
	filled(reflect.ValueOf(&want).Elem(), &n)
	sound(&want)
	releases := want.Releases
	want.Releases, want.OpenedTwice = nil, false
	if err := db.CreateReview(ctx, want); err != nil {
		t.Fatal(err)
	}
	got := must[record.Session](t)(db.Review(ctx, want.ID))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("a created review is read back differently (-want +got):\n%s", diff)
	}
	for i := range releases {
		_, err := db.Release(ctx, want.ID, func(r *record.Row) (record.Release, error) {
			r.Session.Releases = append(r.Session.Releases, releases[i])
			r.Session.OpenedTwice = true
			return releases[i], bump(r)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	want.Releases, want.OpenedTwice, want.Revision = releases, true, 3
	if diff := cmp.Diff(want, must[record.Session](t)(db.Review(ctx, want.ID))); diff != "" {
		t.Fatalf("with releases it is read back differently (-want +got):\n%s", diff)
	}
	// Emptying all fields must be stored too.
	empty := record.Session{ID: want.ID, Account: want.Account, Status: record.RefreshRequired, Revision: 4,
		Releases: releases, OpenedTwice: true}
	changed, err := db.Change(ctx, want.ID, "emptied", func(r *record.Row) error {
		r.Session = empty
		return nil
	})
	if diff := cmp.Diff(empty, changed); err != nil || diff != "" {
		t.Fatalf("%v\n%s", err, diff)
	}
	if diff := cmp.Diff(empty, must[record.Session](t)(db.Review(ctx, want.ID))); diff != "" {
		t.Fatalf("an emptied review is read back differently (-want +got):\n%s", diff)
	}
	_, err = db.Review(ctx, "nope")
	wantFault(t, err, fault.SessionNotFound)
	_, err = db.ReviewRow(ctx, "nope")
	wantFault(t, err, fault.SessionNotFound)
	_, err = db.Change(ctx, "nope", "x", bump)
	wantFault(t, err, fault.SessionNotFound)
}

func TestChange(t *testing.T) {
	ctx := context.Background()
	hub := &events.Hub{}
	c := newClock()
	db := open(t, filepath.Join(double.Dir(t), "data"), hub, c.Now)
	id := create(t, db, c, "r1")
	watch := hub.Watch(events.Subject{Kind: events.Review, ID: "r1"})
	defer watch.Close()
	woken := func() bool {
		select {
		case <-watch.C:
			return true
		default:
			return false
		}
	}
	journal := func() []events.Entry {
		t.Helper()
		return must[[]events.Entry](t)(db.JournalSince(ctx, events.Review, "r1", 0))
	}
	t.Run("a law's edit is stored, journalled and told", func(t *testing.T) {
		c.Advance(time.Second)
		s, err := db.Change(ctx, id, "opened", func(r *record.Row) error {
			r.Session.Status, r.Session.Reason = record.Blocked, plan.WalletMismatch
			return bump(r)
		})
		if err != nil || s.Revision != 2 {
			t.Fatalf("revision %d, %v", s.Revision, err)
		}
		if !woken() {
			t.Error("nobody was woken")
		}
		want := []events.Entry{
			{Seq: 1, Kind: events.Review, Subject: "r1", To: "proposed", Revision: 1, What: "prepared",
				At: c.Now().Add(-time.Second)},
			{Seq: 5, Kind: events.Review, Subject: "r1", From: "proposed", To: "blocked", Revision: 2, What: "opened",
				At: c.Now()},
		}
		if diff := cmp.Diff(want, journal()); diff != "" {
			t.Error(diff)
		}
		// Earlier numbers belong to the record and the task's events.
		if head := must[int64](t)(db.JournalHead(ctx, events.Review, "r1")); head != 5 {
			t.Errorf("head %d", head)
		}
		if head := must[int64](t)(db.JournalHead(ctx, events.Review, "r2")); head != 0 {
			t.Errorf("head of nothing %d", head)
		}
		since := must[[]events.Entry](t)(db.JournalSince(ctx, events.Review, "r1", 1))
		if len(since) != 1 || since[0].Seq != 5 || since[0].NoOp() {
			t.Errorf("since 1: %+v", since)
		}
	})
	t.Run("an error of the law leaves nothing and is passed on", func(t *testing.T) {
		no := errors.New("no")
		_, material := built(1)
		_, err := db.Change(ctx, id, "x", func(r *record.Row) error {
			r.Session.Status = record.Failure
			return errors.Join(material(r), no)
		})
		if !errors.Is(err, no) {
			t.Fatalf("got %v", err)
		}
		_, err = db.Release(ctx, id, func(r *record.Row) (record.Release, error) { return record.Release{}, no })
		if !errors.Is(err, no) {
			t.Fatalf("got %v", err)
		}
		row := must[record.Row](t)(db.ReviewRow(ctx, id))
		if row.Session.Status != record.Blocked || len(row.Materials)+len(row.Session.Releases) > 0 || len(journal()) != 2 ||
			woken() {
			t.Errorf("something was left: %+v", row.Session)
		}
	})
	t.Run("a law that leaves the revision changes nothing", func(t *testing.T) {
		s, err := db.Change(ctx, id, "x", func(r *record.Row) error {
			r.Session.Status = record.Failure
			return nil
		})
		if err != nil || s.Status != record.Blocked || len(journal()) != 2 || woken() {
			t.Errorf("status %s, %v", s.Status, err)
		}
	})
	t.Run("what a law may not do", func(t *testing.T) {
		for name, law := range map[string]func(*record.Row) error{
			"lower the revision": func(r *record.Row) error { r.Session.Revision--; return nil },
			"change the account": func(r *record.Row) error { r.Session.Account = sui.Address{}; return bump(r) },
			"add a release": func(r *record.Row) error {
				r.Session.Releases = append(r.Session.Releases, record.Release{})
				return bump(r)
			},
		} {
			if _, err := db.Change(ctx, id, "x", law); !fault.Is(err, fault.InternalError) {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
	t.Run("a link that was opened twice shows on the session", func(t *testing.T) {
		err := db.ChangePage(ctx, pagetoken.Review, "r1", func(p *pagetoken.Page) (string, error) {
			p.OpenedTwice = true
			return "opened_twice", nil
		})
		if err != nil || !woken() {
			t.Fatal("not told", err)
		}
		if s := must[record.Session](t)(db.Review(ctx, id)); !s.OpenedTwice {
			t.Error("the session does not show it")
		}
		if last := journal()[2]; last.What != "opened_twice" || !last.NoOp() {
			t.Errorf("journal %+v", last)
		}
	})
}

// Changes by two processes form one chain of revisions. Two handles on one file represent the
// processes.
func TestChangesOfTwoProcesses(t *testing.T) {
	ctx := context.Background()
	dir := filepath.Join(double.Dir(t), "data")
	c := newClock()
	handles := []*store.DB{open(t, dir, nil, c.Now), open(t, dir, nil, c.Now)}
	id := create(t, handles[0], c, "r1")
	const workers, each = 4, 40
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for range each {
				if _, err := handles[w%2].Change(ctx, id, "step", bump); err != nil {
					t.Error(err)
					return
				}
				if _, err := handles[(w+1)%2].Review(ctx, id); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	entries := must[[]events.Entry](t)(handles[1].JournalSince(ctx, events.Review, "r1", 0))
	if len(entries) != workers*each+1 {
		t.Fatalf("%d entries, want %d", len(entries), workers*each+1)
	}
	for i, e := range entries {
		if e.Revision != int64(i+1) {
			t.Fatalf("entry %d has revision %d", i, e.Revision)
		}
	}
	if s := must[record.Session](t)(handles[0].Review(ctx, id)); s.Revision != workers*each+1 {
		t.Fatalf("revision %d", s.Revision)
	}
}

func TestRelease(t *testing.T) {
	ctx := context.Background()
	for name, careful := range map[string]bool{
		"a law that looks first": true,
		"the primary key alone":  false,
	} {
		t.Run("two hundred at once give one release, by "+name, func(t *testing.T) {
			dir := filepath.Join(double.Dir(t), "data")
			c := newClock()
			handles := []*store.DB{open(t, dir, nil, c.Now), open(t, dir, nil, c.Now)}
			id := create(t, handles[0], c, "r1")
			digest, law := built(7)
			must[record.Session](t)(handles[0].Change(ctx, id, "built", law))
			var won atomic.Int32
			var wg sync.WaitGroup
			for i := range 200 {
				wg.Go(func() {
					row, err := handles[i%2].Release(ctx, id, func(r *record.Row) (record.Release, error) {
						v := release(digest, strconv.Itoa(i))
						if careful && r.Session.Released(digest) != nil {
							return v, fault.New(fault.HandoffUnavailable, "Handed out already.")
						}
						r.Session.Releases = append(r.Session.Releases, v)
						return v, bump(r)
					})
					switch {
					case err == nil:
						won.Add(1)
						if m, ok := row.Material(digest); !ok || !m.Bytes.Same([]byte{7, 7, 7}) {
							t.Error("the released row lacks the material that the law saw")
						}
					case !fault.Is(err, fault.HandoffUnavailable):
						t.Errorf("refused with %v", err)
					}
				})
			}
			wg.Wait()
			s := must[record.Session](t)(handles[1].Review(ctx, id))
			if won.Load() != 1 || len(s.Releases) != 1 || s.Revision != 3 {
				t.Fatalf("%d released, %d recorded, revision %d", won.Load(), len(s.Releases), s.Revision)
			}
		})
	}
	t.Run("what happens to a release is kept, its transaction and nonce never change", func(t *testing.T) {
		db, c := fresh(t)
		id := create(t, db, c, "r1")
		digest, law := built(7)
		must[record.Session](t)(db.Change(ctx, id, "built", law))
		must[record.Row](t)(db.Release(ctx, id, func(r *record.Row) (record.Release, error) {
			v := release(digest, "n")
			r.Session.Releases = append(r.Session.Releases, v)
			return v, bump(r)
		}))
		want := release(digest, "n")
		want.Outcome, want.SignedAt, want.SubmittedAt, want.Dead = record.OutcomeDeclined, c.Now(), c.Now(), true
		must[record.Session](t)(db.Change(ctx, id, "x", func(r *record.Row) error {
			*r.Session.Released(digest) = want
			return bump(r)
		}))
		if diff := cmp.Diff([]record.Release{want}, must[record.Session](t)(db.Review(ctx, id)).Releases); diff != "" {
			t.Error(diff)
		}
		for name, law := range map[string]func(*record.Row) error{
			"forget it":     func(r *record.Row) error { r.Session.Releases = nil; return bump(r) },
			"another nonce": func(r *record.Row) error { r.Session.Releases[0].NonceHash[0]++; return bump(r) },
			"other digest":  func(r *record.Row) error { r.Session.Releases[0].Digest[0]++; return bump(r) },
		} {
			if _, err := db.Change(ctx, id, "x", law); !fault.Is(err, fault.InternalError) {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

func TestUnsettled(t *testing.T) {
	ctx := context.Background()
	db, c := fresh(t)
	statuses := map[string]record.Status{
		"unreleased": record.Ready, "ready": record.Ready, "signed": record.SignedPendingResult,
		"refresh": record.RefreshRequired, "done": record.Success, "failed": record.Failure,
	}
	for id, status := range statuses {
		create(t, db, c, id)
		law := func(r *record.Row) (record.Release, error) {
			r.Session.Status = status
			v := release(sui.Digest{1}, id)
			r.Session.Releases = append(r.Session.Releases, v)
			return v, bump(r)
		}
		if id != "unreleased" {
			must[record.Row](t)(db.Release(ctx, record.ID(id), law))
		}
	}
	got := must[[]record.ID](t)(db.Unsettled(ctx))
	if diff := cmp.Diff([]record.ID{"ready", "refresh", "signed"}, got); diff != "" {
		t.Error(diff)
	}
}

func BenchmarkChange(b *testing.B) {
	db, c := fresh(b)
	id := create(b, db, c, "r1")
	for b.Loop() {
		if _, err := db.Change(context.Background(), id, "step", bump); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReview(b *testing.B) {
	db, _ := fresh(b)
	var s record.Session
	n := 0
	filled(reflect.ValueOf(&s).Elem(), &n)
	sound(&s)
	s.Releases, s.OpenedTwice = nil, false
	if err := db.CreateReview(context.Background(), s); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := db.Review(context.Background(), s.ID); err != nil {
			b.Fatal(err)
		}
	}
}
