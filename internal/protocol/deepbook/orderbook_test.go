package deepbook

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
)

func vector(values ...uint64) sui.ReturnValue {
	b := []byte{byte(len(values))}
	for _, v := range values {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	return sui.ReturnValue{BCS: b}
}

// bookReturns returns the results of the five calls that read a book.
func bookReturns(mid uint64, lists ...sui.ReturnValue) sui.Simulation {
	return returns(lists, numbers(100, 1_000_000, 10_000_000), numbers(1_000_000, 500_000, 100_000_000), truth(0),
		numbers(mid))
}

func TestOrderBook(t *testing.T) {
	node := &canned{simulations: []sui.Simulation{bookReturns(1_293_050,
		vector(1_293_000, 1_292_900), vector(2_000_000_000, 500_000_000), vector(1_293_100), vector(3_000_000_001))}}
	book, err := node.reader().OrderBook(context.Background(), "sui_usdc", 2)
	if err != nil {
		t.Fatal(err)
	}
	pool, _ := registry.PoolByKey("SUI_USDC")
	source := Source{pool, newest(), 9, noon}
	want := Book{
		Source: source, Mid: 1_293_050, Function: "pool::get_level2_ticks_from_mid",
		Parameters: Parameters{source, 100, 1_000_000, 10_000_000, 1_000_000, 500_000, 100_000_000, false},
		Bids:       []Level{{1_293_000, 2_000_000_000}, {1_292_900, 500_000_000}}, Asks: []Level{{1_293_100, 3_000_000_001}},
	}
	if diff := cmp.Diff(want, book); diff != "" {
		t.Error(diff)
	}
	t.Run("R004-10 everything comes from one simulated transaction", func(t *testing.T) {
		var called []string
		for _, c := range node.asked[0].Commands {
			called = append(called, c.(sui.MoveCall).Function)
		}
		want := []string{"get_level2_ticks_from_mid", "pool_book_params", "pool_trade_params", "whitelisted", "mid_price"}
		if diff := cmp.Diff(want, called); diff != "" || len(node.asked) != 1 {
			t.Errorf("%d transactions, %s", len(node.asked), diff)
		}
	})
	t.Run("spread and sums are exact", func(t *testing.T) {
		if book.Spread() != 100 {
			t.Errorf("spread %d", book.Spread())
		}
		// 2 at 1.293 and 0.5 at 1.2929; 3.000000001 at 1.2931.
		if diff := cmp.Diff(Depth{"2.5", "3.23245"}, book.Sum(book.Bids)); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(Depth{"3.000000001", "3.8793000012931"}, book.Sum(book.Asks)); diff != "" {
			t.Error(diff)
		}
		huge := []Level{{1 << 62, ^sui.Raw(0)}, {1 << 62, ^sui.Raw(0)}}
		if got := book.Sum(huge).Base; got != "36893488147.41910323" {
			t.Errorf("two times the largest quantity is %s", got)
		}
	})
}

func TestOrderBookVector(t *testing.T) {
	b, err := os.ReadFile("testdata/deepbook-ptb-vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Deepbook struct {
			Vectors []struct {
				Name string
				Kind string `json:"transaction_kind_bcs"`
			}
		}
	}
	if err := json.Unmarshal(b, &file); err != nil {
		t.Fatal(err)
	}
	const name = "read get_level2_ticks_from_mid SUI_USDC 10"
	pool, _ := registry.PoolByKey("SUI_USDC")
	got, err := kind(nil, pool, pool.InitialSharedVersion, newest(), 10, levelRead).Encode()
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range file.Deepbook.Vectors {
		if v.Name == name {
			if v.Kind != base64.StdEncoding.EncodeToString(got) {
				t.Errorf("built %x, want %s", got, v.Kind)
			}
			return
		}
	}
	t.Errorf("there is no vector %s", name)
}

func TestOrderBooksThatCannotBe(t *testing.T) {
	good := []sui.ReturnValue{vector(90), vector(1), vector(110), vector(1)}
	with := func(i int, v sui.ReturnValue) []sui.ReturnValue {
		lists := append([]sui.ReturnValue{}, good...)
		lists[i] = v
		return lists
	}
	for name, c := range map[string]struct {
		answer sui.Simulation
		code   fault.Code
		says   string
	}{
		"R004-68 a price of zero": {bookReturns(0, good...), fault.QuoteUnavailable, "zero"},
		"R004-68 an empty side":   {aborts(newest(), "book", 2, 4), fault.QuoteUnavailable, "no live orders"},
		"an empty list beside a price": {bookReturns(100, vector(), vector(), vector(110), vector(1)),
			fault.ProviderMismatch, "empty side"},
		"bids from below": {bookReturns(100, vector(90, 91), vector(1, 1), vector(110), vector(1)),
			fault.ProviderMismatch, "bids"},
		"asks from above": {bookReturns(100, vector(90), vector(1), vector(110, 109), vector(1, 1)),
			fault.ProviderMismatch, "asks"},
		"a level of nothing":        {bookReturns(100, with(1, vector(0))...), fault.ProviderMismatch, "empty"},
		"crossed":                   {bookReturns(100, with(0, vector(110))...), fault.ProviderMismatch, "below"},
		"a mid price outside":       {bookReturns(111, good...), fault.ProviderMismatch, "between"},
		"prices without quantities": {bookReturns(100, with(0, vector(90, 80))...), fault.ProviderMismatch, "shape"},
		"more levels than were asked for": {bookReturns(100, vector(90, 80, 70), vector(1, 1, 1), vector(110), vector(1)),
			fault.ProviderMismatch, "shape"},
		"a list that ends early": {bookReturns(100, with(2, sui.ReturnValue{BCS: []byte{1, 0}})...),
			fault.ProviderMismatch, "shape"},
		"a list with something behind it": {bookReturns(100, with(2, sui.ReturnValue{BCS: make([]byte, 10)})...),
			fault.ProviderMismatch, "shape"},
		"no list":     {bookReturns(100, with(2, sui.ReturnValue{})...), fault.ProviderMismatch, "shape"},
		"three lists": {bookReturns(100, good[:3]...), fault.ProviderMismatch, "shape"},
		"nothing":     {returns(), fault.ProviderMismatch, "shape"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := (&canned{simulations: []sui.Simulation{c.answer}}).reader().OrderBook(context.Background(), "SUI_USDC", 2)
			if !fault.Is(err, c.code) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v", err)
			}
		})
	}
	silent := &canned{}
	for _, levels := range []int{0, -1, MostLevels + 1} {
		if _, err := silent.reader().OrderBook(context.Background(), "SUI_USDC", levels); !fault.Is(err, fault.InputInvalid) {
			t.Errorf("R004-11 %d levels: %v", levels, err)
		}
	}
	if _, err := silent.reader().OrderBook(context.Background(), "NO_POOL", 1); !fault.Is(err, fault.RegistryMiss) ||
		len(silent.asked) > 0 {
		t.Errorf("an unknown pool: %v", err)
	}
}
