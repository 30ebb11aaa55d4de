package main

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/indexer"
	"github.com/sayurintent/sayurintent/internal/settings"
	"github.com/sayurintent/sayurintent/tools"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// TestIndexerOfTheEnvironment checks that past prices come from the official indexer, from the one
// that the environment names, or from the sandbox.
func TestIndexerOfTheEnvironment(t *testing.T) {
	settle := func(network, url string) options {
		s, err := parseOptions(environment(map[string]string{"SAY_UR_INTENT_DATA_DIR": t.TempDir(),
			"DEEPBOOK_INDEXER_URL": url}),
			[]string{"--network", network})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for _, c := range []struct{ network, url, want string }{
		{"mainnet", "", indexer.DefaultURL}, {"mainnet", "https://indexer.example", "https://indexer.example"},
		{"sandbox", "", ""}, {"sandbox", "http://127.0.0.1:9", "http://127.0.0.1:9"},
	} {
		if got := settle(c.network, c.url).services[settings.Indexer].URL; got != c.want {
			t.Errorf("%s with %q: %q, want %q", c.network, c.url, got, c.want)
		}
	}
	open := func(url string) (*app, error) {
		p := environment(nil)
		a, err := newApp(context.Background(), p, settle("sandbox", url))
		if err == nil {
			t.Cleanup(a.close)
		}
		return a, err
	}
	t.Run("a sandbox serves its own", func(t *testing.T) {
		a, err := open("")
		if err != nil {
			t.Fatal(err)
		}
		h, err := a.prices.History(context.Background(), indexer.Span{Pool: "SUI_USDC", Interval: "1h", Most: 20})
		if err != nil || len(h.Candles) < 5 {
			t.Errorf("%d candles, %v", len(h.Candles), err)
		}
	})
	t.Run("an address without TLS elsewhere is refused by its name", func(t *testing.T) {
		if _, err := open("http://indexer.example"); err == nil || !strings.Contains(err.Error(), "DEEPBOOK_INDEXER_URL") ||
			!fault.Is(err, fault.InputInvalid) {
			t.Errorf("got %v", err)
		}
	})
	for _, name := range []string{"read.get_deepbook_price_history", "read.get_deepbook_price_at_time"} {
		if !slices.ContainsFunc(tools.All(tools.Deps{}), func(d tool.Tool) bool { return d.Name == name }) {
			t.Errorf("%s is not live", name)
		}
	}
}
