package activity_test

import (
	"context"
	"encoding/json"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sayurintent/sayurintent/internal/account/activity"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

func (h *house) stored(a sui.Address) activity.Stored {
	h.t.Helper()
	s, err := h.db.Activity(context.Background(), activity.Span{Account: a}, 1000)
	if err != nil {
		h.t.Fatal(err)
	}
	return s
}

func TestKeep(t *testing.T) {
	t.Run("R004-249 R004-304 nothing is stored of an account that no wallet gave", func(t *testing.T) {
		h := open(t, chainOf(5))
		s := h.scan(activity.Query{})
		if s.Kept.Stored || s.Kept.Reason != activity.ReasonUnknownAccount || s.Kept.Skipped != 5 ||
			h.stored(alice).Count != 0 {
			t.Errorf("%+v", s.Kept)
		}
	})
	t.Run("R004-248 R004-249 a known account's rows are stored, also when it is named", func(t *testing.T) {
		h := open(t, chainOf(5))
		h.connect(alice)
		h.connect(bob)
		if s := h.scan(activity.Query{}); !s.Kept.Stored || s.Kept.Count != 5 || h.stored(alice).Count != 5 ||
			h.stored(bob).Count != 0 {
			t.Errorf("%+v", s.Kept)
		}
	})
	t.Run("R004-251 a row that nothing ties to the account is shown and skipped", func(t *testing.T) {
		p := chainOf(5)
		p.list[1].Sender = owner(bob)
		p.list[1].Balances.Items = p.list[1].Balances.Items[2:]
		h := open(t, p)
		h.connect(alice)
		s := h.scan(activity.Query{})
		if len(s.Rows) != 5 || s.Kept.Count != 4 || s.Kept.Skipped != 1 {
			t.Errorf("%d rows, %+v", len(s.Rows), s.Kept)
		}
		if !activity.Covers(h.stored(alice).Covered, at(0), at(3)) {
			t.Error("its absence is proven, so the window stays covered")
		}
	})
	t.Run("R004-250 R004-253 R004-317 a foreign row of a function scan counts as skipped", func(t *testing.T) {
		p := chainOf(5)
		p.list[2].Sender = owner(bob)
		h := open(t, p)
		h.connect(alice)
		s := h.scan(activity.Query{Function: "0x2::coin::split"})
		if s.Kept.Count != 4 || s.Kept.Skipped != 1 || h.stored(alice).Count != 4 || len(h.stored(alice).Covered) != 0 {
			t.Errorf("%+v", s.Kept)
		}
	})
	t.Run("R004-288 R004-305 no other party is stored", func(t *testing.T) {
		p := chainOf(3)
		p.list[0].Sender, p.list[0].GasPayer = owner(bob), owner(bob)
		p.list[0].Objects.Items[0].ID = alice
		p.list[0].Status, p.list[0].Failure = sui.PastFailed, &sui.PastFailure{Message: "owned by " + bob.String()}
		for i := range p.list {
			p.list[i].Objects.Items[0].ID = alice
			p.list[i].Bytes = []byte("raw bytes")
		}
		h := open(t, p)
		h.connect(alice)
		h.scan(activity.Query{})
		rows := h.stored(alice).Rows
		text, err := json.Marshal(rows)
		if err != nil || len(rows) != 3 || strings.Contains(string(text), bob.String()[40:]) || strings.Contains(string(text),
			"cmF3IGJ5") {
			t.Errorf("%s %v", text, err)
		}
	})
	t.Run("a store that fails does not take the answer away", func(t *testing.T) {
		h := open(t, chainOf(5))
		h.connect(alice)
		h.Service = activity.New(activity.Config{Source: chainOf(5), Store: broken{h.db}, Accounts: h.accounts,
			Chain: func(context.Context) (sui.Digest, error) { return h.chain, nil }, Now: func() time.Time { return h.now }})
		if s := h.scan(activity.Query{}); len(s.Rows) != 5 || s.Kept.Stored || s.Kept.Reason != activity.ReasonStoreFailed {
			t.Errorf("%+v", s.Kept)
		}
	})
	t.Run("facts of another chain are forgotten", func(t *testing.T) {
		h := open(t, chainOf(5))
		h.connect(alice)
		h.scan(activity.Query{})
		h.chain = digest(1)
		h.scan(activity.Query{Limit: 2})
		if got := h.stored(alice); got.Count != 2 || len(got.Covered) != 1 || got.Covered[0].From != 4 {
			t.Errorf("%d rows, %+v", got.Count, got.Covered)
		}
	})
	t.Run("what an account did is forgotten with it", func(t *testing.T) {
		h := open(t, chainOf(5))
		h.connect(alice)
		h.scan(activity.Query{})
		if err := h.accounts.Forget(context.Background(), alice); err != nil {
			t.Fatal(err)
		}
		if got := h.stored(alice); got.Count != 0 || len(got.Covered) != 0 {
			t.Errorf("%+v", got)
		}
	})
}

type broken struct{ activity.Store }

func (broken) KeepActivity(context.Context, activity.Keep) (bool, error) {
	return false, fault.New(fault.InternalError, "The disk is full.")
}

func TestCoverage(t *testing.T) {
	t.Run("several scans together prove a window", func(t *testing.T) {
		h := open(t, chainOf(60))
		h.connect(alice)
		h.scan(activity.Query{From: num(0), To: num(29)})
		if activity.Covers(h.stored(alice).Covered, at(0), at(50)) {
			t.Fatal("half is no whole")
		}
		q := activity.Query{Limit: 20, From: num(30)}
		q.Cursor = h.scan(q).Cursor
		h.scan(q)
		got := h.stored(alice)
		if len(got.Covered) != 1 || got.Covered[0].From != 0 || got.Covered[0].To != 59 || got.Count != 60 {
			t.Errorf("%+v, %d rows", got.Covered, got.Count)
		}
	})
	t.Run("a page that was not stored proves nothing for the one after it", func(t *testing.T) {
		h := open(t, chainOf(60))
		q := activity.Query{Limit: 20, From: num(0)}
		q.Cursor = h.scan(q).Cursor
		h.connect(alice)
		h.scan(q)
		if got := h.stored(alice).Covered; len(got) != 1 || got[0].To != 39 || got[0].From != 21 {
			t.Errorf("%+v", got) // checkpoint 40 has the last row of the page before
		}
	})
	t.Run("a row of unknown balance changes leaves a hole", func(t *testing.T) {
		p := chainOf(9)
		p.list[4].Balances.More = true // checkpoint 4
		h := open(t, p)
		h.connect(alice)
		h.scan(activity.Query{})
		got := h.stored(alice).Covered
		if len(got) != 2 || got[0].To != 3 || got[1].From != 5 || activity.Covers(got, at(0), at(7)) || !activity.Covers(got,
			at(5), at(7)) {
			t.Errorf("%+v", got)
		}
	})
	t.Run("R004-245 what the provider does not keep any more is not covered", func(t *testing.T) {
		p := chainOf(30)
		p.first = 10
		p.list = p.list[:20]
		p.list = append([]sui.PastTransaction{}, p.list...)
		h := open(t, &pruned{p})
		h.connect(alice)
		s := h.scan(activity.Query{From: num(0)})
		if !is(s.Complete, false) || s.Reason != activity.ReasonGone {
			t.Errorf("%v %q", s.Complete, s.Reason)
		}
		if got := h.stored(alice).Covered; len(got) != 1 || got[0].From != 10 {
			t.Errorf("%+v", got)
		}
	})
	t.Run("R004-324 the merging of intervals", func(t *testing.T) {
		in := []activity.Interval{{From: 10, To: 20, Since: 100, Until: 200}, {From: 0, To: 9, Since: 0, Until: 99},
			{From: 30, To: 40, Since: 300, Until: 400},
			{From: 12, To: 15, Since: 120, Until: 150}, {From: 7, To: 5}}
		want := []activity.Interval{{From: 0, To: 20, Since: 0, Until: 200}, {From: 30, To: 40, Since: 300, Until: 400}}
		if diff := cmp.Diff(want, activity.Merge(in)); diff != "" {
			t.Error(diff)
		}
	})
}

// pruned is a provider whose tip is that of the whole chain.
type pruned struct{ *provider }

func (p *pruned) Range(context.Context) (sui.PastRange, error) {
	return sui.PastRange{First: sui.PastCheckpoint{Number: 10, Time: at(10)}, Last: sui.PastCheckpoint{Number: 29,
		Time: at(29)}}, nil
}

func TestSummary(t *testing.T) {
	h := open(t, chainOf(60))
	h.connect(alice)
	h.scan(activity.Query{Limit: 30})
	s, err := h.Summarize(context.Background(), activity.Span{Account: alice}, 10)
	if err != nil {
		t.Fatal(err)
	}
	t.Run("R004-218 R004-237 R004-238 all are counted, the latest are analysed", func(t *testing.T) {
		if s.Stored.Count != 30 || s.Analysis.Overview.Transactions != 30 || s.Analysis.Overview.Analyzed != 10 ||
			len(s.Rows) != 10 ||
			s.Rows[0].Digest != digest(59) || s.Available.With != 10 || !s.Available.All {
			t.Errorf("%+v", s.Analysis.Overview)
		}
	})
	t.Run("R004-256 R004-289 stored details and their short form come back", func(t *testing.T) {
		r := s.Rows[0]
		if r.Detail == nil || r.Compact == nil || len(r.Detail.Calls) != 1 || r.Detail.Gas.Net.String() != "2500000" ||
			r.Effect.Role != activity.RoleSender ||
			len(r.Effect.Balances) != 2 || r.Effect.Evidence != activity.ChangesReturned {
			t.Errorf("%+v", r)
		}
	})
	t.Run("R004-233 R004-330 a looked up digest is stored with the others", func(t *testing.T) {
		i, err := h.Inspect(context.Background(), digest(3), nil)
		if err != nil || !i.Found || !i.Kept.Stored || h.stored(alice).Count != 31 {
			t.Errorf("%+v, %v", i.Kept, err)
		}
	})
	t.Run("a clock that was set back does not make old scans complete", func(t *testing.T) {
		h := open(t, chainOf(20))
		h.connect(alice)
		h.scan(activity.Query{})
		sum := func() activity.Coverage {
			t.Helper()
			s, err := h.Summarize(context.Background(), activity.Span{Account: alice}, 5)
			if err != nil {
				t.Fatal(err)
			}
			return s.Coverage
		}
		after := sum()
		h.now = at(10)
		if got := sum(); got != activity.CoveragePartial || after != activity.CoveragePartial {
			t.Errorf("%s, and before %s", got, after)
		}
		if h.now = at(19).Add(-30 * time.Second); sum() != activity.CoverageComplete {
			t.Error("half a minute is no proof of a wrong clock")
		}
	})
	t.Run("R004-246 rows without the proof of a window are partial coverage", func(t *testing.T) {
		if s.Coverage != activity.CoveragePartial {
			t.Errorf("%s", s.Coverage)
		}
	})
	t.Run("R004-303 a scan that proves nothing leaves its reason with the row", func(t *testing.T) {
		p := chainOf(5)
		p.edit = func(_ int, _ sui.PastQuery, page *sui.PastPage) error {
			l := page.Transactions
			l[0], l[1] = l[1], l[0]
			return nil
		}
		h := open(t, p)
		h.connect(alice)
		h.scan(activity.Query{})
		s, err := h.Summarize(context.Background(), activity.Span{Account: alice}, 10)
		if err != nil || s.Rows[0].Incomplete != activity.ReasonOrdering {
			t.Errorf("%q %v", s.Rows[0].Incomplete, err)
		}
	})
}

func TestInspect(t *testing.T) {
	ctx := context.Background()
	p := chainOf(5)
	h := open(t, p)
	t.Run("R004-28 R004-214 R004-304 an unrelated look-up is told and not stored", func(t *testing.T) {
		i, err := h.Inspect(ctx, digest(2), nil)
		if err != nil || !i.Found || i.Kept.Stored || i.Kept.Reason != activity.ReasonNoRelation || i.Effect != nil ||
			i.Transaction.Detail == nil {
			t.Errorf("%+v %v", i, err)
		}
	})
	t.Run("R004-254 the whole detail, with other parties", func(t *testing.T) {
		i, err := h.Inspect(ctx, digest(2), owner(alice))
		if err != nil || *i.Transaction.Detail.Balances[2].Owner != bob || i.Effect.Role != activity.RoleSender ||
			len(i.Compact.Balances) != 3 {
			t.Errorf("%+v %v", i, err)
		}
	})
	t.Run("R004-28 a balance change's owner that is known has it stored", func(t *testing.T) {
		h.connect(bob)
		i, err := h.Inspect(ctx, digest(2), owner(alice))
		if err != nil || !i.Kept.Stored || h.stored(bob).Count != 1 || h.stored(alice).Count != 0 {
			t.Errorf("%+v %v", i.Kept, err)
		}
		if row := h.stored(bob).Rows[0]; row.Role != activity.RoleAffected || len(row.Balances) != 1 ||
			row.Balances[0].Amount.String() != "-2" {
			t.Errorf("%+v", row)
		}
	})
	t.Run("R004-28 a sender that is known has it stored, whoever asks, and nobody else", func(t *testing.T) {
		p := chainOf(1)
		p.list[0].Balances.Items = p.list[0].Balances.Items[2:] // the sender shows in no change
		h := open(t, p)
		h.connect(alice)
		h.connect(sui.MustAddress("0xca401"))
		i, err := h.Inspect(ctx, digest(0), owner(bob))
		if err != nil || !i.Kept.Stored || h.stored(alice).Count != 1 || h.stored(bob).Count != 0 ||
			h.stored(sui.MustAddress("0xca401")).Count != 0 {
			t.Errorf("%+v %v", i.Kept, err)
		}
	})
	t.Run("R004-28 an account that is only named, or only connected, has nothing stored", func(t *testing.T) {
		h := open(t, chainOf(1))
		h.connect(sui.MustAddress("0xca401"))
		for _, asked := range []*sui.Address{nil, owner(alice), owner(sui.MustAddress("0xca401"))} {
			i, err := h.Inspect(ctx, digest(0), asked)
			if err != nil || i.Kept.Stored || h.stored(alice).Count+h.stored(sui.MustAddress("0xca401")).Count != 0 {
				t.Errorf("%v: %+v %v", asked, i.Kept, err)
			}
		}
	})
	t.Run("R004-306 what this provider does not have is not found, and no more", func(t *testing.T) {
		i, err := h.Inspect(ctx, digest(77), nil)
		if err != nil || i.Found || i.Kept.Reason != activity.ReasonNotFound {
			t.Errorf("%+v %v", i, err)
		}
	})
	t.Run("R004-259 R004-260 alike changes of nobody are counted together", func(t *testing.T) {
		p.list[0].Balances.Items = []sui.PastBalance{{Coin: usdc, Amount: sui.Delta{Amount: 5}},
			{Coin: usdc, Amount: sui.Delta{Amount: 5}}, {Owner: owner(bob), Coin: usdc, Amount: sui.Delta{Amount: 5}}}
		i, err := h.Inspect(ctx, digest(4), nil)
		if err != nil || len(i.Compact.Balances) != 2 || i.Compact.Balances[0].Count != 2 {
			t.Errorf("%+v %v", i.Compact, err)
		}
	})
	t.Run("bytes of another transaction are not taken for this one's", func(t *testing.T) {
		p.list[1].Bytes = []byte("something else")
		i, err := h.Inspect(ctx, digest(3), nil)
		if err != nil || i.Bytes != nil || !i.BytesDiffer {
			t.Errorf("%+v %v", i, err)
		}
	})
}

func TestTimeline(t *testing.T) {
	ctx := context.Background()
	p := chainOf(120) // two hours from noon
	h := open(t, p)
	h.connect(alice)
	span := activity.Span{Account: alice, Since: at(0), Until: at(120)}
	anchor := &activity.Anchor{At: at(119), Balances: map[sui.CoinType]*big.Int{usdc: big.NewInt(10_000),
		sui.SUI: big.NewInt(1_000_000_000)}}
	timeline := func() activity.Timeline {
		t.Helper()
		out, err := h.Timeline(ctx, span, activity.Hour, anchor)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	h.scan(activity.Query{Limit: 20})
	t.Run("without coverage nothing is said to have been held", func(t *testing.T) {
		if got := timeline(); got.HeldStatus != activity.HeldNoCoverage || len(got.Held) != 0 ||
			got.Coverage != activity.CoveragePartial {
			t.Errorf("%s %s", got.HeldStatus, got.Coverage)
		}
	})
	h.scan(activity.Query{From: num(0), To: num(50)})
	h.scan(activity.Query{From: num(51), To: num(100)})
	got := timeline()
	t.Run("exact net flows by bucket and coin", func(t *testing.T) {
		want := []activity.FlowBar{
			{Start: at(0), End: at(60), Coin: sui.SUI, Increase: "0", Decrease: "150000000", Net: "-150000000", Count: 60},
			{Start: at(0), End: at(60), Coin: usdc, Increase: "1770", Decrease: "0", Net: "1770", Count: 60},
			{Start: at(60), End: at(120), Coin: sui.SUI, Increase: "0", Decrease: "150000000", Net: "-150000000", Count: 60},
			{Start: at(60), End: at(120), Coin: usdc, Increase: "5370", Decrease: "0", Net: "5370", Count: 60},
		}
		if diff := cmp.Diff(want, got.Flows); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("held balances backwards from the present one", func(t *testing.T) {
		want := []activity.HeldBar{{End: at(60), Coin: usdc, Held: "4630"}, {End: at(60), Coin: sui.SUI, Held: "1150000000"},
			{End: at(120), Coin: usdc, Held: "10000"}, {End: at(120), Coin: sui.SUI, Held: "1000000000"}}
		if diff := cmp.Diff(want, got.Held); diff != "" || got.HeldStatus != activity.HeldReconstructed {
			t.Errorf("%s %s", got.HeldStatus, diff)
		}
	})
	t.Run("facts that contradict the present balance give none", func(t *testing.T) {
		anchor.Balances[usdc] = big.NewInt(100)
		if got := timeline(); got.HeldStatus != activity.HeldNegative || len(got.Held) != 0 {
			t.Errorf("%s", got.HeldStatus)
		}
	})
	t.Run("the anchor is read between two looks that agree", func(t *testing.T) {
		h.Service = activity.New(activity.Config{Source: p, Store: h.db, Accounts: h.accounts,
			Now:   func() time.Time { return h.now },
			Chain: func(context.Context) (sui.Digest, error) { return h.chain, nil },
			Balances: func(context.Context, sui.Address) ([]sui.Balance, error) {
				p.list = append([]sui.PastTransaction{sent(len(p.list))}, p.list...) // another writer is faster
				return nil, nil
			}})
		if a, err := h.Anchor(ctx, alice); err != nil || a != nil {
			t.Errorf("%+v %v", a, err)
		}
	})
	t.Run("too many bars are refused", func(t *testing.T) {
		_, err := h.Timeline(ctx, activity.Span{Account: alice, Since: at(0), Until: at(60 * 24 * 365)}, activity.QuarterHour,
			nil)
		wantFault(t, err, fault.InputInvalid, "at most 2000")
	})
	t.Run("the changes as CSV", func(t *testing.T) {
		text, more, err := h.CSV(ctx, activity.Span{Account: alice, Since: at(1), Until: at(3)})
		want := "timestamp,digest,coinType,amountRaw\n" +
			"2026-03-04T12:02:00Z," + digest(2).String() + "," + string(sui.SUI) + ",-2500000\n"
		if err != nil || more || strings.Count(string(text), "\n") != 5 || !strings.Contains(string(text), want[36:]) ||
			!strings.HasPrefix(string(text), want[:36]) {
			t.Errorf("%s %v", text, err)
		}
	})
}
