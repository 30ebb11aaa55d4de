package assets_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sayurintent/sayurintent/internal/account/assets"
	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
)

func TestGroups(t *testing.T) {
	groups, err := assets.Groups()
	if err != nil || len(groups) != 1 {
		t.Fatalf("%v, %v", groups, err)
	}
	g := groups[0]
	t.Run("R004-147 one group, known by the words of people", func(t *testing.T) {
		if g.ID != "SUI_USD_SETTLEMENT_ASSETS" {
			t.Errorf("the group is %s", g.ID)
		}
		for _, word := range []string{"dollar", "dollars", "USD", "USD-like", "stablecoin", "stablecoins", "달러", " Dollar ",
			"\u1103\u1161\u11af\u1105\u1165", "ＵＳＤ"} {
			if got, err := assets.GroupOf(word); err != nil || got.ID != g.ID {
				t.Errorf("%q means %q, %v", word, got.ID, err)
			}
		}
		for _, word := range []string{"", "euro", "USDC", "dol", "dollar dollar", "\u202edollar", strings.Repeat("x", 1000)} {
			_, err := assets.GroupOf(word)
			wants(t, err, fault.InputInvalid, "field", "denomination")
			if len(fault.As(err).Text) > 300 {
				t.Errorf("the refusal of %q has %d bytes", word, len(fault.As(err).Text))
			}
		}
	})
	t.Run("R004-148 every member is pinned and traded by pinned pools", func(t *testing.T) {
		if diff := cmp.Diff([]string{"USDC", "USDT", "WUSDC", "WUSDT", "AUSD", "USDSUI", "SUIUSDE"},
			g.Symbols()); diff != "" {
			t.Error(diff)
		}
		for _, m := range g.Members {
			if c, ok := coins.BySymbol(m.Symbol); !ok || c != m.Coin || len(m.Pools) == 0 {
				t.Errorf("%+v", m)
			}
			for _, key := range m.Pools {
				if p, ok := registry.PoolByKey(key); !ok || !p.Has(m.Type) {
					t.Errorf("%s: pool %s", m.Symbol, key)
				}
			}
		}
	})
	t.Run("R004-149 every other pinned coin is excluded for a reason", func(t *testing.T) {
		reasons := map[string]string{}
		for _, e := range g.Excluded {
			reasons[e.Symbol] = e.Reason
		}
		want := map[string]string{
			"DEEP": "protocol_fee_asset", "SUI": "gas_or_volatile_asset", "BETH": "volatile_or_non_usd_asset",
			"LZWBTC": "volatile_or_non_usd_asset", "WETH": "volatile_or_non_usd_asset", "WBTC": "volatile_or_non_usd_asset",
			"XBTC": "volatile_or_non_usd_asset",
		}
		for _, s := range []string{"WAL", "NS", "TYPUS", "DRF", "SEND", "IKA", "ALKIMI"} {
			want[s] = "not_in_usd_settlement_asset_group"
		}
		if diff := cmp.Diff(want, reasons); diff != "" || len(g.Members)+len(g.Excluded) != len(coins.All()) {
			t.Error(diff)
		}
	})
}

// exchange answers for pools with a test's values.
type exchange struct {
	prices  map[string]string // mid price by pool key
	out     map[string]sui.Raw
	failing error
}

func (x exchange) pool(key string) (registry.Pool, error) {
	p, _ := registry.PoolByKey(key)
	if x.failing != nil {
		return p, x.failing
	}
	return p, nil
}

func (x exchange) MidPrice(_ context.Context, key string) (deepbook.Mid, error) {
	p, err := x.pool(key)
	price, ok := x.prices[key]
	if err == nil && !ok {
		err = fault.New(fault.QuoteUnavailable, "The book is empty.")
	}
	return deepbook.Mid{Source: deepbook.Source{Pool: p}, Price: sui.Decimal(price), Raw: 1}, err
}

