package indexer

import (
	"context"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sandbox"
)

const flat = `2,2,2,2,1`

func TestFinality(t *testing.T) {
	for name, c := range map[string]struct {
		lag     time.Duration
		rows    string
		to      time.Duration // after noon
		missing []string
		final   []bool
	}{
		"all final": {0, row(10, flat) + "," + row(11, flat), -30 * time.Second,
			[]string{"intervals_not_yet_settled"}, []bool{true, false}},
		"the indexer is behind": {2 * time.Hour, row(10, flat) + "," + row(11, flat), -30 * time.Second,
			[]string{"intervals_not_yet_settled"}, []bool{false, false}},
		"a gap": {0, row(11, flat), -30 * time.Second, []string{"intervals_without_candle",
			"intervals_not_yet_settled"}, []bool{false}},
		"the running hour": {0, row(10, flat) + "," + row(11, flat) + "," + row(12, flat), time.Minute,
			[]string{"running_interval", "intervals_not_yet_settled"}, []bool{true, false, false}},
		"a running hour untraded": {0, row(10, flat) + "," + row(11, flat), time.Minute, []string{"running_interval",
			"intervals_not_yet_settled"}, []bool{true, false}},
		"an unsettled hour is gap": {0, row(10, flat), -30 * time.Second, []string{"intervals_not_yet_settled"},
			[]bool{true}},
	} {
		t.Run(name, func(t *testing.T) {
			h, err := client(t, healthy(c.lag, c.rows)).History(context.Background(), Span{Pool: "SUI_USDC", Interval: "1h",
				Most: 10,
				From: noon.Add(-2*time.Hour - 30*time.Second), To: noon.Add(c.to)})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.missing, h.Missing()); diff != "" {
				t.Error(diff)
			}
			final := []bool{}
			for _, k := range h.Candles {
				final = append(final, k.Final)
			}
			if diff := cmp.Diff(c.final, final); diff != "" {
				t.Error(diff)
			}
		})
	}
	t.Run("an hour before, everything is settled and complete", func(t *testing.T) {
		h, err := client(t, healthy(0, row(9, flat)+","+row(10, flat))).History(context.Background(), Span{Pool: "SUI_USDC",
			Interval: "1h",
			Most:     10, From: noon.Add(-3*time.Hour - 30*time.Second), To: noon.Add(-time.Hour - 30*time.Second)})
		if err != nil || len(h.Missing()) > 0 {
			t.Errorf("%v, %v", h.Missing(), err)
		}
	})
}

