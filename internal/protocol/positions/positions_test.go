package positions_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/positions"
	"github.com/sayurintent/sayurintent/internal/protocol/staking"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sandbox/ledger"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
)

const (
	market = "0xf95b06141ed4a174f239417323bde3f209b972f5930d8521ea38a52aff3a6ddf"
	capOf  = market + "::lending_market::ObligationOwnerCap<" + market + "::suilend::MAIN_POOL>"
	pool   = "0x1eabed72c53feb3805120a081dc15963c204dc8d091542592abaf7a35689b2fb::position::Position"
)

func TestOf(t *testing.T) {
	h := testkit.Start(t, time.Now, nil)
	h.Sandbox.ShowHoldings()
	h.Sandbox.Edit("positions", func(e *ledger.Edit) {
		for i, typ := range []string{pool, capOf, "0x9f9f::nft::Thing"} {
			id := e.ID(uint64(i))
			e.Place(ledger.Object{ID: id, Version: 1, Owner: sui.Owner{Kind: sui.OwnerAddress, Address: sandbox.Account},
				Type: sui.MustTypeTag(typ), Contents: append(id[:], make([]byte, 32)...)})
		}
	})
	r := positions.NewReader(h.Node, staking.NewReader(h.Node, h.Clock.Now))
	found, err := r.Of(t.Context(), sandbox.Account)
	if err != nil || len(found.Stakes.List) != 2 || found.More {
		t.Fatalf("%+v, %v", found, err)
	}
	var got []positions.Position
	for _, p := range found.Positions {
		p.ID = sui.ObjectID{}
		got = append(got, p)
	}
	want := []positions.Position{{Kind: positions.PoolPosition, Protocol: "Cetus", Type: pool},
		{Kind: positions.LendingCap, Protocol: "Suilend", Type: capOf}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if err := h.Sandbox.Inject(sandbox.Fault{Kind: sandbox.Fail, Method: "ListOwnedObjects"}); err != nil {
		t.Fatal(err)
	}
	found, err = r.Of(t.Context(), sandbox.Account)
	if !fault.Is(err, fault.ProviderUnavailable) || len(found.Positions) > 0 {
		t.Errorf("a node that lists nothing: %+v, %v", found, err)
	}
}

func TestReceiptOf(t *testing.T) {
	usdc := "0xdba34672e30cb065b1f93e3ab55318768fd6fef66c15942c9f7cb846e2f900e7::usdc::USDC"
	for coin, want := range map[sui.CoinType]positions.Receipt{
		"0x83556891f4a0f233ce7b05cfe7f957d4020492a34f5405b2cb9377d060bef4bf::spring_sui::SPRING_SUI": {
			Kind: positions.LiquidStake, Protocol: "SpringSui", Of: sui.SUI},
		sui.CoinType(market + "::reserve::CToken<" + market + "::suilend::MAIN_POOL," + usdc + ">"): {
			Kind: positions.LendingSupply, Protocol: "Suilend", Of: sui.CoinType(usdc)},
		sui.CoinType("0xbad::reserve::CToken<" + market + "::suilend::MAIN_POOL," + usdc + ">"): {},
		sui.CoinType(usdc): {},
	} {
		if got, known := positions.ReceiptOf(coin); got != want || known != (want.Kind != "") {
			t.Errorf("%s is %+v", coin, got)
		}
	}
}
