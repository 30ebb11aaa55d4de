package onchain_test

import (
	"testing"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/web/holdings"
	"github.com/sayurintent/sayurintent/internal/web/listing"
)

// TestWorth checks that coins and a balance manager's holdings are valued at DeepBook's mid prices,
// and that holdings without a value are counted.
func TestWorth(t *testing.T) {
	r, chain := reader(t)
	pool, _ := registry.PoolByKey("SUI_USDC")
	valuer := holdings.NewValuer(r, r)
	before, err := valuer.Worth(t.Context(), sandbox.Account)
	if err != nil {
		t.Fatal(err)
	}
	chain.Hold(sandbox.Account, "0x00000000000000000000000000000000000000000000000000000000000000aa::odd::ODD", 7, 0)
	if _, err := chain.OpenManager(sandbox.Manager{Owner: sandbox.Account, Registered: true,
		Deposits: []sandbox.Deposit{{Coin: sui.SUI, Amount: 10_000_000_000}, {Coin: pool.Quote.Type, Amount: 90_000_000}},
		Orders:   []sandbox.RestingOrder{{Pool: "SUI_USDC", Price: 5_000_000, Quantity: 7_500_000_000}}}); err != nil {
		t.Fatal(err)
	}
	after, err := valuer.Worth(t.Context(), sandbox.Account)
	if err != nil {
		t.Fatal(err)
	}
	coin := func(w listing.Worth, symbol string) (c listing.WorthCoin) {
		for _, one := range w.Coins {
			if one.Symbol == symbol {
				c = one
			}
		}
		return c
	}
	price, ok := r.InUSDC(t.Context(), coins.Coin{Symbol: "SUI", Type: sui.SUI, Decimals: 9})
	want, _ := price.Of(10_000_000_000)
	if got := coin(after, "SUI"); !ok || got.Inside != 10_000_000_000 || got.InsideValue != want ||
		got.Price != price.USDC || want == 0 {
		t.Errorf("%+v at %s", got, price.USDC)
	}
	if got := coin(after, "USDC"); got.Inside != 90_000_000 || got.InsideValue != 90_000_000 || got.Price != "1" {
		t.Errorf("%+v", got)
	}
	_, was, _, none := before.Totals()
	_, inside, _, without := after.Totals()
	if inside-was != want+90_000_000 || without != none+1 || after.At.IsZero() {
		t.Errorf("%d inside, %d before, without %d", inside, was, without)
	}
	if err := chain.Inject(sandbox.Fault{Kind: sandbox.Fail, Method: "ListBalances"}); err != nil {
		t.Fatal(err)
	}
	if _, err := valuer.Worth(t.Context(), sandbox.Account); err == nil {
		t.Error("coins that cannot be read are worth nothing")
	}
}
