package swap_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/swap"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// pool returns fixed values.
type pool struct {
	snapshot deepbook.Snapshot
	err      error
}

func (p pool) Snapshot(_ context.Context, q deepbook.Request) (deepbook.Snapshot, error) {
	s := p.snapshot
	s.Quote.Input, s.Quote.Used = q.Amount, q.Amount-s.Quote.Unspent
	return s, p.err
}

// run runs the adapter's stages for an intent.
func run(t *testing.T, p pool, in plan.Intent) (*plan.Step, error) {
	t.Helper()
	now := func() time.Time { return time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC) }
	p.snapshot.Quote.At = now()
	a := swap.New(p)
	planned, err := a.Plan(in, now())
	if err != nil {
		t.Fatal(err)
	}
	d := plan.NewStep(planned, in, sui.MustAddress("0xa"), now, 30*time.Second)
	for _, s := range a.Stages(planned) {
		if err := s.Run(context.Background(), d); err != nil {
			return d, err
		}
	}
	return d, nil
}

func intent(amount, from, to string) plan.Intent {
	return plan.Intent{Type: "swap", From: plan.IntentSource{Symbol: from, Amount: amount},
		To:             plan.IntentTarget{Symbol: to},
		MaxSlippageBps: 50}
}

func snapshot(out, unspent sui.Raw, taker, lot, least, mid sui.Raw) deepbook.Snapshot {
	return deepbook.Snapshot{
		Quote: deepbook.Quote{Source: deepbook.Source{Package: registry.Packages()[0].ID}, Out: out, Unspent: unspent,
			Function: "pool::f"},
		Parameters: deepbook.Parameters{TakerFee: taker, Lot: lot, Min: least}, Mid: mid, SharedVersion: 5,
	}
}

func TestQuoteInWords(t *testing.T) {
	cases := []struct {
		name      string
		s         deepbook.Snapshot
		in        plan.Intent
		fee       string
		effective string
		minimum   string
		sentence  string
	}{
		// 10 SUI traded at 3 USDC; 1.25 basis points of fee; the rest of the lot returns.
		{"a lot's rest", snapshot(30_000_000, 48_750_000, 100_000, 100_000_000, 1_000_000_000, 3_000_000), intent("10.05",
			"SUI", "USDC"),
			"0.00125", "2.999625", "29.85",
			"10.05 SUI in: 10 SUI traded, 0.00125 SUI as DeepBook's fee, 0.04875 SUI returned."},
		{"no fee, nothing returned", snapshot(99_000_000, 0, 0, 1_000_000, 10_000_000, 99_000_000_000), intent("100", "DEEP",
			"SUI"),
			"0", "0.00099", "0.098505", "100 DEEP in: 100 DEEP traded."},
		{"buying base", snapshot(10_000_000_000, 5_000, 0, 100_000_000, 1_000_000_000, 3_000_000), intent("30.005", "USDC",
			"SUI"),
			"0", "3", "9.95", "30.005 USDC in: 30 USDC traded, 0.005 USDC returned."},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			d, err := run(t, pool{snapshot: c.s}, c.in)
			if err != nil {
				t.Fatal(err)
			}
			q := d.Quote
			if string(q.Fee.Display) != c.fee || q.EffectivePrice != c.effective || string(q.Minimum.Display) != c.minimum {
				t.Errorf("fee %s, effective %s, minimum %s", q.Fee.Display, q.EffectivePrice, q.Minimum.Display)
			}
			if q.Sentences[0] != c.sentence {
				t.Errorf("%q", q.Sentences[0])
			}
		})
	}
}

func TestMarketOfTheQuote(t *testing.T) {
	quoted := snapshot(28_000_000, 0, 0, 100_000_000, 1_000_000_000, 3_000_000)
	quoted.Bid, quoted.Ask = 2_999_000, 3_001_000
	d, err := run(t, pool{snapshot: quoted}, intent("10", "SUI", "USDC"))
	if err != nil {
		t.Fatal(err)
	}
	if m := d.Outlook.Market; m.Middle != "3" || m.Bid != "2.999" || m.Ask != "3.001" || m.Base.Symbol != "SUI" ||
		m.Quote.Symbol != "USDC" ||
		!m.ReadAt.Equal(d.Quote.FetchedAt) {
		t.Errorf("%+v", m)
	}
	// The quote is 28 USDC, with a minimum of 27.86. At the mid price, 10 SUI are worth 30.
	trade := d.Outlook.Trade
	if trade.Expected.Bps != 667 || trade.Expected.Amount.String() != "2 USDC" || trade.Guaranteed.Bps != 714 ||
		trade.Guaranteed.Amount.String() != "2.14 USDC" || trade.ImpactBps != 667 {
		t.Errorf("%+v", trade)
	}
	quoted.Mid, quoted.Ask = 0, 0
	if d, err = run(t, pool{snapshot: quoted}, intent("10", "SUI", "USDC")); err != nil || d.Outlook.Trade != nil ||
		d.Outlook.Market.Middle != "" ||
		d.Outlook.Market.Bid != "2.999" || d.Quote.MidPrice != "" {
		t.Errorf("an empty side: %+v, %v", d.Outlook, err)
	}
}

