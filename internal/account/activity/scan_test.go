package activity_test

import (
	"context"
	"strconv"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/account/activity"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

func containsWords(err error, words string) bool {
	return err != nil && strings.Contains(fault.As(err).Text, words)
}

func is(p *bool, want bool) bool { return p != nil && *p == want }

func num(n uint64) *uint64 { return &n }

func TestScan(t *testing.T) {
	t.Run("R004-215 R004-221 R004-222 a hundred rows over several pages are one ordered, complete list",
		func(t *testing.T) {
			p := chainOf(100)
			s := open(t, p).scan(activity.Query{From: num(0)})
			if len(s.Rows) != 100 || s.Pages != 2 || !s.Ordered || !is(s.Complete, true) || s.HasMore || s.Reason != "" {
				t.Fatalf("%d rows, %d pages, ordered %v, complete %v, %q", len(s.Rows), s.Pages, s.Ordered, s.Complete, s.Reason)
			}
			if s.Rows[0].Digest != digest(99) || s.Rows[99].Digest != digest(0) {
				t.Error("not the newest first")
			}
		})
	t.Run("R004-323 the latest rows without a lower bound are neither complete nor incomplete", func(t *testing.T) {
		s := open(t, chainOf(30)).scan(activity.Query{Limit: 5})
		if s.Complete != nil || !s.HasMore || s.Cursor == "" {
			t.Errorf("%v %v", s.Complete, s.HasMore)
		}
	})
	t.Run("R004-318 R004-319 R004-244 R004-325 the cursor goes on until the window is covered", func(t *testing.T) {
		h := open(t, chainOf(60))
		q := activity.Query{Limit: 25, From: num(0)}
		seen := map[sui.Digest]bool{}
		for n := range 3 {
			s := h.scan(q)
			for _, r := range s.Rows {
				seen[r.Digest] = true
			}
			if last := n == 2; s.HasMore == last || is(s.Complete, true) != last || (!last && s.Reason != activity.ReasonLimit) {
				t.Fatalf("page %d: more %v, complete %v, %q", n, s.HasMore, s.Complete, s.Reason)
			}
			q.Cursor = s.Cursor
		}
		if len(seen) != 60 {
			t.Errorf("%d rows", len(seen))
		}
	})
	t.Run("R004-242 checkpoint bounds are inclusive", func(t *testing.T) {
		s := open(t, chainOf(60)).scan(activity.Query{From: num(10), To: num(12)})
		if len(s.Rows) != 3 || *s.Rows[0].Checkpoint != 12 || *s.Rows[2].Checkpoint != 10 || !is(s.Complete, true) {
			t.Errorf("%d rows", len(s.Rows))
		}
	})
	t.Run("R004-243 R004-324 a window of time is narrowed to checkpoints first", func(t *testing.T) {
		p := chainOf(900)
		s := open(t, p).scan(activity.Query{Since: at(10), Until: at(12)})
		if len(s.Rows) != 3 || s.Pages != 1 || *p.asked[0].From != 10 || *p.asked[0].To != 12 || !is(s.Complete, true) {
			t.Errorf("%d rows, %d pages, %+v", len(s.Rows), s.Pages, p.asked[0])
		}
	})
	t.Run("R004-243 a provider that knows no times of checkpoints leaves the window to the rows", func(t *testing.T) {
		p := chainOf(60)
		p.blind = true
		s := open(t, p).scan(activity.Query{Since: at(40), Until: at(44)})
		if len(s.Rows) != 5 || !is(s.Complete, true) || s.HasMore {
			t.Errorf("%d rows, %v, %q", len(s.Rows), s.Complete, s.Reason)
		}
	})
	t.Run("R004-227 R004-315 a function is asked for with its sender, in full", func(t *testing.T) {
		p := chainOf(5)
		s := open(t, p).scan(activity.Query{Function: "0x2::coin::split"})
		if q := p.asked[0]; q.Affected != nil || *q.Sent != alice || q.Function != sui.MustAddress("0x2").String()+
			"::coin::split" || s.Query.Relationship != activity.Sent {
			t.Errorf("%+v", q)
		}
	})
	t.Run("R004-212 nobody is asked unless somebody asks", func(t *testing.T) {
		p := chainOf(5)
		h := open(t, p)
		h.connect(alice)
		if _, err := h.Summarize(context.Background(), activity.Span{Account: alice}, 5); err != nil || len(p.asked) != 0 {
			t.Errorf("%d questions, %v", len(p.asked), err)
		}
	})
	t.Run("a window before or after everything is empty and asks for no page", func(t *testing.T) {
		p := chainOf(5)
		h := open(t, p)
		for _, q := range []activity.Query{{Since: at(100)}, {Until: at(-10)}} {
			if s := h.scan(q); len(s.Rows) != 0 || len(p.asked) != 0 {
				t.Errorf("%d rows, %d pages", len(s.Rows), len(p.asked))
			}
		}
	})
}

func TestBadQueries(t *testing.T) {
	h := open(t, chainOf(60))
	first := h.scan(activity.Query{Limit: 5, From: num(0)})
	for name, c := range map[string]struct {
		q     activity.Query
		words string
	}{
		"R004-228 R004-229 a package": {activity.Query{Function: "0x2"}, "A package alone"},
		"R004-229 a module":           {activity.Query{Function: "0x2::coin"}, "A whole module"},
		"R004-229 type arguments": {activity.Query{Function: "0x2::coin::split<0x2::sui::SUI>"},
			"without type arguments"},
		"R004-228 four parts": {activity.Query{Function: "0x2::coin::split::x"}, "4 parts"},
		"R004-228 a name for a package": {activity.Query{Function: "@mysten/sui::coin::split"},
			"names are not resolved"},
		"R004-228 no identifier":    {activity.Query{Function: "0x2::coin::spl it"}, "identifiers"},
		"contradictory checkpoints": {activity.Query{From: num(5), To: num(4)}, "after toCheckpoint 4"},
		"contradictory moments":     {activity.Query{Since: at(2), Until: at(1)}, "after toTimestamp"},
		"a checkpoint beyond all":   {activity.Query{From: num(1 << 63)}, "larger than any checkpoint"},
		"too many rows":             {activity.Query{Limit: 101}, "from 1 to 100"},
		"another relationship":      {activity.Query{Relationship: "any"}, "affected or sent"},
		"R004-326 a foreign cursor": {activity.Query{Cursor: "abc"}, "not from this tool"},
		"R004-326 a cursor of another query": {activity.Query{Limit: 5, From: num(1), Cursor: first.Cursor},
			"belongs to another scan"},
		"R004-326 a cursor of another person": {activity.Query{Account: bob, Limit: 5, From: num(0), Cursor: first.Cursor},
			"belongs to another scan"},
		"R004-326 a damaged cursor": {activity.Query{Limit: 5, From: num(0), Cursor: damaged(first.Cursor)},
			"not from this tool"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := h.Scan(context.Background(), whole(c.q))
			wantFault(t, err, fault.InputInvalid, c.words)
		})
	}
	t.Run("R004-326 a cursor that the provider forgot makes no claim of history", func(t *testing.T) {
		p := chainOf(60)
		h := open(t, p)
		q := activity.Query{Limit: 5, From: num(0)}
		q.Cursor = h.scan(q).Cursor
		p.edit = func(int, sui.PastQuery, *sui.PastPage) error {
			return fault.New(fault.ProviderRefused, "Cursor out of range.")
		}
		_, err := h.Scan(context.Background(), whole(q))
		wantFault(t, err, fault.InputInvalid, "no longer accepts this cursor")
	})
}

