package tools_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/account/assets"
	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/tools"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// BenchmarkWallet measures a complete call about a wallet on the sandbox, from arguments to the
// checked answer: 200 coin types without cached metadata (cold) and with it (warm), and settlement
// evidence for 50.
func BenchmarkWallet(b *testing.B) {
	h := testkit.Start(b, time.Now, nil)
	all := tools.All(tools.Deps{
		About:    tools.About{Version: "test", Network: testkit.Network},
		Accounts: h.Accounts,
		Assets:   assets.New(assets.Config{Chain: h.Node, Cache: h.Store, Pools: h.Pools, Now: h.Clock.Now}),
	})
	rich, plain := sui.MustAddress("0xa11ce"), sui.MustAddress("0xb0b")
	for i := range 200 {
		c := odd(fmt.Sprint("C", i))
		h.Sandbox.Describe(sui.Metadata{Type: c, Decimals: 6, Symbol: fmt.Sprint("C", i), Name: fmt.Sprint("Coin ", i)})
		h.Sandbox.Hold(rich, c, uint64(i+1), 0)
		if i < 46 {
			h.Sandbox.Hold(plain, c, 1, 0)
		}
	}
	for _, symbol := range []string{"USDC", "USDT", "WUSDC", "AUSD"} {
		c, _ := coins.BySymbol(symbol)
		h.Sandbox.Hold(plain, c.Type, 250_000_000, 0)
	}
	call := func(b *testing.B, name, args string) {
		for _, d := range all {
			if d.Name == name {
				if answer := d.Call(tool.NewCall(b.Context(), nil, tool.Client{}), json.RawMessage(args)); answer.Fault != nil {
					b.Fatal(answer.Fault)
				}
			}
		}
	}
	summary := `{"account":"` + rich.String() + `","limit":200}`
	b.Run("summary of 200 cold", func(b *testing.B) {
		for b.Loop() {
			h.Clock.Advance(assets.MetadataLife + time.Second)
			call(b, "read.summarize_wallet_assets", summary)
		}
	})
	b.Run("summary of 200 warm", func(b *testing.B) {
		call(b, "read.summarize_wallet_assets", summary)
		for b.Loop() {
			call(b, "read.summarize_wallet_assets", summary)
		}
	})
	b.Run("evidence for 50", func(b *testing.B) {
		for b.Loop() {
			call(b, "read.preview_intent_evidence", `{"account":"`+plain.String()+`","intentKind":"cover_payment_like_amount",`+
				`"denomination":"dollar","requiredDisplayAmount":"1500","targetAssetSymbol":"USDC","targetAssetSelectionSource":"user_explicit"}`)
		}
	})
}
