//go:build shared

package coins

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sayurintent/sayurintent/internal/sui"
)

func TestTableEqualsItsSource(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("..", "..", "..", "shared", "data", "deepbook-mainnet.json"))
	if err != nil {
		t.Fatal(err)
	}
	var recorded struct {
		Coins []struct {
			Key, Type string
			Scalar    uint64
			Decimals  uint8
		}
	}
	if err := json.Unmarshal(b, &recorded); err != nil {
		t.Fatal(err)
	}
	var want []Coin
	for _, c := range recorded.Coins {
		want = append(want, Coin{c.Key, sui.CoinType(c.Type), c.Scalar, c.Decimals})
	}
	if diff := cmp.Diff(want, All()); diff != "" {
		t.Error(diff)
	}
}