// damaged changes one letter in the middle.
func damaged(c string) string {
	b := []byte(c)
	b[len(b)/2] ^= 1
	return string(b)
}

func TestProviders(t *testing.T) {
	foreign := func(p *sui.PastPage) {
		for i := range p.Transactions {
			if i%2 == 1 {
				p.Transactions[i].Sender = owner(bob)
			}
		}
	}
	for name, c := range map[string]struct {
		q      activity.Query
		edit   func(asked int, p *sui.PastPage) error
		reason string
		rows   int
	}{
		"repeats its cursor": {activity.Query{}, func(n int, p *sui.PastPage) error { p.Cursor = "50"; return nil },
			activity.ReasonRepeats, 100},
		"R004-240 R004-241 lies about order": {activity.Query{Limit: 10}, func(_ int, p *sui.PastPage) error {
			p.Transactions[0], p.Transactions[5] = p.Transactions[5], p.Transactions[0]
			return nil
		}, activity.ReasonOrdering, 10},
		"R004-252 R004-316 gives rows of another sender": {activity.Query{Limit: 10, Relationship: activity.Sent},
			func(_ int, p *sui.PastPage) error { foreign(p); return nil }, activity.ReasonForeign, 10},
		"breaks off midway": {activity.Query{}, func(n int, _ *sui.PastPage) error {
			if n > 1 {
				return fault.New(fault.ProviderUnavailable, "It broke off.")
			}
			return nil
		}, activity.ReasonError, 50},
		"goes round in a circle": {activity.Query{}, func(n int, p *sui.PastPage) error {
			p.Transactions, p.Cursor = p.Transactions[:5], []string{"5", "10", "5"}[n-1]
			return nil
		}, activity.ReasonRepeats, 15},
		"repeats a page under new cursors": {activity.Query{}, func(n int, p *sui.PastPage) error {
			p.Transactions, p.Cursor = chainOf(200).list[:5], strconv.Itoa(n)
			return nil
		}, activity.ReasonRepeats, 5},
		"contradicts itself midway": {activity.Query{}, func(n int, _ *sui.PastPage) error {
			if n > 1 {
				return fault.New(fault.ProviderMismatch, "It lists one transaction twice.")
			}
			return nil
		}, activity.ReasonLies, 50},
		"is another network midway, and not admitted": {activity.Query{}, func(n int, _ *sui.PastPage) error {
			if n > 1 {
				return fault.New(fault.NetworkMismatch, "The node at hand is another chain.")
			}
			return nil
		}, activity.ReasonNetwork, 50},
		"says midway that it is another chain": {activity.Query{}, func(n int, p *sui.PastPage) error {
			p.Chain = sui.ChainMark{7, 7, 7, 7}
			if n > 1 {
				p.Chain[0]++
			}
			return nil
		}, activity.ReasonNetwork, 50},
		"gives empty pages for ever": {activity.Query{}, func(n int, p *sui.PastPage) error {
			p.Transactions = nil
			p.Cursor = strings.Repeat("1", n/3+1) + "234"[n%3:n%3+1]
			return nil
		}, activity.ReasonPages, 0},
	} {
		t.Run(name, func(t *testing.T) {
			p := chainOf(200)
			p.edit = func(n int, _ sui.PastQuery, page *sui.PastPage) error { return c.edit(n, page) }
			h := open(t, p)
			h.connect(alice)
			s := h.scan(c.q)
			if s.Reason != c.reason || !is(s.Complete, false) || len(s.Rows) != c.rows {
				t.Errorf("reason %q, complete %v, %d rows", s.Reason, s.Complete, len(s.Rows))
			}
			for _, r := range s.Rows {
				if c.q.Relationship == activity.Sent && *r.Sender != alice {
					t.Error("a foreign row came through")
				}
			}
			got, err := h.db.Activity(context.Background(), activity.Span{Account: alice}, 5)
			if err != nil || got.Count != len(s.Rows) || (c.reason != activity.ReasonError && len(got.Covered) > 0) {
				t.Errorf("stored %d, covered %v, %v", got.Count, got.Covered, err)
			}
			if c.reason == activity.ReasonError && !s.HasMore {
				t.Error("the rest cannot be asked for")
			}
		})
	}
	t.Run("is another chain than the node: nothing is stored", func(t *testing.T) {
		p := chainOf(20)
		p.edit = func(_ int, _ sui.PastQuery, page *sui.PastPage) error { page.Chain = sui.ChainMark{1}; return nil }
		h := open(t, p)
		h.connect(alice)
		s := h.scan(activity.Query{})
		if len(s.Rows) != 20 || s.Kept.Stored || s.Kept.Reason != activity.ReasonOtherChain {
			t.Errorf("%d rows, %+v", len(s.Rows), s.Kept)
		}
		p.list[3].Chain = sui.ChainMark{1}
		i, err := h.Inspect(context.Background(), p.list[3].Digest, owner(alice))
		if err != nil || !i.Found || i.Kept.Reason != activity.ReasonOtherChain {
			t.Errorf("%+v, %v", i.Kept, err)
		}
		if got, err := h.db.Activity(context.Background(), activity.Span{Account: alice}, 5); err != nil || got.Count != 0 {
			t.Errorf("%d stored, %v", got.Count, err)
		}
	})
	t.Run("gives more than it was asked for", func(t *testing.T) {
		p := chainOf(200)
		p.edit = func(_ int, _ sui.PastQuery, page *sui.PastPage) error {
			page.Transactions = p.list[:60]
			return nil
		}
		_, err := open(t, p).Scan(context.Background(), whole(activity.Query{}))
		wantFault(t, err, fault.ProviderMismatch, "at most 50")
	})
	t.Run("fails at once: stored facts stay", func(t *testing.T) {
		p := chainOf(20)
		h := open(t, p)
		h.connect(alice)
		h.scan(activity.Query{})
		p.edit = func(int, sui.PastQuery, *sui.PastPage) error {
			return fault.New(fault.TooLarge, "The answer is larger than 20 MiB.")
		}
		_, err := h.Scan(context.Background(), whole(activity.Query{}))
		wantFault(t, err, fault.TooLarge, "20 MiB")
		if got, err := h.db.Activity(context.Background(), activity.Span{Account: alice}, 100); err != nil ||
			got.Count != 20 {
			t.Errorf("%d left, %v", got.Count, err)
		}
	})
	t.Run("a caller that leaves is told so, and not blamed on the provider", func(t *testing.T) {
		p := chainOf(20)
		ctx, cancel := context.WithCancel(context.Background())
		p.edit = func(int, sui.PastQuery, *sui.PastPage) error {
			cancel()
			return fault.New(fault.RequestAborted, "The call was cancelled.")
		}
		_, err := open(t, p).Scan(ctx, whole(activity.Query{}))
		wantFault(t, err, fault.RequestAborted, "cancelled")
	})
}
