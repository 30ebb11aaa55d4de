package pagetoken_test

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/store"
)

// desktop is a desk over a real store, with a clock that tests can advance.
type desktop struct {
	*double.Clock
	dir string
	hub *events.Hub
}

// another opens another handle on the same file, as another process would.
func (d *desktop) another(t *testing.T) *pagetoken.Desk {
	t.Helper()
	db, err := store.Open(context.Background(), store.Config{Dir: d.dir, Now: d.Now, Hub: d.hub})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return pagetoken.NewDesk(db, d.Now, rand.Reader)
}

func newDesk(t *testing.T) (*pagetoken.Desk, *desktop) {
	d := &desktop{
		dir: filepath.Join(double.Dir(t), "data"), hub: &events.Hub{},
		Clock: double.NewClock(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)),
	}
	return d.another(t), d
}

func link(t *testing.T, d *pagetoken.Desk, kind pagetoken.Kind, subject string) string {
	t.Helper()
	code, err := d.Link(context.Background(), kind, subject, 0)
	if err != nil {
		t.Fatal(err)
	}
	return code.Reveal()
}

func open(t *testing.T, d *pagetoken.Desk, kind pagetoken.Kind, subject, code string) (string, pagetoken.Pass) {
	t.Helper()
	o, err := d.Exchange(context.Background(), kind, subject, code, "")
	if err != nil {
		t.Fatal(err)
	}
	return o.Token.Reveal(), o.Pass
}

func wantFault(t *testing.T, err error, code fault.Code) {
	t.Helper()
	if !fault.Is(err, code) {
		t.Fatalf("got %v, want %s", err, code)
	}
}

func TestExchange(t *testing.T) {
	ctx := context.Background()
	t.Run("R004-427 a link's code opens its own page once", func(t *testing.T) {
		desk, d := newDesk(t)
		code := link(t, desk, pagetoken.Connect, "i1")
		d.Advance(29*time.Minute + 59*time.Second)
		token, p := open(t, desk, pagetoken.Connect, "i1", code)
		if p.Access != pagetoken.Active || p.Kind != pagetoken.Connect || p.Subject != "i1" || p.ID == "" {
			t.Fatalf("unexpected pass %+v", p)
		}
		got, err := desk.Check(ctx, token)
		if err != nil || got.ID != p.ID {
			t.Fatalf("check: %+v, %v", got, err)
		}
		if twice, err := desk.OpenedTwice(ctx, pagetoken.Connect, "i1"); err != nil || twice {
			t.Fatalf("opened twice after one opening: %v, %v", twice, err)
		}
	})
	t.Run("a second opening is refused, noticed and told to the first page", func(t *testing.T) {
		desk, d := newDesk(t)
		code := link(t, desk, pagetoken.Review, "r1")
		token, _ := open(t, desk, pagetoken.Review, "r1", code)
		watch := d.hub.Watch(events.Subject{Kind: events.Review, ID: "r1"})
		defer watch.Close()
		_, err := desk.Exchange(ctx, pagetoken.Review, "r1", code, "")
		wantFault(t, err, fault.InvalidSessionTransition)
		select {
		case <-watch.C:
		default:
			t.Error("the first page was not woken")
		}
		if twice, err := desk.OpenedTwice(ctx, pagetoken.Review, "r1"); err != nil || !twice {
			t.Errorf("opened twice: %v, %v", twice, err)
		}
		if other, err := desk.OpenedTwice(ctx, pagetoken.Review, "r2"); err != nil || other {
			t.Errorf("another review is marked: %v, %v", other, err)
		}
		if _, err := desk.Check(ctx, token); err != nil {
			t.Errorf("a review's first page must go on: %v", err)
		}
	})
	t.Run("settings freeze when a link is opened twice", func(t *testing.T) {
		desk, _ := newDesk(t)
		code, spare := link(t, desk, pagetoken.Settings, "s"), link(t, desk, pagetoken.Settings, "s")
		token, _ := open(t, desk, pagetoken.Settings, "s", code)
		_, err := desk.Exchange(ctx, pagetoken.Settings, "s", code, "")
		wantFault(t, err, fault.InvalidSessionTransition)
		_, err = desk.Check(ctx, token)
		wantFault(t, err, fault.SessionMismatch)
		_, err = desk.Exchange(ctx, pagetoken.Settings, "s", spare, "")
		wantFault(t, err, fault.InvalidSessionTransition)
	})
	t.Run("no random numbers, no link", func(t *testing.T) {
		desk := pagetoken.NewDesk(nil, time.Time{}.UTC, broken{})
		_, err := desk.Link(ctx, pagetoken.Review, "r1", 0)
		wantFault(t, err, fault.InternalError)
	})
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("no entropy") }

