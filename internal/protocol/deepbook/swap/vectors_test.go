package swap_test

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/swap"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review"
)

// vectorFile is the part of the golden file that swaps use: bytes that the
// official TypeScript packages built.
type vectorFile struct {
	DeepBook struct {
		Sender sui.Address
		Coins  map[sui.CoinType][]struct {
			ObjectID sui.ObjectID `json:"objectId"`
			Version  uint64       `json:",string"`
			Digest   sui.Digest
		}
		Vectors []struct {
			Name   string
			Params map[string]any
			Kind   string `json:"transaction_kind_bcs"`
			Data   string `json:"transaction_data_bcs"`
		}
	}
}

func readVectors(t *testing.T) vectorFile {
	t.Helper()
	b, err := os.ReadFile("testdata/deepbook-ptb-vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var f vectorFile
	if err := json.Unmarshal(b, &f); err != nil {
		t.Fatal(err)
	}
	return f
}

func TestKindEqualsVectors(t *testing.T) {
	f := readVectors(t)
	cases := []struct {
		name, pool string
		direction  registry.Direction
		amount     string
		minimum    string
		gas        bool
	}{
		{"swap_exact_base_for_quote SUI_USDC 1.5 SUI, zero DEEP", "SUI_USDC", registry.BaseToQuote, "1500000000", "2600000", true},
		{"swap_exact_base_for_quote DEEP_USDC whitelisted", "DEEP_USDC", registry.BaseToQuote, "100000000", "1500000", false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			pool, ok := registry.PoolByKey(c.pool)
			if !ok {
				t.Fatal("no such pool")
			}
			amount, err := sui.ParseRaw(c.amount)
			if err != nil {
				t.Fatal(err)
			}
			minimum, err := sui.ParseRaw(c.minimum)
			if err != nil {
				t.Fatal(err)
			}
			selected := review.Selected{Account: f.DeepBook.Sender, Amount: amount, Gas: c.gas}
			if !c.gas {
				for _, coin := range f.DeepBook.Coins[pool.Base.Type] {
					selected.Coins = append(selected.Coins, sui.ObjectRef{ID: coin.ObjectID, Version: coin.Version, Digest: coin.Digest})
				}
			}
			kind, err := swap.Kind(swap.Call{Package: registry.Packages()[0].ID, Pool: pool,
				SharedVersion: pool.InitialSharedVersion, Direction: c.direction, MinOut: minimum}, selected)
			if err != nil {
				t.Fatal(err)
			}
			got, err := kind.Encode()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(vectorKind(t, f, c.name), base64.StdEncoding.EncodeToString(got)); diff != "" {
				t.Errorf("kind bytes differ from the vector (-want +got):\n%s", diff)
			}
		})
	}
}

func vectorKind(t *testing.T, f vectorFile, prefix string) string {
	t.Helper()
	for _, v := range f.DeepBook.Vectors {
		if strings.HasPrefix(v.Name, prefix) {
			return v.Kind
		}
	}
	t.Fatalf("the file has no vector %q", prefix)
	return ""
}

// What the official packages built reads back as the swap that the vector
// names, and every other transaction of the file is refused.
func TestReadVectors(t *testing.T) {
	f := readVectors(t)
	adapter := swap.New(nil)
	for _, v := range f.DeepBook.Vectors {
		if v.Data == "" {
			continue
		}
		t.Run(v.Name, func(t *testing.T) {
			b, err := base64.StdEncoding.DecodeString(v.Data)
			if err != nil {
				t.Fatal(err)
			}
			tx, err := sui.DecodeTransaction(b)
			if err != nil {
				t.Fatal(err)
			}
			facts, err := adapter.Read(tx)
			inputFee := strings.HasPrefix(v.Name, "swap_exact") && v.Params["deep_in"] == "0"
			if !inputFee {
				if err == nil {
					t.Fatalf("a transaction that is no input-fee swap was read as %+v", facts)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := facts.Spends[0].Raw.String(); got != v.Params["base_in"] {
				t.Errorf("spends %s, want %v", got, v.Params["base_in"])
			}
			if got := facts.Minimum.Raw.String(); got != v.Params["min_quote_out"] {
				t.Errorf("minimum %s, want %v", got, v.Params["min_quote_out"])
			}
			if facts.Recipient != f.DeepBook.Sender {
				t.Errorf("recipient %s", facts.Recipient)
			}
		})
	}
}
