//go:build shared

package registry

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/sui"
)

type source struct {
	Packages struct {
		Deepbook struct {
			Original  string `json:"original_id"`
			Published string `json:"published_at"`
			History   []struct {
				Version uint64
				ID      string
			}
		}
	}
	Objects map[string]struct {
		ID      string
		Version uint64 `json:"initial_shared_version"`
	}
	Pools []struct {
		Key, Address, Base, Quote string
		BaseType                  sui.CoinType `json:"base_type"`
		QuoteType                 sui.CoinType `json:"quote_type"`
		PriceDecimals             uint8        `json:"price_decimals"`
		Version                   *uint64      `json:"initial_shared_version"`
		Observed                  *struct {
			Checkpoint uint64
			Tick       string `json:"tick_size"`
			Lot        string `json:"lot_size"`
			Min        string `json:"min_size"`
		}
	}
}

func number(t *testing.T, s string) uint64 {
	t.Helper()
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestTablesEqualTheirSource(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "..", "shared", "data", "deepbook-mainnet.json"))
	if err != nil {
		t.Fatal(err)
	}
	var want source
	if err := json.Unmarshal(b, &want); err != nil {
		t.Fatal(err)
	}
	db := want.Packages.Deepbook
	if db.Original != OriginalPackage.String() || db.Published != Packages()[0].ID.String() {
		t.Error("package ids differ")
	}
	for i, h := range db.History {
		p := Packages()[len(db.History)-1-i]
		if p.Number != h.Version || p.ID.String() != h.ID {
			t.Errorf("package %d differs: %+v", h.Version, p)
		}
	}
	if o := want.Objects["registry"]; o.ID != Object.String() || o.Version != ObjectVersion {
		t.Error("registry object differs")
	}
	if o := want.Objects["clock"]; o.ID != sui.Clock.String() || o.Version != sui.ClockVersion {
		t.Error("clock differs")
	}
	var pools []Pool
	for _, p := range want.Pools {
		base, _ := coins.BySymbol(p.Base)
		quote, _ := coins.BySymbol(p.Quote)
		pool := Pool{Key: p.Key, ID: sui.MustAddress(p.Address), Base: base, Quote: quote}
		if p.Version != nil {
			pool.InitialSharedVersion = *p.Version
		}
		if o := p.Observed; o != nil {
			pool.Observed = Observed{o.Checkpoint, number(t, o.Tick), number(t, o.Lot), number(t, o.Min)}
		}
		if pool.Base.Type != p.BaseType || pool.Quote.Type != p.QuoteType || pool.PriceDecimals() != p.PriceDecimals {
			t.Errorf("%s differs in types or price decimals", p.Key)
		}
		pools = append(pools, pool)
	}
	if diff := cmp.Diff(pools, Pools()); diff != "" {
		t.Error(diff)
	}
}
