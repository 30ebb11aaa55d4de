//go:build shared

package clob

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
)

func shared(t *testing.T, parts ...string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(append([]string{"..", "..", "..", "..", "shared"}, parts...)...))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

type arguments map[string]json.RawMessage

func (a arguments) number(t *testing.T, name string) uint64 {
	t.Helper()
	n, err := strconv.ParseUint(strings.Trim(string(a[name]), `"`), 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

func (a arguments) truth(name string) bool { return string(a[name]) == "true" }

func texts(numbers ...uint64) []string {
	out := make([]string, len(numbers))
	for i, n := range numbers {
		out[i] = strconv.FormatUint(n, 10)
	}
	return out
}

type moveAnswer struct {
	Pool, Fn           string
	Args               json.RawMessage
	Result             []string
	Prices, Quantities []string
	Aborts             bool
}

// TestMoveVirtualMachine compares with the real contract's answers for two complete mainnet books,
// at their own time and shifted in time.
func TestMoveVirtualMachine(t *testing.T) {
	b := shared(t, "data", "deepbook-books-and-quotes.json")
	var file struct {
		Vectors []moveAnswer
		Books   map[string]struct {
			Pool        sui.ObjectID
			TimestampMs uint64
		}
	}
	if err := json.Unmarshal(b, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Vectors) != 77 {
		t.Fatalf("%d answers", len(file.Vectors))
	}
	recorded := time.UnixMilli(int64(file.Books["sui_usdc"].TimestampMs))
	for _, now := range []time.Time{recorded, recorded.AddDate(1, 2, 3), recorded.AddDate(-2, 0, 0)} {
		pools, err := Load(strings.NewReader(string(b)), now)
		if err != nil || len(pools) != 2 {
			t.Fatalf("%d pools, %v", len(pools), err)
		}
		byName := map[string]*Pool{}
		for name, book := range file.Books {
			for _, p := range pools {
				if p.ID == book.Pool {
					byName[name] = p
				}
			}
		}
		for i, v := range file.Vectors {
			t.Run(fmt.Sprintf("%d %s %s %s", i, now.Format(time.DateOnly), v.Pool, v.Fn), func(t *testing.T) {
				checkMoveAnswer(t, byName[v.Pool], uint64(now.UnixMilli()), v)
			})
		}
	}
}

func checkMoveAnswer(t *testing.T, p *Pool, now uint64, v moveAnswer) {
	args := arguments{}
	if v.Fn != "mid_price" {
		if err := json.Unmarshal(v.Args, &args); err != nil {
			t.Fatal(err)
		}
	}
	var x, y, z uint64
	var err *Abort
	deep := args.truth("payWithDeep")
	want, got := v.Result, []string(nil)
	switch v.Fn {
	case "mid_price":
		x, err = p.MidPrice(now)
		got = texts(x)
	case "get_quantity_out":
		x, y, z, err = p.QuantityOut(args.number(t, "baseIn"), args.number(t, "quoteIn"), deep, now)
		got = texts(x, y, z)
	case "get_base_quantity_in":
		x, y, z, err = p.BaseQuantityIn(args.number(t, "targetQuote"), deep, now)
		got = texts(x, y, z)
	case "get_quote_quantity_in":
		x, y, z, err = p.QuoteQuantityIn(args.number(t, "targetBase"), deep, now)
		got = texts(x, y, z)
	case "get_level2_range_and_ticks":
		var prices, quantities []uint64
		prices, quantities, err = p.levels(args.number(t, "low"), args.number(t, "high"), args.number(t, "ticks"),
			args.truth("isBid"), now)
		want, got = append(v.Prices, v.Quantities...), append(texts(prices...), texts(quantities...)...)
	default:
		t.Fatalf("unknown function %s", v.Fn)
	}
	if (err != nil) != v.Aborts {
		t.Fatalf("abort %v, want %v", err, v.Aborts)
	}
	if diff := cmp.Diff(want, got); diff != "" && !v.Aborts {
		t.Error(diff)
	}
}

type vectorOrder struct {
	Price, Quantity, Filled, Expire sui.Raw
	Seq                             uint64
}

type vectorPool struct {
	Key         string
	Tick        sui.Raw `json:"tick_size"`
	Lot         sui.Raw `json:"lot_size"`
	Min         sui.Raw `json:"min_size"`
	TakerFee    sui.Raw `json:"taker_fee"`
	Whitelisted bool
	DeepPrice   *struct {
		AssetIsBase bool    `json:"asset_is_base"`
		PerAsset    sui.Raw `json:"deep_per_asset"`
	} `json:"deep_price"`
	Bids, Asks []vectorOrder
}

func (v vectorPool) pool() *Pool {
	p := &Pool{Key: v.Key, Tick: uint64(v.Tick), Lot: uint64(v.Lot), Min: uint64(v.Min), TakerFee: uint64(v.TakerFee),
		Whitelisted: v.Whitelisted}
	if pinned, ok := registry.PoolByKey(v.Key); ok {
		p.Base, p.Quote = pinned.Base, pinned.Quote
	}
	if v.DeepPrice != nil {
		p.DeepPrice = &DeepPrice{v.DeepPrice.AssetIsBase, uint64(v.DeepPrice.PerAsset)}
	}
	for _, o := range v.Bids {
		p.Bids = append(p.Bids, Order{NewOrderID(true, uint64(o.Price), ^o.Seq), uint64(o.Quantity), uint64(o.Filled),
			uint64(o.Expire)})
	}
	for _, o := range v.Asks {
		p.Asks = append(p.Asks, Order{NewOrderID(false, uint64(o.Price), o.Seq), uint64(o.Quantity), uint64(o.Filled),
			uint64(o.Expire)})
	}
	p.Sort()
	return p
}

type quoteVector struct {
	Name     string
	Now      sui.Raw `json:"now_ms"`
	Pool     vectorPool
	Call     string
	Args     arguments
	Expected []string
	Event    *struct {
		IsBid     bool    `json:"is_bid"`
		Executed  sui.Raw `json:"executed_quantity"`
		Quote     sui.Raw `json:"cumulative_quote_quantity"`
		Fees      sui.Raw `json:"paid_fees"`
		FeeIsDeep bool    `json:"fee_is_deep"`
		Fills     []struct {
			Price    sui.Raw
			Base     sui.Raw `json:"base_quantity"`
			Quote    sui.Raw `json:"quote_quantity"`
			TakerFee sui.Raw `json:"taker_fee"`
		}
	}
}

func (v quoteVector) call(t *testing.T) []string {
	t.Helper()
	p, now := v.Pool.pool(), uint64(v.Now)
	var x, y, z uint64
	var err *Abort
	switch v.Call {
	case "mid_price":
		x, err = p.MidPrice(now)
		if err == nil {
			return texts(x)
		}
	case "get_quantity_out", "get_quantity_out_input_fee":
		x, y, z, err = p.QuantityOut(v.Args.number(t, "base_quantity"), v.Args.number(t, "quote_quantity"),
			v.Call == "get_quantity_out", now)
	case "get_base_quantity_in":
		x, y, z, err = p.BaseQuantityIn(v.Args.number(t, "target_quote_quantity"), v.Args.truth("pay_with_deep"), now)
	case "get_quote_quantity_in":
		x, y, z, err = p.QuoteQuantityIn(v.Args.number(t, "target_base_quantity"), v.Args.truth("pay_with_deep"), now)
	case "swap_exact_quantity":
		var s Swap
		s, err = p.SwapExact(v.Args.number(t, "base_in"), v.Args.number(t, "quote_in"), v.Args.number(t, "deep_in"),
			v.Args.number(t, "min_out"), now)
		x, y, z = s.BaseOut, s.QuoteOut, s.DeepOut
	default:
		t.Fatalf("unknown call %s", v.Call)
	}
	if err != nil {
		t.Fatalf("aborts: %v", err)
	}
	return texts(x, y, z)
}

// replay places the order recorded on chain and compares its event.
func (v quoteVector) replay(t *testing.T) {
	p, e := v.Pool.pool(), v.Event
	s := Swap{IsBid: e.IsBid, Ordered: uint64(e.Executed)}
	if e.FeeIsDeep {
		s.Deep = *p.DeepPrice
	}
	var c checked
	p.match(&c, &s, uint64(v.Now))
	p.charge(&c, &s)
	want := texts(uint64(e.Executed), uint64(e.Quote), uint64(e.Fees))
	if diff := cmp.Diff(want, texts(s.Base, s.Quote, s.Fee)); diff != "" || c.broken || s.FeeIsDeep != e.FeeIsDeep {
		t.Errorf("order: %s", diff)
	}
	for i, f := range e.Fills {
		got := s.Fills[i]
		want := texts(uint64(f.Price), uint64(f.Base), uint64(f.Quote), uint64(f.TakerFee))
		if diff := cmp.Diff(want, texts(got.Price, got.Base, got.Quote, got.TakerFee)); diff != "" {
			t.Errorf("fill %d: %s", i, diff)
		}
	}
	if len(s.Fills) != len(e.Fills) {
		t.Errorf("%d fills, want %d", len(s.Fills), len(e.Fills))
	}
}

func TestQuoteVectors(t *testing.T) {
	var file struct {
		Unit        []quoteVector `json:"move_unit_tests"`
		Replays     []quoteVector `json:"mainnet_replays"`
		Conversions struct {
			Quantity []struct {
				Value, Raw string
				Scalar     uint64
			} `json:"quantity_to_raw"`
			Price []struct {
				Value, Raw string
				Quote      uint64 `json:"quote_scalar"`
				Base       uint64 `json:"base_scalar"`
			} `json:"price_to_raw"`
			Rate []struct{ Value, Raw string } `json:"rate_to_raw"`
		}
		Display []struct {
			Pool  string
			Raw   sui.Raw `json:"raw_price"`
			Exact string  `json:"display_exact"`
		} `json:"price_display"`
	}
	if err := json.Unmarshal(shared(t, "vectors", "deepbook-quote-vectors.json"), &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Unit) != 39 || len(file.Replays) != 9 || len(file.Display) == 0 {
		t.Fatalf("%d unit tests, %d replays", len(file.Unit), len(file.Replays))
	}
	for _, v := range append(file.Unit, file.Replays...) {
		t.Run(v.Name, func(t *testing.T) {
			if diff := cmp.Diff(v.Expected, v.call(t)); diff != "" {
				t.Error(diff)
			}
		})
	}
	for _, v := range file.Replays {
		t.Run("replay "+v.Name, v.replay)
	}
	convert := func(value, raw string, decimals uint8) {
		t.Helper()
		got, err := sui.Decimal(value).Raw(decimals)
		if len(value)-strings.IndexByte(value, '.')-1 > int(decimals) {
			if err == nil {
				t.Errorf("%s was rounded to %s at %d decimals", value, got, decimals)
			}
		} else if err != nil || got.String() != raw {
			t.Errorf("%s is %s at %d decimals, want %s (%v)", value, got, decimals, raw, err)
		}
	}
	places := func(scalar uint64) uint8 {
		n, err := coins.Decimals(scalar)
		if err != nil {
			t.Error(err)
		}
		return n
	}
	for _, q := range file.Conversions.Quantity {
		convert(q.Value, q.Raw, places(q.Scalar))
	}
	for _, p := range file.Conversions.Price {
		convert(p.Value, p.Raw, 9+places(p.Quote)-places(p.Base))
	}
	for _, r := range file.Conversions.Rate {
		convert(r.Value, r.Raw, 9)
	}
	for _, d := range file.Display {
		p, ok := registry.PoolByKey(d.Pool)
		exact := strings.TrimRight(strings.TrimRight(d.Exact, "0"), ".")
		if got := string(d.Raw.Decimal(p.PriceDecimals())); !ok || got != exact {
			t.Errorf("%s %s shows as %s, want %s", d.Pool, d.Raw, got, exact)
		}
	}
}
