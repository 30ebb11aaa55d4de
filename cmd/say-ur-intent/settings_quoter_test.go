package main

import (
	"context"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/flowx/quoter"
	"github.com/sayurintent/sayurintent/internal/protocol/flowx/registry"
	"github.com/sayurintent/sayurintent/internal/settings"
)

// TestQuoterOfTheEnvironment checks that FlowX's quotes come from FlowX's router, from the one that
// the environment names, or from the sandbox.
func TestQuoterOfTheEnvironment(t *testing.T) {
	for _, c := range []struct{ network, url, want string }{
		{"mainnet", "", quoter.DefaultURL}, {"mainnet", "https://quoter.example", "https://quoter.example"},
		{"sandbox", "", ""}, {"sandbox", "http://127.0.0.1:9", "http://127.0.0.1:9"},
	} {
		s, err := parseOptions(environment(map[string]string{"SAY_UR_INTENT_DATA_DIR": t.TempDir(),
			"FLOWX_QUOTER_URL": c.url}),
			[]string{"--network", c.network})
		if err != nil || s.services[settings.Quoter].URL != c.want {
			t.Errorf("%s with %q: %q, want %q, %v", c.network, c.url, s.services[settings.Quoter].URL, c.want, err)
		}
	}
	open := func(url string) (*app, error) {
		s, err := parseOptions(environment(map[string]string{"SAY_UR_INTENT_DATA_DIR": t.TempDir(), "FLOWX_QUOTER_URL": url}),
			[]string{"--network", "sandbox"})
		if err != nil {
			t.Fatal(err)
		}
		a, err := newApp(context.Background(), environment(nil), s)
		if err == nil {
			t.Cleanup(a.close)
		}
		return a, err
	}
	a, err := open("")
	if err != nil {
		t.Fatal(err)
	}
	coins := registry.Coins()
	if q, err := a.router.Quote(context.Background(), quoter.Request{From: coins[0], To: coins[1],
		Amount: 1_000_000_000}); err != nil || q.Out == 0 {
		t.Errorf("%+v, %v", q, err)
	}
	if _, err := open("http://quoter.example"); err == nil || !strings.Contains(err.Error(), "FLOWX_QUOTER_URL") ||
		!fault.Is(err, fault.InputInvalid) {
		t.Errorf("got %v", err)
	}
}
