package tools_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/indexer"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
)

// tradedMinutes replaces the sandbox's indexer with one whose candles begin the given number of
// minutes ago; 0 is the current minute. Each closes at 1.1 and has a different volume.
func (w *world) tradedMinutes(ago ...int) {
	sui, _ := registry.PoolByKey("SUI_USDC")
	now := w.Clock.Now()
	running := indexer.Interval("1m").Open(now)
	rows := []string{}
	for _, n := range ago {
		rows = append(rows, fmt.Sprintf(`[%d,1.00000000000000001,1.2,1,1.1,%d.5]`,
			running.Add(-time.Duration(n)*time.Minute).UnixMilli(), n))
	}
	list := "[" + join(rows) + "]"
	w.answers(map[string]string{
		"/status":         fmt.Sprintf(`{"current_time_ms":%d,"max_time_lag_seconds":0}`, now.UnixMilli()),
		"/get_pools":      fmt.Sprintf(`[{"pool_id":%q,"pool_name":"SUI_USDC","base_asset_decimals":9,"quote_asset_decimals":6}]`, sui.ID),
		"/ohclv/SUI_USDC": `{"candles":` + list + `}`,
	})
}

// earlyInAMinute moves the clock to the start of a minute.
func (w *world) earlyInAMinute() {
	into := w.Clock.Now().Sub(indexer.Interval("1m").Open(w.Clock.Now()))
	w.Clock.Advance(70*time.Second - into)
}

func join(rows []string) string {
	text := ""
	for i, r := range rows {
		if i > 0 {
			text += ","
		}
		text += r
	}
	return text
}

func minutesBack(w *world, n int) string {
	return indexer.Interval("1m").Open(w.Clock.Now()).Add(-time.Duration(n) * time.Minute).Format(time.RFC3339)
}

func TestPriceHistory(t *testing.T) {
	w := build(t, nil)
	w.earlyInAMinute()
	w.tradedMinutes(0, 3, 4, 6)
	ask := func(from, to int) map[string]any {
		return w.must("read.get_deepbook_price_history",
			fmt.Sprintf(`{"poolKey":"SUI_USDC","interval":"1m","from":%q,"to":%q}`,
				minutesBack(w, from), minutesBack(w, to)))
	}
	t.Run("a history with a gap or a running candle is not complete", func(t *testing.T) {
		data := ask(6, -1)
		if data["complete"] != false {
			t.Error("it is complete")
		}
		want := []any{"intervals_without_candle", "running_interval", "intervals_not_yet_settled"}
		if diff := cmp.Diff(want, data["incompleteReasons"]); diff != "" {
			t.Error(diff)
		}
		gap := data["gaps"].([]any)[0].(map[string]any)
		if gap["from"] != minutesBack(w, 5) || gap["to"] != minutesBack(w, 4) || gap["intervals"] != 1.0 {
			t.Errorf("the gap is %v", gap)
		}
		last := data["candles"].([]any)[3].(map[string]any)
		if last["openTime"] != minutesBack(w, 0) || last["final"] != false {
			t.Errorf("the running candle is %v", last)
		}
	})
	t.Run("an end to come is cut at now and told", func(t *testing.T) {
		w.tradedMinutes(0)
		data := ask(0, -90)
		if at(data, "window.toClippedToNow") != true || at(data, "window.intervals") != 1.0 {
			t.Errorf("the window is %v", data["window"])
		}
	})
	t.Run("final candles one after another are complete, digits kept", func(t *testing.T) {
		w.tradedMinutes(5, 4)
		data := ask(5, 3)
		first := data["candles"].([]any)[0].(map[string]any)
		if data["complete"] != true || first["open"] != "1.00000000000000001" || first["final"] != true {
			t.Errorf("got %v", data)
		}
		if at(data, "source.kind") != "indexer" {
			t.Errorf("the source is %v", data["source"])
		}
	})
	t.Run("a span that is not on the grid is widened to whole intervals", func(t *testing.T) {
		w.tradedMinutes()
		from := indexer.Interval("1m").Open(w.Clock.Now()).Add(-10*time.Minute + 7*time.Second)
		data := w.must("read.get_deepbook_price_history",
			fmt.Sprintf(`{"poolKey":"SUI_USDC","interval":"1m","from":%q,"to":%q}`,
				from.Format(time.RFC3339), from.Add(61*time.Second).Format(time.RFC3339)))
		if at(data, "window.from") != minutesBack(w, 10) || at(data, "window.to") != minutesBack(w, 8) {
			t.Errorf("the window is %v", data["window"])
		}
	})
	t.Run("what the limit cuts off is named", func(t *testing.T) {
		w.tradedMinutes()
		data := w.must("read.get_deepbook_price_history",
			fmt.Sprintf(`{"poolKey":"SUI_USDC","interval":"1m","limit":2,"from":%q,"to":%q}`,
				minutesBack(w, 10), minutesBack(w, 5)))
		if at(data, "window.nextFrom") != minutesBack(w, 8) || data["complete"] != false {
			t.Errorf("the window is %v", data["window"])
		}
	})
}