func TestStops(t *testing.T) {
	reasonOf := func(err error) plan.Reason {
		if stop, ok := err.(*plan.Stop); ok {
			return stop.Reason
		}
		return plan.Reason(fault.As(err).Code)
	}
	t.Run("nothing can be traded", func(t *testing.T) {
		s := snapshot(0, 10_000_000_000, 100_000, 100_000_000, 1_000_000_000, 3_000_000)
		if _, err := run(t, pool{snapshot: s}, intent("10", "SUI", "USDC")); reasonOf(err) != plan.QuoteUnavailable {
			t.Errorf("%v", err)
		}
	})
	t.Run("so little that no minimum remains", func(t *testing.T) {
		s := snapshot(1, 0, 0, 1, 1, 3_000_000)
		if _, err := run(t, pool{snapshot: s}, intent("10", "SUI", "USDC")); reasonOf(err) != plan.QuoteUnavailable {
			t.Errorf("%v", err)
		}
	})
	t.Run("an outage stays an outage", func(t *testing.T) {
		p := pool{err: fault.New(fault.ProviderUnavailable, "The node is gone.")}
		if _, err := run(t, p, intent("10", "SUI", "USDC")); reasonOf(err) != plan.Reason(fault.ProviderUnavailable) {
			t.Errorf("%v", err)
		}
	})
	t.Run("aborts of the pinned packages are explained", func(t *testing.T) {
		d, err := run(t, pool{snapshot: snapshot(30_000_000, 0, 0, 100_000_000, 1_000_000_000, 3_000_000)},
			intent("10", "SUI", "USDC"))
		if err != nil {
			t.Fatal(err)
		}
		pkg := registry.Packages()[0].ID
		for _, c := range []struct {
			abort sui.MoveAbort
			want  plan.Reason
		}{
			{sui.MoveAbort{Package: pkg, Module: "pool", Code: 12}, plan.QuoteStale},
			{sui.MoveAbort{Package: registry.OriginalPackage, Module: "pool", Code: 12}, plan.QuoteStale},
			{sui.MoveAbort{Package: pkg, Module: "pool", Code: 11}, plan.QuoteUnavailable},
			{sui.MoveAbort{Package: pkg, Module: "balance_manager", Code: 3}, plan.AmountMismatch},
		} {
			if stop := d.Explain(c.abort); stop == nil || stop.Reason != c.want {
				t.Errorf("%+v: %v", c.abort, stop)
			}
		}
		for _, unknown := range []sui.MoveAbort{{Package: sui.MustAddress("0xbad"), Module: "pool", Code: 12},
			{Package: registry.Packages()[1].ID, Module: "pool", Code: 12}} {
			if stop := d.Explain(unknown); stop != nil {
				t.Errorf("%+v is explained as %v", unknown, stop)
			}
		}
	})
}

// Every plan names its fee mode.
func TestPlansNameTheFeeMode(t *testing.T) {
	for mode, want := range map[string][2]string{
		"":      {"input", "from SUI (fee mode input)"},
		"input": {"input", "fee mode input"},
		"deep":  {"deep", "(fee mode deep)"},
	} {
		in := intent("10", "SUI", "USDC")
		in.FeeMode = mode
		p, err := swap.New(nil).Plan(in, time.Time{})
		if err != nil || p.FeeMode != want[0] || len(p.Notes) != 1 || !strings.Contains(p.Notes[0].Message, want[1]) {
			t.Errorf("%q: %v %+v", mode, err, p)
		}
	}
	in := intent("10", "SUI", "USDC")
	in.FeeMode = "free"
	if _, err := swap.New(nil).Plan(in, time.Time{}); fault.As(err).Detail.Get("field") != "intent.feeMode" {
		t.Errorf("%v", err)
	}
}

func TestPromptSurface(t *testing.T) {
	p := swap.New(nil).Prompt()
	m := swap.New(nil).Meta()
	if p.Name != m.Action+"-"+m.Slug || p.Argument != "intent" {
		t.Errorf("%+v", p)
	}
	for _, tool := range []string{"account.get_active_account", "session.create_wallet_identity",
		"action.prepare_sui_action_review",
		"session.wait_execution_result"} {
		if !strings.Contains(p.Text, tool) {
			t.Errorf("the text does not name %s", tool)
		}
	}
	if slices.Contains([]string{p.Title, p.Description, p.ArgumentDescription, p.Text}, "") {
		t.Errorf("%+v", p)
	}
}
