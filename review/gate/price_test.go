package gate_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/review"
	"github.com/sayurintent/sayurintent/review/gate"
)

// A price is judged by the guaranteed amount, whatever led to it.
func TestPriceAgainstTheMiddle(t *testing.T) {
	h := testkit.Start(t, time.Now, nil)
	h.Use(forger{Adapter: h.Product()}) // which asks for no cross rate
	for _, c := range []struct {
		slippage int
		class    plan.CheckClass
		accept   string
	}{{50, plan.ClassPass, ""}, {290, plan.ClassPass, ""}, {300, plan.ClassCaution, ""}, {950, plan.ClassCaution, ""},
		{1000, plan.ClassCaution, "price:"}} {
		t.Run("at most "+plan.Percent(c.slippage), func(t *testing.T) {
			in := testkit.Swap("10", "SUI", "USDC")
			in.MaxSlippageBps = c.slippage
			s := h.Ready(in)
			trade := s.State.Outlook[0].Trade
			got, _ := testkit.Check(s, "price_against_middle")
			figure := plan.PercentOf(trade.Guaranteed.Bps) + " less than at the market’s mid price (" +
				trade.Guaranteed.Amount.String() + " less)."
			if got.Class() != c.class || !strings.HasPrefix(got.Accept, c.accept) || (got.Accept == "") != (c.accept == "") ||
				!strings.HasSuffix(got.Message, figure) || got.Rule != "" {
				t.Errorf("%+v", got)
			}
			typed := strings.TrimSuffix(plan.PercentOf(trade.Guaranteed.Bps), "%")
			if c.accept != "" && (got.Accept != "price:"+typed || got.Typed() != typed || !strings.HasSuffix(got.AcceptText,
				"type the percentage: "+typed)) {
				t.Errorf("%+v", got)
			}
			if trade.Guaranteed.Bps <= int64(c.slippage) || trade.Guaranteed.Bps > int64(c.slippage)+10 ||
				trade.Expected.Bps > 10 || trade.ImpactBps > 10 {
				t.Errorf("%+v", trade)
			}
			if q := s.State.Quote; trade.Guaranteed.Amount.Raw <= q.Expected.Raw-q.Minimum.Raw {
				t.Errorf("%s less, of which %d is slippage", trade.Guaranteed.Amount, q.Expected.Raw-q.Minimum.Raw)
			}
		})
	}
	t.Run("no mid price", func(t *testing.T) {
		h := testkit.Start(t, time.Now, nil)
		h.Use(forger{Adapter: h.Product(), draft: func(d *plan.Step) { d.Outlook.Trade, d.Outlook.Market.Middle = nil, "" }})
		s := h.Ready(testkit.Swap("10", "SUI", "USDC"))
		if got, _ := testkit.Check(s, "price_against_middle"); got.Class() != plan.ClassCaution || got.Accept != "" ||
			!strings.Contains(got.Message, "no mid price") {
			t.Errorf("%+v", got)
		}
	})
}

// venue is an adapter of another venue that answers as a test wants.
type venue struct {
	plan.Adapter
	answer func(ctx context.Context, in plan.Amount, out plan.Asset) (plan.Reference, error)
}

func (v venue) Meta() plan.Meta {
	return plan.Meta{Action: "elsewhere", Slug: "elsewhere", Label: "Elsewhere"}
}

func (v venue) ReferencePrice(ctx context.Context, _ sui.Address, in plan.Amount, out plan.Asset) (plan.Reference,
	error) {
	return v.answer(ctx, in, out)
}

