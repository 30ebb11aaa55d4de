package tools_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/tools"
)

// moving is a market whose mid price follows its steps; the last step stays. 0 is a price that
// cannot be read.
type moving struct {
	marketBook
	steps chan sui.Raw
	now   sui.Raw
}

// marketBook is the tools' interface to a market.
type marketBook interface {
	MidPrice(ctx context.Context, poolKey string) (deepbook.Mid, error)
	OrderBook(ctx context.Context, poolKey string, levels int) (deepbook.Book, error)
	Quotes(ctx context.Context, r deepbook.Request) (deep, input deepbook.Quote, err error)
	Refusal(ctx context.Context, q deepbook.Quote) error
	Snapshot(ctx context.Context, r deepbook.Request) (deepbook.Snapshot, error)
	Depth(ctx context.Context, poolKey string, levels int) (deepbook.Book, error)
}

func (m *moving) MidPrice(ctx context.Context, pool string) (deepbook.Mid, error) {
	select {
	case m.now = <-m.steps:
	default:
	}
	mid, err := m.marketBook.MidPrice(ctx, pool)
	if err != nil {
		return mid, err
	}
	if m.now == 0 {
		return mid, fault.New(fault.ProviderUnavailable, "The node is down.")
	}
	mid.Raw, mid.Price = m.now, m.now.Decimal(mid.Pool.PriceDecimals())
	return mid, nil
}

// ended waits for the end of a task and returns it as task.get shows it.
func (w *world) ended(id any) map[string]any {
	w.t.Helper()
	v := w.must("task.get", `{"task_id":"`+id.(string)+`","waitSeconds":30}`)["task"].(map[string]any)
	if v["state"] == "working" {
		w.t.Fatalf("%v has not ended", v)
	}
	return v
}

// TestWatchPrice waits for a price through failed readings, and ends once.
func TestWatchPrice(t *testing.T) {
	for name, c := range map[string]struct {
		args    string
		steps   []sui.Raw // in the pool's own units: 1,000,000 is 1 USDC per SUI
		reached bool
		price   string
	}{
		"above":               {`"above":"1.4"`, []sui.Raw{1_300_000, 1_399_999, 0, 1_400_000}, true, "1.4"},
		"below":               {`"below":"1.25"`, []sui.Raw{1_300_000, 0, 1_250_001, 1_250_000}, true, "1.25"},
		"already there":       {`"above":"1"`, []sui.Raw{1_300_000}, true, "1.3"},
		"never, then by time": {`"above":"2"`, []sui.Raw{1_300_000, 1_999_999}, false, "1.999999"},
	} {
		t.Run("R003-13 "+name, func(t *testing.T) {
			w := build(t, nil)
			d := w.deps()
			m := &moving{marketBook: d.Book, steps: make(chan sui.Raw, len(c.steps))}
			for _, s := range c.steps {
				m.steps <- s
			}
			// The watch has its own clock, so that the store does not consider this process gone.
			var later atomic.Int64
			d.Book, d.Now = m, func() time.Time { return w.Clock.Now().Add(time.Duration(later.Load())) }
			w.tools = tools.All(d)
			begun := w.must("task.watch_price", `{"poolKey":"SUI_USDC","hours":2,`+c.args+`}`)
			if begun["status"] != "working" || begun["task_id"] == "" {
				t.Fatal(begun)
			}
			if at(begun, "message") == nil || !strings.Contains(begun["message"].(string), " USDC per SUI at 20") {
				t.Errorf("the answer does not say the price and its time: %v", begun)
			}
			if !c.reached {
				double.Until(t, "task.get says the latest price", func() bool {
					v := w.must("task.get", `{"task_id":"`+begun["task_id"].(string)+`"}`)
					return strings.HasPrefix(at(v, "task.message").(string), c.price+" USDC per SUI at 20")
				})
				double.Until(t, "every price was read", func() bool { return len(m.steps) == 0 })
				later.Store(int64(2 * time.Hour))
			}
			got := w.ended(begun["task_id"])
			var result struct {
				Reached bool
				Price   string
			}
			if err := json.Unmarshal([]byte(got["resultJson"].(string)), &result); err != nil || result.Reached != c.reached ||
				result.Price != c.price {
				t.Errorf("%v %v", got, err)
			}
			page, err := w.Store.Latest(t.Context(), bus.Filter{Session: w.Store.Bus(t.Context()), Sees: bus.UI | bus.Agent,
				Types: []bus.Type{bus.TypeToolResult}}, 10)
			if err != nil || len(page) != 1 {
				t.Errorf("%d results, %v", len(page), err)
			}
		})
	}
	t.Run("tasks are listed by state and kind", func(t *testing.T) {
		w := build(t, nil)
		first := w.must("task.watch_price", `{"poolKey":"SUI_USDC","above":"1000"}`)["task_id"]
		w.must("task.cancel", `{"task_id":"`+first.(string)+`"}`)
		w.ended(first)
		w.must("task.watch_price", `{"poolKey":"SUI_USDC","above":"1000"}`)
		for args, want := range map[string]int{`{}`: 2, `{"kind":"watch_price"}`: 2, `{"state":"cancelled"}`: 1,
			`{"state":"working"}`:                 1,
			`{"state":"working","kind":"review"}`: 0} {
			if list := w.must("task.list", args)["tasks"].([]any); len(list) != want {
				t.Errorf("%s lists %d tasks, want %d", args, len(list), want)
			}
		}
	})
	t.Run("R003-154 a watch that is cancelled ends as cancelled", func(t *testing.T) {
		w := build(t, nil)
		id := w.must("task.watch_price", `{"poolKey":"SUI_USDC","above":"1000"}`)["task_id"]
		w.must("task.cancel", `{"task_id":"`+id.(string)+`"}`)
		if got := w.ended(id); got["state"] != "cancelled" {
			t.Error(got)
		}
	})
}

