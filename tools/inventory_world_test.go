package tools_test

import (
	"strings"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Managers in the examples.
var (
	manager      = sui.MustAddress("0x" + strings.Repeat("33", 32))
	otherManager = sui.MustAddress("0x" + strings.Repeat("44", 32))
)

// open creates a balance manager.
func (w *world) open(m sandbox.Manager) sui.ObjectID {
	w.t.Helper()
	id, err := w.Sandbox.OpenManager(m)
	if err != nil {
		w.t.Fatal(err)
	}
	return id
}

// manager connects the account and gives it a registered manager with two bids and an ask in
// SUI_USDC. Another owner has one too.
func (w *world) manager() {
	w.Connect(sandbox.Account)
	pool, _ := registry.PoolByKey("SUI_USDC")
	w.open(sandbox.Manager{
		ID: manager, Owner: sandbox.Account, Registered: true, Trader: sandbox.Account,
		Deposits: []sandbox.Deposit{{Coin: pool.Base.Type, Amount: 12_345_678_901}, {Coin: pool.Quote.Type,
			Amount: 99_000_001},
			{Coin: coins.DEEP, Amount: 1_500_000}},
		Orders: []sandbox.RestingOrder{
			{Pool: "SUI_USDC", IsBid: true, Price: 1_000_000, Quantity: 10_000_000_000},
			{Pool: "SUI_USDC", IsBid: true, Price: 1_100_000, Quantity: 20_000_000_000,
				Expire: uint64(w.Clock.Now().UnixMilli()) + 86_400_000},
			{Pool: "SUI_USDC", Price: 5_000_000, Quantity: 7_500_000_000},
		},
	})
	w.open(sandbox.Manager{ID: otherManager, Owner: sui.MustAddress("0xabc"), Registered: true})
}
