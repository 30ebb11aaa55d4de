package review_test

import (
	"context"
	"crypto/rand"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/internal/testkit/storekit"
	"github.com/sayurintent/sayurintent/review"
	"github.com/sayurintent/sayurintent/review/gate"
	"github.com/sayurintent/sayurintent/review/handoff"
	"github.com/sayurintent/sayurintent/store"
)

// bubble runs a review over the real store in a bubble whose time only the test
// moves. skew moves the wall clock alone, as an adjustment does.
type bubble struct {
	*racer
	hub  *events.Hub
	desk *pagetoken.Desk
	skew atomic.Int64
}

func (c *bubble) now() time.Time { return time.Now().Add(time.Duration(c.skew.Load())) }

// within runs a test where time stands still until everybody waits.
func within(t *testing.T, name string, run func(t *testing.T, c *bubble)) {
	t.Run(name, func(t *testing.T) {
		dir := filepath.Join(double.Dir(t), "data")
		storekit.Make(t, dir)
		synctest.Test(t, func(t *testing.T) {
			c := &bubble{hub: &events.Hub{}}
			db, err := store.Open(t.Context(), store.Config{Dir: dir, Now: c.now, Hub: c.hub})
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			c.racer = newRacer(db, "timed", 1, nil)
			w := c.world
			c.service = review.New(review.Config{
				Store: db, Nodes: review.Nodes{Chain: w.chain, Executor: w.chain, Pace: modelPace, Second: confirming(w.chain)},
				Hub: c.hub, Now: c.now, Network: "sui:sandbox",
				Active: func(context.Context) (record.Account, bool, error) {
					return record.Account{Address: w.account}, true, nil
				},
				Compare: lawsAlone,
			})
			ctx, stop := context.WithCancel(t.Context())
			defer c.service.Close()
			defer stop()
			go func() { _ = c.service.Run(ctx) }()
			c.desk = pagetoken.NewDesk(db, c.now, rand.Reader)
			raceRow(t, db, "timed")
			run(t, c)
		})
	})
}