func TestOtherVenue(t *testing.T) {
	never := make(chan struct{})
	t.Cleanup(func() { close(never) })
	at := func(price sui.Decimal) func(context.Context, plan.Amount, plan.Asset) (plan.Reference, error) {
		return func(_ context.Context, in plan.Amount, out plan.Asset) (plan.Reference, error) {
			if in.String() != "10 SUI" || out.Symbol != "USDC" {
				return plan.Reference{}, fault.New(fault.InputInvalid, "asked with %s for %s", in, out.Symbol)
			}
			return plan.Reference{Venue: "Elsewhere", Pool: "P", Price: price}, nil
		}
	}
	for name, c := range map[string]struct {
		answer func(context.Context, plan.Amount, plan.Asset) (plan.Reference, error)
		other  sui.Decimal // "" for none
		apart  int64
		accept string
	}{
		"the same price":           {at("1.2929"), "1.2929", 0, ""},
		"a little apart":           {at("1.3"), "1.3", 55, ""},
		"almost a twentieth apart": {at("1.35754"), "1.35754", 500, "venues"},
		"just under it":            {at("1.35753"), "1.35753", 500, "venues"},
		"below a twentieth":        {at("1.35"), "1.35", 442, ""},
		"far above":                {at("2.1"), "2.1", 6243, "venues"},
		"far below":                {at("0.7758"), "0.7758", 4000, "venues"},
		"no price":                 {at(""), "", 0, ""},
		"a price of nothing":       {at("0"), "", 0, ""},
		"a price that is none":     {at("1e9"), "", 0, ""},
		"a price beyond all":       {at(sui.Decimal(strings.Repeat("9", 70))), "", 0, ""},
		"a refusal": {func(context.Context, plan.Amount, plan.Asset) (plan.Reference, error) {
			return plan.Reference{}, fault.New(fault.QuoteUnavailable, "no")
		}, "", 0, ""},
		"a panic": {func(context.Context, plan.Amount, plan.Asset) (plan.Reference, error) { panic("no") }, "", 0, ""},
		"silence until it is ended": {func(ctx context.Context, _ plan.Amount, _ plan.Asset) (plan.Reference, error) {
			<-ctx.Done()
			return plan.Reference{}, ctx.Err()
		}, "", 0, ""},
		"silence for ever": {func(context.Context, plan.Amount, plan.Asset) (plan.Reference, error) {
			<-never
			return plan.Reference{}, nil
		}, "", 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := testkit.Start(t, time.Now, nil)
			h.Use(h.Product(), venue{Adapter: h.Product(), answer: c.answer})
			s := h.Ready(testkit.Swap("10", "SUI", "USDC"))
			o := s.State.Outlook[0]
			check, told := testkit.Check(s, "price_other_venue")
			switch {
			case c.other == "":
				if o.Other != nil || told {
					t.Errorf("%+v %+v", o.Other, check)
				}
			case o.Market.Middle != "1.2929" || o.Other == nil || o.Other.Middle != c.other || o.Other.ApartBps != c.apart ||
				o.Other.Venue != "Elsewhere":
				t.Errorf("%+v beside %s", o.Other, o.Market.Middle)
			case check.Accept != c.accept || (check.Class() == plan.ClassCaution) != (c.accept != "") ||
				!strings.Contains(check.Message, string(c.other)+" USDC per SUI on Elsewhere"):
				t.Errorf("%+v", check)
			}
		})
	}
}

// With a second node, its answer about the other venue counts. A very different one from the first
// node is a contradiction.
func TestOtherVenueOfTwoNodes(t *testing.T) {
	tells := func(a plan.Adapter, price sui.Decimal) venue {
		return venue{Adapter: a, answer: func(context.Context, plan.Amount, plan.Asset) (plan.Reference, error) {
			if price == "" {
				return plan.Reference{}, fault.New(fault.QuoteUnavailable, "no")
			}
			return plan.Reference{Venue: "Elsewhere", Pool: "P", Price: price}, nil
		}}
	}
	for name, c := range map[string]struct{ own, second, want sui.Decimal }{ // want "none": the review is blocked
		"both agree":              {"1.3", "1.3", "1.3"},
		"they differ a little":    {"1.301", "1.3", "1.3"},
		"they differ much":        {"1.32", "1.3", "none"},
		"the first alone answers": {"1.3", "", ""},
		"the second alone":        {"", "1.3", "1.3"},
		// A silent second node must not remove a warning.
		"the first alone, and far away": {"1.5", "", "1.5"},
	} {
		t.Run(name, func(t *testing.T) {
			h := testkit.Start(t, time.Now, nil)
			h.Use(h.Product(), tells(h.Product(), c.own))
			h.Compare(func(s *gate.Second) { s.Adapters = []plan.Adapter{s.Adapters[0], tells(s.Adapters[0], c.second)} })
			s := h.Compute(h.Open(testkit.Swap("10", "SUI", "USDC")))
			if c.want == "none" {
				if s.Status != record.Blocked || s.State.Checks[0].ID != "provider_mismatch" {
					t.Errorf("%s %+v", s.Status, s.State.Checks[0])
				}
				return
			}
			if o := s.State.Outlook[0].Other; s.Status != record.Ready || (o == nil) != (c.want == "") || o != nil &&
				o.Middle != c.want {
				t.Errorf("%s %+v", s.Status, o)
			}
			asked := slices.ContainsFunc(s.State.Checks, func(c plan.Check) bool { return c.Accept == "venues" })
			if asked != (c.want == "1.5") {
				t.Errorf("a tick is asked for: %v", asked)
			}
		})
	}
}

