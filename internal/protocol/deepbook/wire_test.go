package deepbook_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sandbox/clob"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit/loopback"
)

var day = loopback.Day

// wire returns a reader that is connected to a chain with known books.
func wire(t testing.TB) (*deepbook.Reader, *sandbox.Sandbox, map[string]*clob.Pool) {
	t.Helper()
	client, chain := loopback.Dial(t)
	books := map[string]*clob.Pool{}
	for _, p := range clob.Generate(1, day) {
		books[p.Key] = p
	}
	return deepbook.New(deepbook.Config{Chain: client, Now: func() time.Time { return day }}), chain, books
}

// TestEveryPool reads every pool over the wire, including pools whose shared version is not in the
// registry, and compares the results with the sandbox's book.
func TestEveryPool(t *testing.T) {
	r, _, books := wire(t)
	ctx, now := context.Background(), uint64(day.UnixMilli())
	for _, pool := range registry.Pools() {
		book := books[pool.Key]
		mid, err := r.MidPrice(ctx, pool.Key)
		want, stopped := book.MidPrice(now)
		if err != nil || stopped != nil || uint64(mid.Raw) != want ||
			mid.Price != sui.Raw(want).Decimal(pool.PriceDecimals()) {
			t.Errorf("%s: %+v, %v, want %d", pool.Key, mid, err, want)
		}
		p, err := r.Parameters(ctx, pool.Key)
		if err != nil || uint64(p.Lot) != book.Lot || uint64(p.Min) != book.Min || uint64(p.TakerFee) != book.TakerFee ||
			p.Whitelisted != book.Whitelisted {
			t.Errorf("%s: %+v, %v", pool.Key, p, err)
		}
		for _, mode := range []deepbook.FeeMode{deepbook.FeeDeep, deepbook.FeeInput} {
			sale := deepbook.Request{PoolKey: pool.Key, Direction: registry.BaseToQuote, Amount: sui.Raw(book.Min*3 + 7),
				FeeMode: mode}
			base, quote, deep, stopped := book.QuantityOut(book.Min*3+7, 0, mode == deepbook.FeeDeep, now)
			q, err := r.Quote(ctx, sale)
			if err != nil || stopped != nil || uint64(q.BaseOut) != base || uint64(q.QuoteOut) != quote ||
				uint64(q.DeepRequired) != deep {
				t.Errorf("%s %s: %+v, %v, want %d %d %d", pool.Key, mode, q, err, base, quote, deep)
			}
			s, err := r.Snapshot(ctx, sale)
			if err != nil || s.Quote.Out != q.Out || s.Mid != mid.Raw || s.Parameters.Tick != p.Tick ||
				s.SharedVersion != book.InitialSharedVersion {
				t.Errorf("%s %s: snapshot %+v, %v", pool.Key, mode, s, err)
			}
			paid := uint64(q.QuoteOut)
			base, quote, deep, _ = book.QuantityOut(0, paid, mode == deepbook.FeeDeep, now)
			q, err = r.Quote(ctx, deepbook.Request{PoolKey: pool.Key, Direction: registry.QuoteToBase, Amount: sui.Raw(paid),
				FeeMode: mode})
			if err != nil || uint64(q.BaseOut) != base || uint64(q.QuoteOut) != quote || uint64(q.DeepRequired) != deep {
				t.Errorf("%s %s: %+v, %v, want %d %d %d", pool.Key, mode, q, err, base, quote, deep)
			}
		}
	}
}

func TestWireRefusals(t *testing.T) {
	r, chain, _ := wire(t)
	ctx := context.Background()
	_, err := r.Quote(ctx, deepbook.Request{PoolKey: "SUI_USDC", Direction: registry.BaseToQuote, Amount: 900_000_000})
	if e := fault.As(err); e.Code != fault.QuoteUnavailable || e.Detail.Get("minSize") != "1" {
		t.Errorf("below the minimum: %v", err)
	}
	inject := func(f sandbox.Fault) {
		t.Helper()
		if err := chain.Inject(f); err != nil {
			t.Fatal(err)
		}
	}
	inject(sandbox.Fault{Kind: sandbox.DisableVersion, Version: 8})
	mid, err := r.MidPrice(ctx, "SUI_USDC")
	if err != nil || mid.Package != registry.Packages()[1].ID {
		t.Errorf("version 8 is off: %s, %v", mid.Package, err)
	}
	for v := range uint64(7) {
		inject(sandbox.Fault{Kind: sandbox.DisableVersion, Version: v})
	}
	if _, err = r.MidPrice(ctx, "SUI_USDC"); !fault.Is(err, fault.QuoteUnavailable) || !strings.Contains(err.Error(),
		"admits none") {
		t.Errorf("every version is off: %v", err)
	}
	inject(sandbox.Fault{Kind: sandbox.ClearFaults})
	inject(sandbox.Fault{Kind: sandbox.Fail, Method: "SimulateTransaction"})
	if _, err = r.MidPrice(ctx, "SUI_USDC"); !fault.Is(err, fault.ProviderUnavailable) {
		t.Errorf("an outage: %v", err)
	}
	inject(sandbox.Fault{Kind: sandbox.ClearFaults})
	inject(sandbox.Fault{Kind: sandbox.Refuse, Method: "SimulateTransaction"})
	if _, err = r.MidPrice(ctx, "SUI_USDC"); !fault.Is(err, fault.ProviderRefused) {
		t.Errorf("a refusal: %v", err)
	}
}

func BenchmarkSnapshot(b *testing.B) {
	r, _, _ := wire(b)
	q := deepbook.Request{PoolKey: "SUI_USDC", Direction: registry.BaseToQuote, Amount: 10_000_000_000,
		FeeMode: deepbook.FeeInput}
	for b.Loop() {
		if _, err := r.Snapshot(context.Background(), q); err != nil {
			b.Fatal(err)
		}
	}
}
