package tools_test

import (
	"testing"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sandbox/foreign"
	"github.com/sayurintent/sayurintent/internal/sui"
)

func TestWalletStakes(t *testing.T) {
	w := build(t, nil)
	none := w.must("read.summarize_wallet_assets", aboutAccount(""))
	same(t, none, map[string]any{"otherHoldings.status": "read", "otherHoldings.stakes": []any{},
		"otherHoldings.epoch": nil})
	w.Sandbox.ShowHoldings()
	ctoken := "0xf95b06141ed4a174f239417323bde3f209b972f5930d8521ea38a52aff3a6ddf"
	token := sui.CoinType(ctoken + "::reserve::CToken<" + ctoken + "::suilend::MAIN_POOL," + sui.SUI.Tag().String() + ">")
	w.Sandbox.Hold(sandbox.Account, token, 5, 0)
	for _, name := range []string{"read.summarize_wallet_assets", "read.classify_wallet_assets"} {
		t.Run(name, func(t *testing.T) {
			data := w.must(name, aboutAccount(""))
			same(t, data, map[string]any{"otherHoldings.status": "read", "otherHoldings.epoch": "1000",
				"otherHoldings.hasMore": false})
			stakes := byKey(each(t, data, "otherHoldings.stakes"), "state")
			same(t, stakes["active"], map[string]any{"kind": "staked_sui", "principal": "120", "activationEpoch": "975",
				"validator.untrustedName": "Birch"})
			same(t, stakes["starts_in_epoch"], map[string]any{"principal": "30", "activationEpoch": "1001",
				"rewardAbout": "0", "paysAbout": "30"})
			if reward, _ := stakes["active"]["rewardAbout"].(string); len(reward) < 4 || reward[:4] != "0.22" {
				t.Errorf("the reward is %s", reward)
			}
			refuses(t, data, "future_staking_rewards", "portfolio_completeness")
		})
	}
	t.Run("a receipt of a lending protocol is named", func(t *testing.T) {
		data := w.must("read.classify_wallet_assets", aboutAccount(""))
		list := byKey(each(t, data, "classifiedAssets"), "balance.coinType")
		same(t, list[string(token)], map[string]any{"classification.receipt.kind": "lending_receipt",
			"classification.receipt.protocol": "Suilend", "classification.receipt.of": string(sui.SUI)})
		same(t, list[string(sui.SUI)], map[string]any{"classification.receipt": nil})
	})
	t.Run("a node that lists no objects leaves the coins as they are", func(t *testing.T) {
		w.Inject(sandbox.Fault{Kind: sandbox.Fail, Method: "ListOwnedObjects"})
		data := w.must("read.summarize_wallet_assets", aboutAccount(""))
		same(t, data, map[string]any{"otherHoldings.status": "unavailable", "otherHoldings.reason": "provider_unavailable",
			"otherHoldings.stakes": []any{}})
		if len(each(t, data, "balances")) == 0 {
			t.Error("the coins are missing too")
		}
	})
}

// TestWalletSupplies checks that claims stored by a protocol are valued at the mid price, if there
// is one.
func TestWalletSupplies(t *testing.T) {
	w := build(t, nil)
	usdc, err := coins.Find("USDC")
	if err != nil {
		t.Fatal(err)
	}
	foreign.Supply(w.Sandbox.Ledger, sandbox.Account, sui.SUI, 2_000_000_000)
	foreign.Supply(w.Sandbox.Ledger, sandbox.Account, usdc.Type, 7_000_000)
	foreign.Position(w.Sandbox.Ledger, sandbox.Account, sui.SUI, 4_000_000_000, 1_000_000_000)
	for _, name := range []string{"read.summarize_wallet_assets", "read.classify_wallet_assets"} {
		data := w.must(name, aboutAccount(""))
		list := byKey(each(t, data, "otherHoldings.supplied"), "symbol")
		same(t, list["SUI"], map[string]any{"protocol": "NAVI", "paysAbout": "2",
			"worthInUsdc.basis": "pool_middle_price_not_a_quote"})
		if got, _ := list["SUI"]["worthInUsdc"].(map[string]any); got["usdc"] == "0" || got["usdc"] == nil {
			t.Errorf("%v", list["SUI"])
		}
		same(t, list["USDC"], map[string]any{"protocol": "NAVI", "paysAbout": "7", "worthInUsdc": nil})
		lent := each(t, data, "otherHoldings.inPositions")
		if len(lent) != 2 {
			t.Fatalf("%v", lent)
		}
		same(t, lent[0], map[string]any{"protocol": "Suilend", "suppliedAbout": "4", "countsReceipts": true})
		same(t, lent[1], map[string]any{"protocol": "Suilend", "borrowedAbout": "1"})
	}
}

func TestListValidators(t *testing.T) {
	w := build(t, nil)
	data := w.must("read.list_validators", `{"offset":3,"limit":1}`)
	same(t, data, map[string]any{"epoch": "1000", "count": 5.0, "nextOffset": 4.0})
	elm := each(t, data, "validators")[0]
	same(t, elm, map[string]any{"untrustedName": "Elm", "commissionPercent": "8", "votingPowerPercent": "16",
		"pastApyPercent": "2.66",
		"sinceEpoch":     "970"})
	refuses(t, data, "future_staking_rewards", "validator_recommendation", "signing_data")
	last := w.must("read.list_validators", `{"offset":4}`)
	same(t, last, map[string]any{"nextOffset": nil})
	same(t, each(t, last, "validators")[0], map[string]any{"commissionPercent": "100", "pastApyPercent": "0.00"})
}