// The product's two venues are asked for each other's price.
func TestVenuesOfTheProduct(t *testing.T) {
	h := testkit.Start(t, time.Now, nil)
	h.Use(append(h.Adapters(), h.FlowX())...)
	for protocol, other := range map[string]string{"deep": "FlowX", "flowx": "DeepBook"} {
		for _, in := range []plan.Intent{testkit.Swap("10", "SUI", "USDC"), testkit.Swap("50", "USDC", "SUI")} {
			in.Protocol = protocol
			s := h.Ready(in)
			o := s.State.Outlook[0]
			if o.Other == nil || o.Other.Venue != other || o.Other.ApartBps > 20 || o.Market.Base.Symbol != "SUI" ||
				!strings.HasPrefix(string(o.Market.Middle), "1.29") {
				t.Fatalf("%s for %s: %+v %+v", protocol, in.From.Symbol, o.Market, o.Other)
			}
			if o.Trade == nil || o.Trade.Guaranteed.Bps < 50 || o.Trade.Guaranteed.Bps > 70 ||
				o.Trade.Guaranteed.Amount.Symbol != in.To.Symbol {
				t.Errorf("%s for %s: %+v", protocol, in.From.Symbol, o.Trade)
			}
		}
	}
}

// Every market is compared with other prices, and the worst comparison counts.
func TestPriceOfEveryMarket(t *testing.T) {
	day := func(low, high sui.Decimal) func(context.Context, sui.CoinType, sui.CoinType) (sui.Decimal, sui.Decimal,
		error) {
		return func(context.Context, sui.CoinType, sui.CoinType) (sui.Decimal, sui.Decimal, error) {
			return low, high, nil
		}
	}
	for name, c := range map[string]struct {
		pool   string
		in     plan.Intent
		moved  int
		recent func(context.Context, sui.CoinType, sui.CoinType) (sui.Decimal, sui.Decimal, error)
		class  plan.CheckClass
		typed  bool
		with   string // in the judgement, "" for anything
		beside string // part of the comparisons
	}{
		"WAL as it is": {"WAL_USDC", testkit.Swap("10", "WAL", "USDC"), 0, nil, plan.ClassPass, false, "",
			"the cross rate of DeepBook over WAL_SUI and SUI_USDC"},
		"WAL moved by two fifths": {"WAL_USDC", testkit.Swap("10", "WAL", "USDC"), -4000, nil, plan.ClassCaution, true,
			"cross rate of DeepBook", "cross rate"},
		"DEEP moved by a twentieth": {"DEEP_USDC", testkit.Swap("100", "DEEP", "USDC"), -500, nil, plan.ClassCaution, false,
			"cross rate of DeepBook", "cross rate"},
		"a purchase where it is dear": {"WAL_USDC", testkit.Swap("10", "USDC", "WAL"), 4000, nil, plan.ClassCaution, true,
			"cross rate of DeepBook", "cross rate"},
		"under the lowest of a day": {"SUI_USDC", testkit.Swap("10", "SUI", "USDC"), 0, day("2", "3"), plan.ClassCaution,
			true, "the lowest price of the last 24 hours", "24 hours"},
		"over the highest of a day": {"SUI_USDC", testkit.Swap("10", "USDC", "SUI"), 0, day("0.5", "1"), plan.ClassCaution,
			true, "the highest price of the last 24 hours", "24 hours"},
		"within the range of a day": {"SUI_USDC", testkit.Swap("10", "SUI", "USDC"), 0, day("1.1", "1.4"), plan.ClassPass,
			false, "", "24 hours"},
	} {
		t.Run(name, func(t *testing.T) {
			h := testkit.Start(t, time.Now, func(cfg *review.Config) { cfg.Recent = c.recent })
			for _, symbol := range []string{"WAL", "DEEP"} {
				coin, _ := coins.BySymbol(symbol)
				h.Sandbox.Hold(sandbox.Account, coin.Type, 1_000_000_000_000, 0)
			}
			if c.moved != 0 {
				h.Inject(sandbox.Fault{Kind: sandbox.ShiftPrice, Pool: c.pool, BasisPoints: c.moved})
			}
			s := h.Ready(c.in)
			got, _ := testkit.Check(s, "price_against_middle")
			if got.Class() != c.class || (got.Typed() != "") != c.typed || !strings.Contains(got.Message, c.with) {
				t.Errorf("%+v", got)
			}
			if got, _ = testkit.Check(s, plan.CheckCompared); got.Class() != plan.ClassPass || !strings.Contains(got.Message,
				c.beside) {
				t.Errorf("%+v", got)
			}
		})
	}
	t.Run("nothing to compare with", func(t *testing.T) {
		h := testkit.Start(t, time.Now, nil)
		h.Use(forger{Adapter: h.Product()})
		s := h.Ready(testkit.Swap("10", "SUI", "USDC"))
		if got, _ := testkit.Check(s, plan.CheckCompared); got.Class() != plan.ClassNote || !strings.Contains(got.Message,
			"not compared with other markets") {
			t.Errorf("%+v", got)
		}
	})
}

