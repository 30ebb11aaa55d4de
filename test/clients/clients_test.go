//go:build clients

// Package clients_test lets real Sui clients, unchanged, use the sandbox: the
// official @mysten/sui and @mysten/deepbook-v3, and a wallet of @mysten/dapp-kit-core.
package clients_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sandbox/sandboxtest"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit/long"
)

// formats are the client's transports: gRPC-web text is its default.
var formats = []string{"text", "binary"}

// present is the chain's time in these tests, so that its books are known.
var present = time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)

func serve(t *testing.T) (*sandbox.Sandbox, string) {
	t.Helper()
	return sandboxtest.Serve(t, sandbox.Config{Now: func() time.Time { return present }})
}

// node runs a script and reads the JSON that it prints.
func node(t *testing.T, into any, stdin []byte, script string, args ...string) {
	t.Helper()
	long.Skip(t, "it starts Node")
	if _, err := os.Stat("node_modules/@mysten/sui"); err != nil {
		t.Fatal("the JavaScript clients are not installed: run npm ci in test/clients")
	}
	cmd := exec.CommandContext(t.Context(), "node", append([]string{script}, args...)...)
	cmd.Stdin = bytes.NewReader(stdin)
	var problems bytes.Buffer
	cmd.Stderr = &problems
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("node %s: %v\n%s", script, err, problems.String())
	}
	d := json.NewDecoder(bytes.NewReader(out))
	d.UseNumber()
	if err := d.Decode(into); err != nil {
		t.Fatalf("node %s printed %.300q: %v", script, out, err)
	}
}

type balance struct {
	Balance        string `json:"balance"`
	CoinBalance    string `json:"coinBalance"`
	AddressBalance string `json:"addressBalance"`
}

type problem struct{ Name, Code, Message string }

func TestState(t *testing.T) {
	s, url := serve(t)
	for _, format := range formats {
		t.Run(format, func(t *testing.T) {
			var got struct {
				Owner    string
				Chain    struct{ ChainIdentifier string }
				GasPrice struct{ ReferenceGasPrice string }
				Balance  struct{ Balance balance }
				Balances []balance
				Coins    []struct{ Balance, Type string }
				Pages    struct {
					HasNextPage, Last bool
					Then              int
				}
				Sui   struct{ CoinMetadata struct{ Decimals int } }
				Clock struct {
					Type  string
					Owner struct {
						Shared struct{ InitialSharedVersion string }
					}
				}
				Missing  string
				Function struct {
					Function struct {
						Parameters []struct{ Reference *string }
						Returns    []any
					}
				}
				Unsupported *problem
				NoName      struct{ Address *string }
			}
			node(t, &got, nil, "state.mjs", url, format)
			if got.Owner != sandbox.Account.String() || got.Chain.ChainIdentifier != s.Chain().String() ||
				got.GasPrice.ReferenceGasPrice != "500" {
				t.Errorf("owner %s, chain %s, gas price %s", got.Owner, got.Chain.ChainIdentifier, got.GasPrice.ReferenceGasPrice)
			}
			if d := cmp.Diff(balance{"1000000000000", "1000000000000", "0"}, got.Balance.Balance); d != "" {
				t.Error(d)
			}
			if len(got.Balances) != 4 || len(got.Coins) != 3 || got.Coins[0].Balance != "600000000000" {
				t.Errorf("balances %v, coins %v", got.Balances, got.Coins)
			}
			if !got.Pages.HasNextPage || !got.Pages.Last || got.Pages.Then != 1 {
				t.Errorf("pages %+v", got.Pages)
			}
			if got.Sui.CoinMetadata.Decimals != 9 || got.Clock.Owner.Shared.InitialSharedVersion != "1" ||
				!strings.HasSuffix(got.Clock.Type, "::clock::Clock") {
				t.Errorf("metadata %+v, clock %+v", got.Sui, got.Clock)
			}
			if !strings.Contains(got.Missing, "not found") {
				t.Errorf("missing object: %q", got.Missing)
			}
			if f := got.Function.Function; len(f.Parameters) != 6 || f.Parameters[0].Reference == nil ||
				*f.Parameters[0].Reference != "mutable" || len(f.Returns) != 3 {
				t.Errorf("function %+v", f)
			}
			if got.Unsupported == nil || got.Unsupported.Code != "UNIMPLEMENTED" || !strings.Contains(got.Unsupported.Message,
				"dynamic fields") {
				t.Errorf("refusal %+v", got.Unsupported)
			}
			if got.NoName.Address != nil {
				t.Errorf("a name resolved to %s", *got.NoName.Address)
			}
		})
	}
}