// TestScanTask scans page by page as a task and stores what a scan stores.
func TestScanTask(t *testing.T) {
	w := build(t, nil)
	situations["the account's transactions were scanned"](w)
	call := func(args string) map[string]any {
		t.Helper()
		got := w.ended(w.must("task.scan_activity", args)["task_id"])
		var v map[string]any
		if err := json.Unmarshal([]byte(got["resultJson"].(string)), &v); err != nil {
			t.Fatal(got, err)
		}
		return v
	}
	whole := call(`{}`)
	scan := w.must("read.scan_sui_account_activity", `{"limit":40}`)
	if n := len(scan["transactions"].([]any)); int(whole["transactionCount"].(float64)) != n || n == 0 {
		t.Errorf("%v, and one scan has %d", whole, n)
	}
	for _, field := range []string{"netChanges"} {
		same(t, map[string]any{field: scan[field]}, map[string]any{field: whole[field]})
	}
	if whole["storedCount"].(float64) == 0 || !strings.Contains(whole["next"].(string),
		"read.summarize_sui_account_activity") {
		t.Error(whole)
	}
}

// TestInterfacesTask reads signatures, reports packages that cannot be read, and omits what does
// not fit.
func TestInterfacesTask(t *testing.T) {
	w := build(t, nil)
	got := w.ended(w.must("task.fetch_package_interfaces", `{"packages":["0x2::coin","0x2::nope","0x123456"]}`)["task_id"])
	var v struct {
		Packages []struct {
			Version, Error, Next string
			Functions            []string
		}
	}
	if err := json.Unmarshal([]byte(got["resultJson"].(string)), &v); err != nil || len(v.Packages) != 3 {
		t.Fatal(got, err)
	}
	if p := v.Packages[0]; p.Version == "" || !slices.Contains(p.Functions,
		"public coin::destroy_zero<T0>(0x2::coin::Coin<T0>)") {
		t.Error(p)
	}
	if p := v.Packages[1]; !strings.Contains(p.Error, "no module") || len(p.Functions) != 0 {
		t.Error(p)
	}
	if p := v.Packages[2]; p.Error == "" {
		t.Error(p)
	}
}