// A book far under the other venue is one to stop at, and a payment has no price.
func TestABookFarUnderTheOther(t *testing.T) {
	h := testkit.Start(t, time.Now, nil)
	h.Use(append(h.Adapters(), h.FlowX())...)
	h.Inject(sandbox.Fault{Kind: sandbox.ShiftPrice, Pool: "SUI_USDC", BasisPoints: -4000})
	in := testkit.Swap("10", "SUI", "USDC")
	in.Protocol = "deep"
	s := h.Ready(in)
	check, _ := testkit.Check(s, "price_other_venue")
	if o := s.State.Outlook[0].Other; o == nil || o.ApartBps < 6000 || check.Accept != "venues" {
		t.Errorf("%+v %+v", o, check)
	}
	paid := h.Ready(plan.Intent{Type: "transfer", From: plan.IntentSource{Symbol: "USDC", Amount: "1"}, Recipient: "0x" +
		strings.Repeat("5f", 32)})
	if paid.State.Outlook != nil {
		t.Errorf("%+v", paid.State.Outlook)
	}
}

// With a second node, an order's market is compared too.
func TestSecondNodeOfAnOrder(t *testing.T) {
	market := func(change func(*plan.Market)) func(*plan.Step) {
		return func(d *plan.Step) { m := *d.Outlook.Market; change(&m); d.Outlook.Market = &m }
	}
	sold := func(price string) plan.Intent {
		return plan.Intent{Type: "limit-order", Order: &plan.Order{Pool: "SUI_USDC", Side: "sell", Price: price,
			Quantity: "10"}}
	}
	for name, c := range map[string]struct {
		in     plan.Intent
		lie    func(*plan.Step)
		id     string // the check that stops it; "" if nothing does
		reason plan.Reason
	}{
		"the same": {sold("1.29"), func(*plan.Step) {}, "", ""},
		"a far better bid": {sold("1.29"), market(func(m *plan.Market) { m.Bid = "2" }), "provider_mismatch",
			plan.EffectsMismatch},
		"a slightly better bid": {sold("1.29"), market(func(m *plan.Market) { m.Bid = "1.2927" }), "second_provider_lags",
			plan.ProviderUnavailable},
		"no asks": {sold("1.29"), market(func(m *plan.Market) { m.Ask = "" }), "provider_mismatch",
			plan.EffectsMismatch},
		"an ask that is no number": {sold("1.29"), market(func(m *plan.Market) { m.Ask = "none" }), "provider_mismatch",
			plan.EffectsMismatch},
		"another book": {sold("1.29"),
			func(d *plan.Step) { o := *d.Outlook.Order; o.Fills.Raw--; d.Outlook.Order = &o }, "provider_mismatch",
			plan.EffectsMismatch},
		"different coins for the object": {sold("9"), func(d *plan.Step) { d.Outlook.Holder[1].Before++ }, "provider_mismatch",
			plan.ObjectResolutionFailed},
		"a coin less of the object": {sold("9"), func(d *plan.Step) { d.Outlook.Holder = d.Outlook.Holder[:1] },
			"provider_mismatch", plan.ObjectResolutionFailed},
		"less that comes free": {plan.Intent{Type: "cancel-order", Order: &plan.Order{Pool: "SUI_USDC"}},
			func(d *plan.Step) { d.Outlook.Frees = nil }, "provider_mismatch", plan.ObjectResolutionFailed},
	} {
		t.Run(name, func(t *testing.T) {
			h := testkit.Start(t, time.Now, nil)
			id, err := h.Sandbox.OpenManager(sandbox.Manager{Owner: sandbox.Account, Registered: true,
				Orders:   []sandbox.RestingOrder{{Pool: "SUI_USDC", Price: 9_500_000, Quantity: 5_000_000_000}},
				Deposits: []sandbox.Deposit{{Coin: sui.SUI, Amount: 500_000_000_000}, {Coin: usdcType, Amount: 900_000_000}}})
			if err != nil {
				t.Fatal(err)
			}
			if c.in.Type == "cancel-order" {
				a, err := deepbook.NewInventory(h.Pools, h.Node).Account(t.Context(), "SUI_USDC", id)
				if err != nil {
					t.Fatal(err)
				}
				c.in.Own = plan.Own{"orderId": a.Orders[0].ID}
			}
			h.Compare(func(s *gate.Second) {
				for i, a := range s.Adapters {
					s.Adapters[i] = forger{Adapter: a, draft: c.lie}
				}
			})
			s := h.Compute(h.Open(c.in))
			if worst := s.State.Checks[0]; c.id == "" && s.Status != record.Ready || c.id != "" && (worst.ID != c.id ||
				s.Reason != c.reason || s.Commitment != "") {
				t.Errorf("%s %s %+v", s.Status, s.Reason, worst)
			}
		})
	}
}

