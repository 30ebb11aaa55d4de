package swap_test

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/swap"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
)

// vectorFile is the part of the golden file that swaps use: bytes that the official TypeScript packages
// built.
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
		deep       string // attached for the fee; empty for none
	}{
		{"swap_exact_base_for_quote SUI_USDC 1.5 SUI, zero DEEP", "SUI_USDC", registry.BaseToQuote, "1500000000", "2600000",
			true, ""},
		{"swap_exact_base_for_quote DEEP_USDC whitelisted", "DEEP_USDC", registry.BaseToQuote, "100000000", "1500000", false,
			""},
		{"swap_exact_quote_for_base SUI_USDC 2.5 USDC (two coins), 0.1 DEEP", "SUI_USDC", registry.QuoteToBase, "2500000",
			"1300000000", false, "100000"},
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
			in, _, err := pool.Sides(c.direction)
			if err != nil {
				t.Fatal(err)
			}
			asset := func(t sui.CoinType) plan.Asset { return plan.Asset{Symbol: "X", CoinType: t} }
			leaves, selections := []plan.Amount{asset(in.Type).Of(amount)}, []plan.Selection{{Coin: in.Type, Gas: c.gas}}
			if !c.gas {
				selections[0].Coins = f.coins(in.Type)
			}
			if c.deep != "" {
				attached, err := sui.ParseRaw(c.deep)
				if err != nil {
					t.Fatal(err)
				}
				leaves = append(leaves, asset(coins.DEEP).Of(attached))
				selections = append(selections, plan.Selection{Coin: coins.DEEP, Coins: f.coins(coins.DEEP)})
			}
			kind := testkit.Build(t, f.DeepBook.Sender, func(b *plan.Builder) error {
				return swap.Append(b, swap.Call{Package: registry.Packages()[0].ID, Pool: pool,
					SharedVersion: pool.InitialSharedVersion, Direction: c.direction, MinOut: minimum}, leaves...)
			}, selections...)
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

// coins returns the file's coins of a type.
func (f vectorFile) coins(of sui.CoinType) []sui.ObjectRef {
	var out []sui.ObjectRef
	for _, coin := range f.DeepBook.Coins[of] {
		out = append(out, sui.ObjectRef{ID: coin.ObjectID, Version: coin.Version, Digest: coin.Digest})
	}
	return out
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

// Transactions that the official packages built read back as the swaps that the vectors name. All
// others in the file are rejected.
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
			facts, err := testkit.Read(adapter, tx)
			if !strings.HasPrefix(v.Name, "swap_exact") {
				if err == nil {
					t.Fatalf("a transaction that is no swap was read as %+v", facts)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			wantIn, wantOut := v.Params["base_in"], v.Params["min_quote_out"]
			if wantIn == nil {
				wantIn, wantOut = v.Params["quote_in"], v.Params["min_base_out"]
			}
			leaves := facts.Promise.Amounts(plan.RoleInput, plan.RoleFee)
			if got := leaves[0].Raw.String(); got != wantIn {
				t.Errorf("spends %s, want %v", got, wantIn)
			}
			if got := facts.Promise.Amount(plan.RoleOutput).Raw.String(); got != wantOut {
				t.Errorf("minimum %s, want %v", got, wantOut)
			}
			attached := "0"
			if len(leaves) > 1 {
				attached = leaves[1].Raw.String()
				if leaves[1].CoinType != coins.DEEP {
					t.Errorf("the fee is paid in %s", leaves[1].CoinType)
				}
			}
			if attached != v.Params["deep_in"] {
				t.Errorf("attaches %s DEEP, want %v", attached, v.Params["deep_in"])
			}
			if facts.Sends != f.DeepBook.Sender {
				t.Errorf("recipient %s", facts.Sends)
			}
		})
	}
}
