//go:build shared

package registry

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"strconv"
	"testing"
)

// TestPinsAgreeWithTheRecordedOnes compares the pins with recorded values, in both directions.
func TestPinsAgreeWithTheRecordedOnes(t *testing.T) {
	data, err := os.ReadFile("../../../../../shared/data/flowx-mainnet.json")
	if err != nil {
		t.Fatal(err)
	}
	type shared struct {
		ID      string
		Version uint64 `json:"initial_shared_version"`
	}
	var recorded struct {
		CLMM struct {
			Original  string `json:"original_id"`
			Published string `json:"published_at"`
			Version   uint64 `json:"package_version"`
			Registry  shared `json:"pool_registry"`
			Versioned shared
			Fees      uint64            `json:"fee_denominator"`
			Spacings  map[string]uint32 `json:"fee_tick_spacing"`
		}
		Pools []struct {
			ID, X, Y string
			CoinX    string `json:"coin_x"`
			CoinY    string `json:"coin_y"`
			Fee      uint64
			Spacing  uint32 `json:"tick_spacing"`
			Field    string `json:"field_object_id"`
			Key      string `json:"field_key_bcs_hex"`
		}
		Aggregator struct{ Packages map[string]string }
		Coins      []struct {
			Key, Type string
			Decimals  uint8
		}
	}
	if err := json.Unmarshal(data, &recorded); err != nil {
		t.Fatal(err)
	}
	c := recorded.CLMM
	t.Run("R004-96 packages and shared objects", func(t *testing.T) {
		if c.Original != OriginalPackage.String() || c.Published != Package.String() || c.Version != PackageVersion ||
			c.Registry != (shared{Object.String(), ObjectVersion}) || c.Versioned != (shared{Versioned.String(),
			VersionedVersion}) ||
			c.Fees != FeeDenominator || recorded.Aggregator.Packages["wrapped_clmm_router"] != WrappedRouter.String() {
			t.Errorf("recorded %+v", c)
		}
	})
	t.Run("R004-96 coins", func(t *testing.T) {
		if len(recorded.Coins) != len(Coins()) {
			t.Fatalf("%d coins", len(recorded.Coins))
		}
		for i, k := range Coins() {
			if r := recorded.Coins[i]; r.Key != k.Symbol || r.Type != string(k.Type) || r.Decimals != k.Decimals {
				t.Errorf("recorded %+v, pinned %+v", r, k)
			}
		}
	})
	t.Run("R004-96 pools of the supported pair", func(t *testing.T) {
		found := 0
		for _, r := range recorded.Pools {
			if r.CoinX != string(Coins()[0].Type) || r.CoinY != string(Coins()[1].Type) {
				continue
			}
			found++
			p := Pools()[found-1]
			if r.ID != p.ID.String() || r.Fee != p.Fee || r.Spacing != p.TickSpacing || r.Field != p.Field.String() ||
				r.Key != hex.EncodeToString(p.KeyBytes()) || c.Spacings[strconv.FormatUint(p.Fee, 10)] != p.TickSpacing {
				t.Errorf("recorded %+v, pinned %+v", r, p)
			}
		}
		if found != len(Pools()) {
			t.Errorf("%d recorded, %d pinned", found, len(Pools()))
		}
	})
}