// ready builds what lives for a minute.
func (c *bubble) ready(t *testing.T) record.Session {
	t.Helper()
	s := c.get(t)
	_, b := c.world.build(c.world.chain.present(sui.Address{0xc0}))
	b.Expires = c.now().Add(gate.DefaultLimits().BuildLife)
	s, err := c.db.Change(t.Context(), c.id, "computed", func(row *record.Row) error {
		return review.Adopt(row, s.Revision, "", b, ledgerChain.String(), c.now())
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (c *bubble) get(t *testing.T) record.Session {
	t.Helper()
	s, err := c.service.Get(t.Context(), c.id)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (c *bubble) hand(t *testing.T, s record.Session) handoff.Handoff {
	t.Helper()
	o, err := c.service.Handoff(t.Context(), c.id, s.Revision, s.Commitment)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func TestClocks(t *testing.T) {
	within(t, "ST-05 a jump forward takes an unreleased build back, and hands nothing out", func(t *testing.T, c *bubble) {
		s := c.ready(t)
		c.skew.Store(int64(61 * time.Second))
		if _, err := c.service.Handoff(t.Context(), c.id, s.Revision, s.Commitment); !fault.Is(err,
			fault.HandoffUnavailable) {
			t.Errorf("%v", err)
		}
		if s = c.get(t); s.Status != record.RefreshRequired || s.Reason != plan.QuoteStale || len(s.Releases) > 0 {
			t.Errorf("%s %s, %d releases", s.Status, s.Reason, len(s.Releases))
		}
	})
	within(t, "ST-05 time running back revives nothing that is over", func(t *testing.T, c *bubble) {
		s := c.ready(t)
		c.skew.Store(int64(31 * time.Minute))
		if s = c.get(t); s.Status != record.Expired {
			t.Fatalf("%s", s.Status)
		}
		c.skew.Store(int64(-time.Hour))
		if s = c.get(t); s.Status != record.Expired {
			t.Errorf("%s", s.Status)
		}
		if _, err := c.service.Handoff(t.Context(), c.id, s.Revision, s.Commitment); !fault.Is(err, fault.SessionExpired) {
			t.Errorf("%v", err)
		}
		if _, err := c.service.ComputeNow(t.Context(), c.id, s.Revision); !fault.Is(err, fault.SessionExpired) {
			t.Errorf("%v", err)
		}
	})
	within(t, "ST-05 a clock set back a day ends an unsigned review, which would live a day longer", func(t *testing.T,
		c *bubble) {
		s := c.ready(t)
		c.skew.Store(int64(-24 * time.Hour))
		if s := c.get(t); s.Status != record.Expired {
			t.Errorf("%s", s.Status)
		}
		if _, err := c.service.Handoff(t.Context(), c.id, s.Revision, s.Commitment); !fault.Is(err, fault.SessionExpired) {
			t.Errorf("%v", err)
		}
	})
	within(t, "ST-05 a clock set back a day takes nothing from what was handed out", func(t *testing.T, c *bubble) {
		c.hand(t, c.ready(t))
		c.skew.Store(int64(-24 * time.Hour))
		if s := c.get(t); s.Status != record.Ready || len(s.Outstanding()) != 1 {
			t.Errorf("%s, %d releases", s.Status, len(s.Outstanding()))
		}
	})
	within(t, "ST-05 a clock that is corrected by seconds ends nothing", func(t *testing.T, c *bubble) {
		s := c.ready(t)
		c.skew.Store(int64(-30 * time.Second))
		if s = c.get(t); s.Status != record.Ready {
			t.Errorf("%s", s.Status)
		}
	})
	within(t, "ST-05 time running back revives no build that was taken back", func(t *testing.T, c *bubble) {
		s := c.ready(t)
		c.skew.Store(int64(2 * time.Minute))
		c.get(t)
		c.skew.Store(int64(0))
		if _, err := c.service.Handoff(t.Context(), c.id, s.Revision, s.Commitment); !fault.Is(err,
			fault.HandoffUnavailable) {
			t.Errorf("%v", err)
		}
	})
	within(t, "ST-05 time running back revives no page token", func(t *testing.T, c *bubble) {
		code, err := c.desk.Link(t.Context(), pagetoken.Review, string(c.id), 30*time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		tab, err := c.desk.Exchange(t.Context(), pagetoken.Review, string(c.id), code.Reveal(), "")
		if err != nil {
			t.Fatal(err)
		}
		token := tab.Token
		if _, err := c.desk.Check(t.Context(), token.Reveal()); err != nil {
			t.Fatal(err)
		}
		c.skew.Store(int64(3 * time.Hour))
		if _, err := c.desk.Check(t.Context(), token.Reveal()); !fault.Is(err, fault.SessionMismatch) {
			t.Fatalf("%v", err)
		}
		c.skew.Store(int64(0))
		if _, err := c.desk.Check(t.Context(), token.Reveal()); !fault.Is(err, fault.SessionMismatch) {
			t.Errorf("the token lives again: %v", err)
		}
	})
	within(t, "ST-05 two days leave what is signed alone", func(t *testing.T, c *bubble) {
		c.world.chain.refuses = true
		s := c.ready(t)
		o := c.hand(t, s)
		signature := c.world.sign(o.Bytes.Bytes())
		if _, err := c.service.Signed(t.Context(), c.id, o.Nonce, o.Bytes.Bytes(), signature); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		time.Sleep(time.Second)
		before := c.get(t)
		pending(t, before, record.SubmissionRefused)
		c.skew.Store(int64(48 * time.Hour))      // at once
		time.Sleep(3 * time.Hour)                // and slowly, the watch running
		c.skew.Store(int64(-24 * 7 * time.Hour)) // and back
		time.Sleep(10 * time.Minute)
		if after := c.get(t); after.Revision != before.Revision || after.Status != record.SignedPendingResult {
			t.Errorf("two days changed it to %s, revision %d to %d", after.Status, before.Revision, after.Revision)
		}
		c.world.chain.refuses = false
		if _, err := c.service.Submit(t.Context(), c.id, o.Nonce); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Second)
		if s := c.get(t); s.Status != record.Success {
			t.Errorf("%s %+v", s.Status, s.Execution)
		}
	})
	within(t, "ST-05 two days leave what was handed out alone", func(t *testing.T, c *bubble) {
		s := c.ready(t)
		c.hand(t, s)
		c.skew.Store(int64(48 * time.Hour))
		time.Sleep(time.Hour)
		if s = c.get(t); s.Status != record.Ready || s.Current() == nil {
			t.Errorf("%s", s.Status)
		}
	})
	within(t, "R004-430 a wait ends by its own time, whatever the wall clock does", func(t *testing.T, c *bubble) {
		c.ready(t)
		go func() { time.Sleep(5 * time.Second); c.skew.Store(int64(-48 * time.Hour)) }()
		begin := time.Now()
		_, ok, err := c.service.Wait(t.Context(), c.id, time.Hour, final)
		if ok || err != nil || time.Since(begin) != gate.DefaultLimits().MostWait {
			t.Errorf("%v %v after %s", ok, err, time.Since(begin))
		}
	})
	within(t, "a wait is woken when time alone ends a review", func(t *testing.T, c *bubble) {
		c.ready(t)
		time.Sleep(29*time.Minute + 30*time.Second)
		begin := time.Now()
		s, ok, err := c.service.Wait(t.Context(), c.id, time.Minute, final)
		if !ok || err != nil || s.Status != record.Expired || time.Since(begin) > 31*time.Second {
			t.Errorf("%v %v %s after %s", ok, err, s.Status, time.Since(begin))
		}
	})
}