var _ io.Reader = broken{}

// TestOneAnswerForAllRefusals checks that every rejection of a code or token has the same text.
func TestOneAnswerForAllRefusals(t *testing.T) {
	ctx := context.Background()
	desk, d := newDesk(t)
	code := link(t, desk, pagetoken.Review, "r1")
	old := link(t, desk, pagetoken.Review, "old")
	token, _ := open(t, desk, pagetoken.Review, "r1", code)
	_, idle := open(t, desk, pagetoken.Review, "idle", link(t, desk, pagetoken.Review, "idle"))
	if err := desk.Continue(ctx, pagetoken.Pass{ID: "unknown", Kind: pagetoken.Review, Subject: "r1"}); !fault.Is(err,
		fault.SessionMismatch) {
		t.Errorf("continue with an unknown pass: %v", err)
	}
	d.Advance(31 * time.Minute)
	random := base64.RawURLEncoding.EncodeToString(make([]byte, 32))
	exchange := func(kind pagetoken.Kind, subject, code string) error {
		_, err := desk.Exchange(ctx, kind, subject, code, "")
		return err
	}
	check := func(token string) error {
		_, err := desk.Check(ctx, token)
		return err
	}
	refusals := map[string]error{
		"unknown code":           exchange(pagetoken.Review, "r1", random),
		"no code":                exchange(pagetoken.Review, "r1", ""),
		"code of another page":   exchange(pagetoken.Review, "r2", old),
		"code of another kind":   exchange(pagetoken.Connect, "old", old),
		"unknown kind":           exchange("admin", "old", old),
		"expired code":           exchange(pagetoken.Review, "old", old),
		"padded code":            exchange(pagetoken.Review, "old", old+"="),
		"idle token":             check(token),
		"the same again":         check(token),
		"unknown token":          check(random),
		"no token":               check(""),
		"a code is not a token":  check(old),
		"continue when idle":     desk.Continue(ctx, idle),
		"megabyte of a token":    check(string(make([]byte, 1<<20))),
		"token with a line feed": check(token[:42] + "\n"),
	}
	text := refusals["unknown code"].Error()
	for name, err := range refusals {
		if !fault.Is(err, fault.SessionMismatch) || err.Error() != text {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestLives(t *testing.T) {
	ctx := context.Background()
	t.Run("a used pass lives two hours, to the second", func(t *testing.T) {
		desk, d := newDesk(t)
		token, _ := open(t, desk, pagetoken.Review, "r1", link(t, desk, pagetoken.Review, "r1"))
		for range 4 {
			d.Advance(29*time.Minute + 59*time.Second)
			if _, err := desk.Check(ctx, token); err != nil {
				t.Fatal(err)
			}
		}
		d.Advance(4 * time.Second)
		_, err := desk.Check(ctx, token)
		wantFault(t, err, fault.SessionMismatch)
	})
	t.Run("frequent use counts although it is not written each time", func(t *testing.T) {
		desk, d := newDesk(t)
		token, _ := open(t, desk, pagetoken.Review, "r1", link(t, desk, pagetoken.Review, "r1"))
		for range 2 {
			d.Advance(14 * time.Second)
			if _, err := desk.Check(ctx, token); err != nil {
				t.Fatal(err)
			}
		}
		d.Advance(29*time.Minute + 59*time.Second)
		if _, err := desk.Check(ctx, token); err != nil {
			t.Fatalf("used one second less than 30 minutes ago: %v", err)
		}
	})
	t.Run("a restart keeps passes and their idleness", func(t *testing.T) {
		desk, d := newDesk(t)
		token, _ := open(t, desk, pagetoken.Review, "r1", link(t, desk, pagetoken.Review, "r1"))
		d.Advance(20 * time.Minute)
		if _, err := desk.Check(ctx, token); err != nil {
			t.Fatal(err)
		}
		d.Advance(20 * time.Minute)
		restarted := d.another(t)
		if _, err := restarted.Check(ctx, token); err != nil {
			t.Fatalf("used 20 minutes ago: %v", err)
		}
		d.Advance(30 * time.Minute)
		_, err := restarted.Check(ctx, token)
		wantFault(t, err, fault.SessionMismatch)
	})
	t.Run("a clock that is set back revives nothing", func(t *testing.T) {
		desk, d := newDesk(t)
		token, _ := open(t, desk, pagetoken.Review, "r1", link(t, desk, pagetoken.Review, "r1"))
		d.Advance(3 * time.Hour)
		_, err := desk.Check(ctx, token)
		wantFault(t, err, fault.SessionMismatch)
		d.Advance(-3 * time.Hour)
		_, err = desk.Check(ctx, token)
		wantFault(t, err, fault.SessionMismatch)
	})
	t.Run("a clock that is set back a day ends what it would keep alive", func(t *testing.T) {
		desk, d := newDesk(t)
		token, _ := open(t, desk, pagetoken.Review, "r1", link(t, desk, pagetoken.Review, "r1"))
		code := link(t, desk, pagetoken.Review, "r1")
		d.Advance(-24 * time.Hour)
		_, err := desk.Check(ctx, token)
		wantFault(t, err, fault.SessionMismatch)
		_, err = desk.Exchange(ctx, pagetoken.Review, "r1", code, "")
		wantFault(t, err, fault.SessionMismatch)
		d.Advance(24 * time.Hour)
		_, err = desk.Check(ctx, token)
		wantFault(t, err, fault.SessionMismatch)
	})
	t.Run("a clock that is corrected by seconds ends nothing", func(t *testing.T) {
		desk, d := newDesk(t)
		token, _ := open(t, desk, pagetoken.Review, "r1", link(t, desk, pagetoken.Review, "r1"))
		code := link(t, desk, pagetoken.Review, "r1")
		d.Advance(-30 * time.Second)
		if _, err := desk.Check(ctx, token); err != nil {
			t.Error(err)
		}
		open(t, desk, pagetoken.Review, "r1", code)
	})
	t.Run("a link may be given less life, never more", func(t *testing.T) {
		desk, d := newDesk(t)
		short, err := desk.Link(ctx, pagetoken.Review, "r1", time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		long, err := desk.Link(ctx, pagetoken.Review, "r1", 24*time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		d.Advance(time.Minute)
		_, err = desk.Exchange(ctx, pagetoken.Review, "r1", short.Reveal(), "")
		wantFault(t, err, fault.SessionMismatch)
		d.Advance(29 * time.Minute)
		_, err = desk.Exchange(ctx, pagetoken.Review, "r1", long.Reveal(), "")
		wantFault(t, err, fault.SessionMismatch)
	})
	t.Run("unopened links are known by age", func(t *testing.T) {
		desk, d := newDesk(t)
		waits := func() bool {
			t.Helper()
			yes, err := desk.Unopened(ctx, 10*time.Minute)
			if err != nil {
				t.Fatal(err)
			}
			return yes
		}
		if waits() {
			t.Error("a link waits before there is one")
		}
		code := link(t, desk, pagetoken.Review, "r1")
		if !waits() {
			t.Error("a new link does not wait")
		}
		open(t, desk, pagetoken.Review, "r1", code)
		if waits() {
			t.Error("an opened link waits")
		}
		link(t, desk, pagetoken.Connect, "i1")
		d.Advance(10 * time.Minute)
		if waits() {
			t.Error("an old link waits")
		}
		link(t, desk, pagetoken.Connect, "i1")
		if waits() {
			t.Error("a poll's new link to what was linked long ago waits")
		}
		link(t, desk, pagetoken.Review, "r1")
		if waits() {
			t.Error("a poll's new link to what was opened waits")
		}
		link(t, desk, pagetoken.Review, "r2")
		if d.Advance(-time.Hour); waits() {
			t.Error("a link of a time to come waits")
		}
		if d.Advance(time.Hour); !waits() {
			t.Error("a new link does not wait beside old ones")
		}
	})
	t.Run("a link is taken back by its code, unless it was opened", func(t *testing.T) {
		desk, _ := newDesk(t)
		code, other := link(t, desk, pagetoken.Review, "r1"), link(t, desk, pagetoken.Review, "r1")
		for range 2 {
			if err := desk.Withdraw(ctx, pagetoken.Review, "r1", code); err != nil {
				t.Fatal(err)
			}
		}
		_, err := desk.Exchange(ctx, pagetoken.Review, "r1", code, "")
		wantFault(t, err, fault.SessionMismatch)
		token, _ := open(t, desk, pagetoken.Review, "r1", other)
		if err := desk.Withdraw(ctx, pagetoken.Review, "r1", other); err != nil {
			t.Fatal(err)
		}
		if _, err := desk.Check(ctx, token); err != nil {
			t.Errorf("the page that was opened: %v", err)
		}
		_, err = desk.Exchange(ctx, pagetoken.Review, "r1", other, "")
		wantFault(t, err, fault.InvalidSessionTransition)
		if err := desk.Withdraw(ctx, pagetoken.Review, "r1", "no code"); err != nil {
			t.Error(err)
		}
	})
}

func TestAccess(t *testing.T) {
	ctx := context.Background()
	access := func(t *testing.T, d *pagetoken.Desk, token string) pagetoken.Access {
		t.Helper()
		p, err := d.Check(ctx, token)
		if err != nil {
			t.Fatal(err)
		}
		return p.Access
	}
	t.Run("a later page is read-only until it continues here", func(t *testing.T) {
		desk, d := newDesk(t)
		first, _ := open(t, desk, pagetoken.Review, "r1", link(t, desk, pagetoken.Review, "r1"))
		second, p2 := open(t, desk, pagetoken.Review, "r1", link(t, desk, pagetoken.Review, "r1"))
		if a, b := access(t, desk, first), access(t, desk, second); a != pagetoken.Active || b != pagetoken.ReadOnly {
			t.Fatalf("first %s, second %s", a, b)
		}
		watch := d.hub.Watch(events.Subject{Kind: events.Review, ID: "r1"})
		defer watch.Close()
		if err := desk.Continue(ctx, p2); err != nil {
			t.Fatal(err)
		}
		if a, b := access(t, desk, first), access(t, desk, second); a != pagetoken.ReadOnly || b != pagetoken.Active {
			t.Fatalf("after continue: first %s, second %s", a, b)
		}
		select {
		case <-watch.C:
		default:
			t.Error("the earlier page was not woken")
		}
		if err := desk.Continue(ctx, p2); err != nil {
			t.Errorf("continue again: %v", err)
		}
	})
	t.Run("a page of another review is active by itself", func(t *testing.T) {
		desk, _ := newDesk(t)
		open(t, desk, pagetoken.Review, "r1", link(t, desk, pagetoken.Review, "r1"))
		if _, p := open(t, desk, pagetoken.Review, "r2", link(t, desk, pagetoken.Review,
			"r2")); p.Access != pagetoken.Active {
			t.Fatalf("access %s", p.Access)
		}
	})
	t.Run("after the active page has ended the next one is active", func(t *testing.T) {
		desk, d := newDesk(t)
		open(t, desk, pagetoken.Review, "r1", link(t, desk, pagetoken.Review, "r1"))
		d.Advance(31 * time.Minute)
		if _, p := open(t, desk, pagetoken.Review, "r1", link(t, desk, pagetoken.Review,
			"r1")); p.Access != pagetoken.Active {
			t.Fatalf("access %s", p.Access)
		}
	})
	t.Run("more pages than allowed push out the one unused longest, not the active one", func(t *testing.T) {
		desk, d := newDesk(t)
		var tokens []string
		for range pagetoken.MostPasses + 1 {
			token, _ := open(t, desk, pagetoken.Review, "r1", link(t, desk, pagetoken.Review, "r1"))
			tokens = append(tokens, token)
			d.Advance(time.Second)
		}
		if a := access(t, desk, tokens[0]); a != pagetoken.Active {
			t.Errorf("the active page became %s", a)
		}
		_, err := desk.Check(ctx, tokens[1])
		wantFault(t, err, fault.SessionMismatch)
		for _, token := range tokens[2:] {
			if a := access(t, desk, token); a != pagetoken.ReadOnly {
				t.Errorf("a later page is %s", a)
			}
		}
	})
	t.Run("unopened links of one page are bounded", func(t *testing.T) {
		desk, d := newDesk(t)
		for range pagetoken.MostLinks {
			link(t, desk, pagetoken.Review, "r1")
		}
		_, err := desk.Link(ctx, pagetoken.Review, "r1", 0)
		wantFault(t, err, fault.RateLimited)
		link(t, desk, pagetoken.Review, "r2")
		d.Advance(30 * time.Minute)
		link(t, desk, pagetoken.Review, "r1")
	})
}

// TestExchangeRace uses two handles on one file, which represent two processes.
func TestExchangeRace(t *testing.T) {
	a, d := newDesk(t)
	b := d.another(t)
	for range 5 {
		code := link(t, a, pagetoken.Review, "r1")
		var won, twice atomic.Int32
		var wg sync.WaitGroup
		for i := range 20 {
			desk := a
			if i%2 == 1 {
				desk = b
			}
			wg.Go(func() {
				_, err := desk.Exchange(context.Background(), pagetoken.Review, "r1", code, "")
				switch {
				case err == nil:
					won.Add(1)
				case fault.Is(err, fault.InvalidSessionTransition):
					twice.Add(1)
				default:
					t.Errorf("exchange: %v", err)
				}
			})
		}
		wg.Wait()
		if won.Load() != 1 || twice.Load() != 19 {
			t.Fatalf("%d exchanges succeeded and %d were refused as second ones, want 1 and 19", won.Load(), twice.Load())
		}
	}
}

// TestRight checks that a right reads committed data, as transitions require, and writes nothing.
func TestRight(t *testing.T) {
	ctx := context.Background()
	desk, d := newDesk(t)
	first, p1 := open(t, desk, pagetoken.Review, "r1", link(t, desk, pagetoken.Review, "r1"))
	second, _ := open(t, desk, pagetoken.Review, "r1", link(t, desk, pagetoken.Review, "r1"))
	acts, reads, looks := desk.Right(first, true), desk.Right(second, false), desk.Right(second, true)
	if err := acts(ctx); err != nil {
		t.Errorf("the active page: %v", err)
	}
	if err := reads(ctx); err != nil {
		t.Errorf("a page that looks on may read: %v", err)
	}
	wantFault(t, looks(ctx), fault.InvalidSessionTransition)
	wantFault(t, desk.Right(strings.Repeat("A", 43), false)(ctx), fault.SessionMismatch)
	wantFault(t, desk.Right("", false)(ctx), fault.SessionMismatch)
	d.Advance(29 * time.Minute)
	if err := acts(ctx); err != nil {
		t.Errorf("within the idle time: %v", err)
	}
	d.Advance(2 * time.Minute)
	wantFault(t, acts(ctx), fault.SessionMismatch) // the checks did not count as use
	if p1.Access != pagetoken.Active {
		t.Errorf("the first page is %s", p1.Access)
	}
}