// TestRegistry compares the pinned table with the constants of the official
// package, both ways.
func TestRegistry(t *testing.T) {
	type coin struct {
		Type   string      `json:"type"`
		Scalar json.Number `json:"scalar"`
	}
	type pool struct {
		Address string `json:"address"`
		Base    string `json:"baseCoin"`
		Quote   string `json:"quoteCoin"`
	}
	var theirs struct {
		Coins    map[string]coin
		Pools    map[string]pool
		Packages map[string]any
	}
	node(t, &theirs, nil, "registry.mjs")
	ours, pools := map[string]coin{}, map[string]pool{}
	for _, c := range coins.All() {
		ours[c.Symbol] = coin{string(c.Type), json.Number(fmt.Sprint(c.Scalar))}
	}
	for _, p := range registry.Pools() {
		pools[p.Key] = pool{p.ID.String(), p.Base.Symbol, p.Quote.Symbol}
	}
	for symbol, c := range theirs.Coins {
		canonical, err := sui.ParseCoinType(c.Type)
		if err != nil {
			t.Fatal(err)
		}
		c.Type = string(canonical)
		theirs.Coins[symbol] = c
	}
	if d := cmp.Diff(theirs.Coins, ours); d != "" {
		t.Errorf("coins (- theirs, + ours): %s", d)
	}
	if d := cmp.Diff(theirs.Pools, pools); d != "" {
		t.Errorf("pools (- theirs, + ours): %s", d)
	}
	if got := registry.Packages()[0].ID.String(); theirs.Packages["DEEPBOOK_PACKAGE_ID"] != got {
		t.Errorf("the newest package is %v there and %s here", theirs.Packages["DEEPBOOK_PACKAGE_ID"], got)
	}
	if got := registry.Object.String(); theirs.Packages["REGISTRY_ID"] != got {
		t.Errorf("the registry object is %v there and %s here", theirs.Packages["REGISTRY_ID"], got)
	}
}

// burnerAddress is the account of the bundled wallet: its key is 32 bytes 0x42.
const burnerAddress = "0x7bd7e177baf86fb745b5270cf6c391cbd1998a759904d5f27cdd2b6e1b32f99e"

func TestBurnerWallet(t *testing.T) {
	if _, err := os.Stat("dist/burner.js"); err != nil {
		t.Fatal("the wallet is not bundled: run npm run bundle in test/clients")
	}
	_, url := serve(t)
	var got struct {
		Names, Chains       []string
		Address             string
		Restored, SameBytes bool
		Signature, Bytes    string
		Digest, Effects     string
		Status              struct{ Success bool }
	}
	node(t, &got, nil, "burner.mjs", url, "text", url+"/sandbox/faucet")
	if d := cmp.Diff([]string{"Unsafe Burner Wallet"}, got.Names); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"sui:localnet"}, got.Chains); d != "" {
		t.Error(d)
	}
	if got.Address != burnerAddress || !got.Restored {
		t.Errorf("address %s; randomness restored: %v", got.Address, got.Restored)
	}
	if !got.SameBytes || !got.Status.Success || got.Effects == "" {
		t.Errorf("same bytes: %v, status %+v", got.SameBytes, got.Status)
	}
	raw := decode(t, got.Bytes)
	if signer, err := sui.VerifyTransactionSignature(raw, decode(t, got.Signature)); err != nil ||
		signer.String() != burnerAddress {
		t.Errorf("signer %s, %v", signer, err)
	}
	if sui.TransactionDigest(raw).String() != got.Digest {
		t.Errorf("digest %s", got.Digest)
	}
}

func TestLockFile(t *testing.T) {
	b, err := os.ReadFile("package-lock.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{`"resolved"`, "registry."} {
		if bytes.Contains(b, []byte(word)) {
			t.Errorf("the lock file says %s: it must work with any registry", word)
		}
	}
	if !bytes.Contains(b, []byte(`"integrity": "sha512-`)) {
		t.Error("the lock file pins no content")
	}
}