func TestPriceAtTime(t *testing.T) {
	w := build(t, nil)
	w.earlyInAMinute()
	ask := func(at string) map[string]any {
		return w.must("read.get_deepbook_price_at_time", fmt.Sprintf(`{"poolKey":"SUI_USDC","at":%q}`, at))
	}
	t.Run("an unfinished candle's close is no price", func(t *testing.T) {
		w.tradedMinutes(0, 3)
		data := ask(minutesBack(w, 0))
		if at(data, "containingInterval.state") != "running_interval" || at(data, "candle.openTime") != minutesBack(w, 3) ||
			data["priceBasis"] != "close_of_nearest_final_candle_before" || data["ageSeconds"] != 120.0 {
			t.Errorf("got %v", data)
		}
	})
	t.Run("without a final candle there is no price", func(t *testing.T) {
		w.tradedMinutes(0)
		data := ask(minutesBack(w, 0))
		if _, there := data["price"]; there || data["priceBasis"] != "none_found" {
			t.Errorf("got %v", data)
		}
	})
	t.Run("a gap is named, with the candle before it and its age", func(t *testing.T) {
		w.tradedMinutes(9)
		data := ask(minutesBack(w, 5))
		if at(data, "containingInterval.state") != "no_candle" || data["price"] != "1.1" || data["ageSeconds"] != 180.0 {
			t.Errorf("got %v", data)
		}
	})
	t.Run("a final candle that contains the moment", func(t *testing.T) {
		w.tradedMinutes(5)
		data := ask(minutesBack(w, 5))
		if at(data, "containingInterval.state") != "final_candle" || data["price"] != "1.1" || data["ageSeconds"] != 0.0 {
			t.Errorf("got %v", data)
		}
	})
	t.Run("a past price is no fiat value, profit, loss or market price", func(t *testing.T) {
		refuses(t, ask(minutesBack(w, 5)), "fiat_usd_cash_out", "profit_and_loss", "cost_basis", "global_market_price",
			"deepbook_pool_mid_price_snapshot", "proof_from_chain", "minimum_output")
	})
}

func TestPricesTravelAsText(t *testing.T) {
	w := build(t, nil)
	data := w.must("read.get_deepbook_price_history", `{"poolKey":"DEEP_SUI","interval":"4h","limit":20}`)
	for _, row := range data["candles"].([]any) {
		for _, name := range []string{"open", "high", "low", "close", "baseVolume"} {
			if _, ok := row.(map[string]any)[name].(string); !ok {
				text, _ := json.Marshal(row)
				t.Fatalf("%s is no text: %s", name, text)
			}
		}
	}
	if len(data["candles"].([]any)) < 10 {
		t.Errorf("%d candles of 20 intervals", len(data["candles"].([]any)))
	}
}