func TestSpans(t *testing.T) {
	c := client(t, healthy(0, ""))
	for name, s := range map[string]Span{
		"upside down": {Pool: "SUI_USDC", Interval: "1h", Most: 1, From: noon.Add(-time.Hour),
			To: noon.Add(-2 * time.Hour)},
		"in the future": {Pool: "SUI_USDC", Interval: "1h", Most: 1, From: noon.Add(time.Hour), To: noon.Add(2 * time.Hour)},
		"no interval":   {Pool: "SUI_USDC", Most: 1},
		"too many":      {Pool: "SUI_USDC", Interval: "1h", Most: MostCandles + 1},
	} {
		if _, err := c.History(context.Background(), s); !fault.Is(err, fault.InputInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := c.History(context.Background(), Span{Pool: "NOPE", Interval: "1h", Most: 1}); !fault.Is(err,
		fault.RegistryMiss) {
		t.Error(err)
	}
	if _, err := c.Moment(context.Background(), "SUI_USDC", "1h", noon.Add(time.Second)); !fault.Is(err,
		fault.InputInvalid) {
		t.Errorf("a future moment: %v", err)
	}
}

// served returns a client of a sandbox's indexer.
func served(t *testing.T) *Client {
	t.Helper()
	s, err := sandbox.New(sandbox.Config{Now: func() time.Time { return noon }})
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = s.Serve(ln) }()
	t.Cleanup(s.Close)
	c, err := New(Config{URL: "http://" + ln.Addr().String(), Now: func() time.Time { return noon }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// TestLongCandlesAreWhole: a span's edges never cut a candle. The span's first and last hours contain
// all their minutes.
func TestLongCandlesAreWhole(t *testing.T) {
	c := served(t)
	ask := func(i Interval, from, to time.Duration) []Candle {
		h, err := c.History(context.Background(), Span{Pool: "SUI_USDC", Interval: i, Most: 500, From: noon.Add(from),
			To: noon.Add(to)})
		if err != nil {
			t.Fatal(err)
		}
		return h.Candles
	}
	for i, span := range map[Interval]time.Duration{"5m": time.Hour, "1h": 5 * time.Hour, "4h": 20 * time.Hour} {
		wide := ask(i, -span-20*time.Hour-7*time.Minute, -20*time.Hour-7*time.Minute)
		if len(wide) < 3 {
			t.Fatalf("%s: %d candles", i, len(wide))
		}
		for _, k := range []Candle{wide[0], wide[len(wide)-1]} {
			minutes := ask("1m", k.Opens.Sub(noon), k.Closes.Sub(noon))
			high, low := minutes[0].High, minutes[0].Low
			for _, m := range minutes {
				if less(high, m.High) {
					high = m.High
				}
				if less(m.Low, low) {
					low = m.Low
				}
			}
			if k.Open != minutes[0].Open || k.Close != minutes[len(minutes)-1].Close || k.High != high || k.Low != low {
				t.Errorf("%s from %s is not its minutes", i, k.Opens)
			}
		}
	}
}

func TestEveryPoolAndIntervalOfTheSandbox(t *testing.T) {
	c := served(t)
	for _, i := range Intervals() {
		h, err := c.History(context.Background(), Span{Pool: "DEEP_SUI", Interval: i, Most: 100})
		if err != nil || len(h.Candles) < 10 {
			t.Errorf("%s: %d candles, %v", i, len(h.Candles), err)
		}
		again, err := c.History(context.Background(), Span{Pool: "DEEP_SUI", Interval: i, Most: 100})
		if diff := cmp.Diff(h.Candles, again.Candles); diff != "" || err != nil {
			t.Errorf("%s: %v %s", i, err, diff)
		}
	}
	pools, err := c.pools(context.Background())
	if err != nil || len(pools) < 10 {
		t.Fatalf("%d pools, %v", len(pools), err)
	}
	h, err := c.History(context.Background(), Span{Pool: "SUI_USDC", Interval: "1m", Most: 300})
	if err != nil || len(h.Gaps) == 0 || !strings.Contains(strings.Join(h.Missing(), " "), "running_interval") {
		t.Errorf("%d gaps, %v, %v", len(h.Gaps), h.Missing(), err)
	}
}

func TestMoments(t *testing.T) {
	ask := func(p *double, ago time.Duration) Moment {
		m, err := client(t, p).Moment(context.Background(), "SUI_USDC", "1h", noon.Add(-ago))
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	rows := row(8, flat) + "," + row(10, `2,2,2,2,1`)
	for name, c := range map[string]struct {
		lag, ago time.Duration
		state    State
		found    int
		age      time.Duration
	}{
		"final":                     {0, 90 * time.Minute, FinalCandle, 10, 0},
		"running":                   {0, 0, Running, 10, time.Hour + 30*time.Second},
		"over, not settled":         {0, 31 * time.Second, Unsettled, 10, 59*time.Minute + 59*time.Second},
		"no trade":                  {0, 3*time.Hour - 30*time.Second, NoCandle, 8, time.Minute},
		"behind: earlier candle":    {3 * time.Hour, 90 * time.Minute, Unsettled, 0, 0},
		"the opening belongs to it": {0, 2*time.Hour + 30*time.Second, FinalCandle, 10, 0},
	} {
		t.Run(name, func(t *testing.T) {
			list := rows
			switch {
			case c.found == 8 || c.found == 0:
				list = row(8, flat)
			}
			if c.found == 0 {
				list = row(9, flat) + "," + row(10, flat)
			}
			m := ask(healthy(c.lag, list), c.ago)
			if m.State != c.state || m.Age() != c.age {
				t.Errorf("%s, %v old", m.State, m.Age())
			}
			if (m.Found == nil) != (c.found == 0) || (m.Found != nil && m.Found.Opens.UnixMilli() != at(c.found)) {
				t.Errorf("found %+v", m.Found)
			}
		})
	}
}
