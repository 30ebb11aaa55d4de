package deepbook

import (
	"context"
	"math"
	"testing"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Every reader rejects impossible values.
func TestImpossibleNumbers(t *testing.T) {
	ctx := context.Background()
	sale := Request{"SUI_USDC", registry.BaseToQuote, 10_000_000_000, FeeDeep, nil}
	quote, mid := []uint64{0, 8_000_000, 0}, []uint64{800_000_000}
	book, trade := []uint64{1000, 100_000_000, 1_000_000_000}, []uint64{200_000, 50_000, 7}
	with := func(list []uint64, at int, n uint64) []uint64 {
		changed := append([]uint64{}, list...)
		changed[at] = n
		return changed
	}
	type answers struct{ quote, book, trade, mid []uint64 }
	honest := answers{quote, book, trade, mid}
	asks := func(a answers) map[string]func() error {
		parameters := &canned{simulations: []sui.Simulation{returns(numbers(a.book...), numbers(a.trade...), truth(0))}}
		whole := &canned{simulations: []sui.Simulation{
			returns(numbers(a.quote...), numbers(a.book...), numbers(a.trade...), truth(0),
				top(700_000_000, 900_000_000), numbers(a.mid...))}}
		return map[string]func() error{
			"parameters": func() error { _, err := parameters.reader().Parameters(ctx, "SUI_USDC"); return err },
			"snapshot":   func() error { _, err := whole.reader().Snapshot(ctx, sale); return err },
		}
	}
	for name, ask := range asks(honest) {
		if err := ask(); err != nil {
			t.Errorf("honest %s: %v", name, err)
		}
	}
	for name, c := range map[string]struct {
		lie answers
		by  string // the reader that rejects it; "" for all
	}{
		"no price step":             {answers{quote, with(book, 0, 0), trade, mid}, ""},
		"no quantity step":          {answers{quote, with(book, 1, 0), trade, mid}, ""},
		"no least size":             {answers{quote, with(book, 2, 0), trade, mid}, ""},
		"a step beyond all prices":  {answers{quote, with(book, 0, 1<<63), trade, mid}, ""},
		"a lot beyond all":          {answers{quote, with(book, 1, math.MaxUint64), trade, mid}, ""},
		"a least size beyond all":   {answers{quote, with(book, 2, math.MaxUint64), trade, mid}, ""},
		"a taker fee over a tenth":  {answers{quote, book, with(trade, 0, 100_000_001), mid}, ""},
		"the largest taker fee":     {answers{quote, book, with(trade, 0, math.MaxUint64), mid}, ""},
		"a maker fee over a tenth":  {answers{quote, book, with(trade, 1, 100_000_001), mid}, ""},
		"a mid price of zero":       {answers{quote, book, trade, []uint64{0}}, "snapshot"},
		"a price beyond all prices": {answers{quote, book, trade, []uint64{1 << 63}}, "snapshot"},
		"something for nothing":     {answers{[]uint64{10_000_000_000, 8_000_000, 0}, book, trade, mid}, "snapshot"},
		"more back than was paid":   {answers{[]uint64{10_000_000_001, 8_000_000, 0}, book, trade, mid}, "snapshot"},
		"a fee of more than all":    {answers{with(quote, 2, uint64(mostDeep)+1), book, trade, mid}, "snapshot"},
	} {
		for by, ask := range asks(c.lie) {
			if err := ask(); (c.by == "" || c.by == by) && !fault.Is(err, fault.ProviderMismatch) {
				t.Errorf("%s, read as %s: %v", name, by, err)
			}
		}
	}
	for name, ask := range asks(answers{quote, book, with(with(trade, 0, 100_000_000), 1, 0), mid}) {
		if err := ask(); err != nil {
			t.Errorf("a fee of exactly a tenth, %s: %v", name, err)
		}
	}
	high := &canned{simulations: []sui.Simulation{returns(numbers(math.MaxUint64))}}
	if _, err := high.reader().MidPrice(ctx, "SUI_USDC"); !fault.Is(err, fault.ProviderMismatch) {
		t.Errorf("a mid price beyond all prices: %v", err)
	}
	deep := append([]byte{1}, numbers(math.MaxUint64)[0].BCS...)
	point := &canned{simulations: []sui.Simulation{returns([]sui.ReturnValue{{BCS: deep}})}}
	if _, err := point.reader().DeepPrice(ctx, "SUI_USDC"); !fault.Is(err, fault.ProviderMismatch) {
		t.Errorf("a price of DEEP beyond all prices: %v", err)
	}
}