// Nothing that is the same in every review is a warning.
func TestACleanReviewHasNoCaution(t *testing.T) {
	h := testkit.Start(t, time.Now, nil)
	id, err := h.Sandbox.OpenManager(sandbox.Manager{Owner: sandbox.Account, Registered: true,
		Orders:   []sandbox.RestingOrder{{Pool: "SUI_USDC", Price: 9_500_000, Quantity: 5_000_000_000}},
		Deposits: []sandbox.Deposit{{Coin: sui.SUI, Amount: 500_000_000_000}, {Coin: usdcType, Amount: 900_000_000}}})
	if err != nil {
		t.Fatal(err)
	}
	a, err := deepbook.NewInventory(h.Pools, h.Node).Account(t.Context(), "SUI_USDC", id)
	if err != nil {
		t.Fatal(err)
	}
	h.Use(append(h.Adapters(), h.FlowX())...)
	from := func(symbol, amount string) plan.IntentSource {
		return plan.IntentSource{Symbol: symbol, Amount: amount}
	}
	order := func(side, price string) plan.Intent {
		return plan.Intent{Type: "limit-order", Order: &plan.Order{Pool: "SUI_USDC", Side: side, Price: price,
			Quantity: "10"}}
	}
	elsewhere := testkit.Swap("10", "SUI", "USDC")
	elsewhere.Protocol = "flowx"
	here, back, deep := testkit.Swap("10.05", "SUI", "USDC"), testkit.Swap("50", "USDC", "SUI"), testkit.Swap("10", "SUI",
		"USDC")
	deep.FeeMode = "deep"
	for _, in := range []*plan.Intent{&here, &back, &deep} {
		in.Protocol = "deep"
	}
	for _, in := range []plan.Intent{here, back, deep, elsewhere, order("sell", "9"), order("sell", "1.29"),
		order("buy", "0.5"), order("buy", "1.3"),
		{Type: "cancel-order", Order: &plan.Order{Pool: "SUI_USDC"},
			Own: plan.Own{"orderId": a.Orders[0].ID}}, {Type: "manager-create"},
		{Type: "manager-deposit", From: from("SUI", "10")}, {Type: "manager-withdraw", To: plan.IntentTarget{Symbol: "USDC",
			Amount: "5"}},
	} {
		s := h.Ready(in)
		for _, c := range s.State.Checks {
			if c.Class() == plan.ClassCaution || c.Accept != "" {
				t.Errorf("%s %+v: %+v", in.Type, in.From, c)
			}
		}
	}
}