func (x exchange) Quote(_ context.Context, r deepbook.Request) (deepbook.Quote, error) {
	p, err := x.pool(r.PoolKey)
	out, ok := x.out[r.PoolKey]
	if err == nil && !ok {
		err = fault.New(fault.QuoteUnavailable, "The book is too thin.")
	}
	return deepbook.Quote{Source: deepbook.Source{Pool: p}, Direction: r.Direction, FeeMode: r.FeeMode, Input: r.Amount,
		Out: out}, err
}

func (p *place) over(x exchange) *assets.Service {
	return assets.New(assets.Config{Chain: p, Cache: p.Store, Pools: x, Now: p.Clock.Now})
}

func TestParity(t *testing.T) {
	p := build(t)
	ctx := context.Background()
	x := exchange{prices: map[string]string{
		"USDT_USDC": "1.0003", "WUSDC_USDC": "0.9991", "WUSDT_USDC": "1.0003", "AUSD_USDC": "0.999750001",
	}}
	got, err := p.over(x).Parity(ctx, "dollar", "")
	if err != nil {
		t.Fatal(err)
	}
	prices := map[string]string{}
	for _, a := range got.Assets {
		prices[a.Coin.Symbol] = string(a.Status) + " " + string(a.Price)
	}
	t.Run("R004-153 R004-154 R004-155 each asset with its pool's price", func(t *testing.T) {
		want := map[string]string{
			"USDC": "reference 1", "USDT": "direct_pool_mid_price 1.0003", "WUSDC": "direct_pool_mid_price 0.9991",
			"WUSDT": "direct_pool_mid_price 1.0003", "AUSD": "direct_pool_mid_price 0.999750001",
			"USDSUI": "mid_price_unavailable ", "SUIUSDE": "mid_price_unavailable ",
		}
		if diff := cmp.Diff(want, prices); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("R004-156 minimum, maximum, mean and median over what has a price", func(t *testing.T) {
		// (1 + 1.0003 + 0.9991 + 1.0003 + 0.999750001) / 5
		want := []any{assets.Extreme{Price: "0.9991", Symbols: []string{"WUSDC"}},
			assets.Extreme{Price: "1.0003", Symbols: []string{"USDT", "WUSDT"}}, sui.Decimal("0.99989"), sui.Decimal("1"), 4, 2}
		if diff := cmp.Diff(want, []any{got.Least, got.Most, got.Mean, got.Median, got.Compared, got.Missing}); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("R004-152 the default reference is USDC", func(t *testing.T) {
		if got.Reference.Symbol != "USDC" {
			t.Errorf("the reference is %s", got.Reference.Symbol)
		}
	})
	t.Run("another reference turns the price around, to nine places", func(t *testing.T) {
		got, err := p.over(x).Parity(ctx, "usd", "usdt")
		if err != nil {
			t.Fatal(err)
		}
		prices := map[string]string{}
		for _, a := range got.Assets {
			prices[a.Coin.Symbol] = string(a.Status) + " " + string(a.Price)
		}
		if prices["USDC"] != "inverted_direct_pool_mid_price 0.99970009" || prices["USDT"] != "reference 1" ||
			prices["AUSD"] != "no_direct_deepbook_pool " {
			t.Errorf("got %v", prices)
		}
		if got.Median != "0.999850045" || got.Mean != got.Median || got.Missing != 5 {
			t.Errorf("median %s, mean %s, missing %d", got.Median, got.Mean, got.Missing)
		}
	})
	t.Run("empty books leave the reference alone", func(t *testing.T) {
		got, err := p.over(exchange{}).Parity(ctx, "dollar", "USDC")
		if err != nil || got.Compared != 0 || got.Missing != 6 || got.Assets[1].Cause != fault.QuoteUnavailable {
			t.Errorf("%+v, %v", got, err)
		}
	})
	t.Run("an outage is told as an outage", func(t *testing.T) {
		_, err := p.over(exchange{failing: fault.New(fault.ProviderUnavailable, "Down.")}).Parity(ctx, "dollar", "")
		wants(t, err, fault.ProviderUnavailable)
	})
	t.Run("a price of zero is none", func(t *testing.T) {
		got, err := p.over(exchange{prices: map[string]string{"USDT_USDC": "0"}}).Parity(ctx, "dollar", "USDT")
		if err != nil || got.Compared != 0 {
			t.Errorf("%+v, %v", got, err)
		}
	})
	t.Run("a reference outside the group is refused with the choices", func(t *testing.T) {
		_, err := p.over(x).Parity(ctx, "dollar", "SUI")
		wants(t, err, fault.InputInvalid, "field", "referenceAssetSymbol")
	})
	t.Run("a cancelled call is told as that", func(t *testing.T) {
		ctx, cancel := context.WithCancel(ctx)
		cancel()
		_, err := p.over(x).Parity(ctx, "dollar", "")
		wants(t, err, fault.RequestAborted)
	})
}

// wallet returns owner display amounts of pinned coins.
func (p *place) wallet(t testing.TB, amounts map[string]string) {
	t.Helper()
	for symbol, amount := range amounts {
		c := pinned(t, symbol)
		raw, err := sui.Decimal(amount).Raw(c.Decimals)
		if err != nil {
			t.Fatal(err)
		}
		p.Sandbox.Hold(owner, c.Type, uint64(raw), 0)
	}
}

var cover1000 = assets.Question{Kind: assets.CoverPayment, Denomination: "달러", Required: "1000"}

func targeting(q assets.Question, symbol string, source assets.SelectionSource) assets.Question {
	q.Target, q.TargetSource = symbol, source
	return q
}

// TestGoldenAnswers: answers that every implementation must give, to the digit.
func TestGoldenAnswers(t *testing.T) {
	total := assets.Question{Kind: assets.BalanceTotal, Denomination: "달러"}
	for _, c := range []struct {
		name    string
		amounts map[string]string
		q       assets.Question
		want    assets.Preview
		choices []string
	}{
		{"korean_dollar_payment_coverage", map[string]string{"USDC": "1000", "USDT": "500"}, cover1000,
			assets.Preview{Conclusion: assets.Covered, Total: "1500", Required: "1000", Short: "0"},
			[]string{"settlement_asset"}},
		{"korean_dollar_balance_total", map[string]string{"USDC": "1000", "USDT": "500"}, total,
			assets.Preview{Conclusion: assets.TotalOnly, Total: "1500"}, nil},
		{"korean_dollar_shortfall_with_prior_target", map[string]string{"USDC": "400"}, targeting(cover1000, "USDC",
			assets.PriorExplicit),
			assets.Preview{Conclusion: assets.Short, Total: "400", Required: "1000", Short: "600"}, nil},
		{"quote_detour_shortfall_guard", map[string]string{"USDC": "278.890119", "SUI": "1000"}, cover1000,
			assets.Preview{Conclusion: assets.Short, Total: "278.890119", Required: "1000", Short: "721.109881"},
			[]string{"settlement_asset"}},
	} {
		t.Run("R004-164 "+c.name, func(t *testing.T) {
			p := build(t)
			p.wallet(t, c.amounts)
			got, err := p.Preview(context.Background(), owner, c.q)
			if err != nil {
				t.Fatal(err)
			}
			had := assets.Preview{Conclusion: got.Conclusion, Total: got.Total, Required: got.Required, Short: got.Short}
			if diff := cmp.Diff(c.want, had); diff != "" {
				t.Error(diff)
			}
			if ids := choiceIDs(got); !slices.Equal(ids, c.choices) {
				t.Errorf("choices %v, want %v", ids, c.choices)
			}
		})
	}
	t.Run("R004-188 explicit_usdc_shortfall", func(t *testing.T) {
		p := build(t)
		p.wallet(t, map[string]string{"USDC": "400", "USDT": "250", "WUSDC": "300", "AUSD": "0.5", "SUI": "1000"})
		x := exchange{out: map[string]sui.Raw{"USDT_USDC": 249_900_000, "WUSDC_USDC": 299_000_000}}
		got, err := p.over(x).Preview(context.Background(), owner, targeting(cover1000, "USDC", assets.UserExplicit))
		if err != nil {
			t.Fatal(err)
		}
		want := assets.Target{Coin: pinned(t, "USDC"), Source: assets.UserExplicit, Amount: "400", Short: "600"}
		if diff := cmp.Diff(&want, got.Target); diff != "" {
			t.Error(diff)
		}
		if got.Total != "950.5" || got.Short != "49.5" || got.Conclusion != assets.Short {
			t.Errorf("total %s, short %s, %s", got.Total, got.Short, got.Conclusion)
		}
		if diff := cmp.Diff(map[string]string{"USDT": "quoted 249900000", "WUSDC": "quoted 299000000",
			"AUSD": "quote_unavailable quote_unavailable"}, conversions(got)); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]assets.Choice{{ID: "source_assets_for_conversion", Options: []string{"USDT", "WUSDC"}}},
			got.Choices); diff != "" {
			t.Error(diff)
		}
	})
}

func choiceIDs(p assets.Preview) []string {
	var ids []string
	for _, c := range p.Choices {
		ids = append(ids, c.ID)
	}
	return ids
}

func conversions(p assets.Preview) map[string]string {
	all := map[string]string{}
	for _, c := range p.Conversions {
		all[c.From.Coin.Symbol] = string(c.Status)
		switch {
		case c.Quote != nil:
			all[c.From.Coin.Symbol] += " " + c.Quote.Out.String()
		case c.Cause != "":
			all[c.From.Coin.Symbol] += " " + string(c.Cause)
		}
	}
	return all
}

func TestConversions(t *testing.T) {
	ctx := context.Background()
	p := build(t)
	p.wallet(t, map[string]string{"USDC": "400", "USDT": "250", "AUSD": "10", "SUI": "5"})
	p.Sandbox.Hold(owner, pinned(t, "WUSDC").Type, 0, 9_000_000)
	x := exchange{out: map[string]sui.Raw{"USDT_USDC": 1, "AUSD_USDC": 2, "WUSDC_USDC": 3}}
	usdc := targeting(cover1000, "USDC", assets.UserExplicit)
	accepting := usdc
	accepting.Accepted = []string{"AUSD"}
	small := usdc
	small.Required = "400"
	for _, c := range []struct {
		name    string
		x       exchange
		q       assets.Question
		want    map[string]string
		choices []string
	}{
		{"R004-194 nothing is converted into a coin that nobody chose", x, cover1000, map[string]string{
			"USDC": "target_asset_not_selected", "USDT": "target_asset_not_selected", "AUSD": "target_asset_not_selected",
			"WUSDC": "target_asset_not_selected"}, []string{"settlement_asset"}},
		{"R004-184 a chosen coin that is short", x, usdc, map[string]string{
			"USDT": "quoted 1", "AUSD": "quoted 2", "WUSDC": "quoted 3"}, []string{"source_assets_for_conversion"}},
		{"R004-192 only what the person accepts", x, accepting, map[string]string{
			"USDT": "filtered_by_accepted_source_assets", "AUSD": "quoted 2", "WUSDC": "filtered_by_accepted_source_assets"},
			nil},
		{"a chosen coin that is enough", x, small, map[string]string{
			"USDT": "target_asset_covers_the_amount", "AUSD": "target_asset_covers_the_amount",
			"WUSDC": "target_asset_covers_the_amount"}, nil},
		{"a coin without a direct pool", x, targeting(cover1000, "USDT", assets.UserExplicit), map[string]string{
			"USDC": "quoted 1", "AUSD": "no_direct_deepbook_pool", "WUSDC": "no_direct_deepbook_pool"},
			[]string{"source_assets_for_conversion"}},
		{"an outage takes nothing from the coverage, and is told", exchange{failing: fault.New(fault.ProviderUnavailable,
			"Down.")}, usdc,
			map[string]string{"USDT": "quote_unavailable provider_unavailable", "AUSD": "quote_unavailable provider_unavailable",
				"WUSDC": "quote_unavailable provider_unavailable"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := p.over(c.x).Preview(ctx, owner, c.q)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, conversions(got)); diff != "" {
				t.Error(diff)
			}
			if ids := choiceIDs(got); !slices.Equal(ids, c.choices) {
				t.Errorf("choices %v, want %v", ids, c.choices)
			}
			if got.Total != "669" {
				t.Errorf("the total is %s", got.Total)
			}
		})
	}
	t.Run("the real pool is asked in the direction of the conversion", func(t *testing.T) {
		got, err := p.Preview(ctx, owner, usdc)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range got.Conversions {
			if c.From.Coin.Symbol == "USDT" && (c.Quote == nil || c.Pool != "USDT_USDC" || c.Quote.Input != 250_000_000 ||
				c.Quote.Direction != registry.BaseToQuote || c.Quote.Out == 0 || c.Quote.FeeMode != deepbook.FeeInput) {
				t.Errorf("%+v", c)
			}
		}
	})
}

func TestQuestions(t *testing.T) {
	p := build(t)
	edit := func(f func(*assets.Question)) assets.Question {
		q := cover1000
		f(&q)
		return q
	}
	total := assets.Question{Kind: assets.BalanceTotal, Denomination: "usd"}
	for _, c := range []struct {
		name  string
		q     assets.Question
		field string
	}{
		{"R004-161 no amount", edit(func(q *assets.Question) { q.Required = "" }), "requiredDisplayAmount"},
		{"zero", edit(func(q *assets.Question) { q.Required = "0.00" }), "requiredDisplayAmount"},
		{"no number", edit(func(q *assets.Question) { q.Required = "1e3" }), "requiredDisplayAmount"},
		{"more decimals than any asset has", edit(func(q *assets.Question) { q.Required = "1.0000001" }),
			"requiredDisplayAmount"},
		{"unknown kind", edit(func(q *assets.Question) { q.Kind = "pay" }), "intentKind"},
		{"unknown word", edit(func(q *assets.Question) { q.Denomination = "euro" }), "denomination"},
		{"R004-186 a target without who chose it", edit(func(q *assets.Question) { q.Target = "USDC" }),
			"targetAssetSelectionSource"},
		{"R004-186 who chose, without a target", edit(func(q *assets.Question) { q.TargetSource = assets.UserExplicit }),
			"targetAssetSymbol"},
		{"R004-187 a target that an agent chose", targeting(cover1000, "USDC", "agent_inferred"),
			"targetAssetSelectionSource"},
		{"a target outside the group", targeting(cover1000, "SUI", assets.UserExplicit), "targetAssetSymbol"},
		{"R004-192 a source outside the group", edit(func(q *assets.Question) { q.Accepted = []string{"USDT", "SUI"} }),
			"acceptedSourceAssetSymbols"},
		{"a source twice", edit(func(q *assets.Question) { q.Accepted = []string{"USDT", "usdt"} }),
			"acceptedSourceAssetSymbols"},
		{"no source", edit(func(q *assets.Question) { q.Accepted = []string{} }), "acceptedSourceAssetSymbols"},
		{"R004-162 a total with an amount", edit(func(q *assets.Question) { q.Kind = assets.BalanceTotal }),
			"requiredDisplayAmount"},
		{"a total with a target", targeting(total, "USDC", assets.UserExplicit), "targetAssetSymbol"},
		{"a total with sources", assets.Question{Kind: assets.BalanceTotal, Denomination: "usd", Accepted: []string{"USDT"}},
			"acceptedSourceAssetSymbols"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := p.Preview(context.Background(), owner, c.q)
			wants(t, err, fault.InputInvalid, "field", c.field)
		})
	}
	if p.listed != 0 {
		t.Errorf("the node was asked %d times about questions that make no sense", p.listed)
	}
}
