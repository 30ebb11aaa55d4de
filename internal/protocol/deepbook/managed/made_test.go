package managed_test

import (
	"testing"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/balancemanager"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/managed"
	deeporders "github.com/sayurintent/sayurintent/internal/protocol/deepbook/orders"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
)

// TestNewManager decodes actions on a manager created by an earlier step, and rejects actions that
// cannot use one.
func TestNewManager(t *testing.T) {
	pkg, usdc := registry.Packages()[0].ID, managed.Asset(coin("USDC"))
	pool, _ := registry.PoolByKey("SUI_USDC")
	h := deepbook.Holder{ID: plan.Made(1), Package: pkg, Made: 1}
	for name, c := range map[string]struct {
		with  plan.Adapter
		build func(b *plan.Builder) error
		good  bool
	}{
		"taking out an amount": {balancemanager.NewWithdraw(nil),
			func(b *plan.Builder) error { return balancemanager.AppendWithdraw(b, h, usdc.Of(5)) }, true},
		"taking out everything": {balancemanager.NewWithdrawAll(nil, nil), func(b *plan.Builder) error {
			return balancemanager.AppendWithdraw(b, h, usdc.Of(5))
		}, false},
		"cancelling": {orderAction("cancel-order", nil, nil), func(b *plan.Builder) error {
			return deeporders.AppendCancel(b, pkg, pool, pool.InitialSharedVersion, h, deepbook.OrderID{Hi: 1250000000, Lo: 1})
		}, false},
		"cancelling all": {orderAction("cancel-all-orders", nil, nil), func(b *plan.Builder) error {
			return managed.AppendTrade(b, pkg, "cancel_all_orders", pool, pool.InitialSharedVersion, h, sui.ClockInput())
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			k := testkit.Build(t, sandbox.Account, func(b *plan.Builder) error {
				balancemanager.AppendCreate(b, pkg)
				return c.build(b)
			})
			f, err := plan.ReadFacts(&sui.Transaction{Sender: sandbox.Account, Inputs: k.Inputs, Commands: k.Commands},
				[]plan.Adapter{balancemanager.NewCreate(), c.with})
			if (err == nil) != c.good {
				t.Fatal(err)
			}
			if c.good && (!f.Steps[1].Holder.New() || f.Steps[1].Holder.Called() != "your new balance manager" ||
				!f.Steps[1].RouteID.IsZero()) {
				t.Errorf("%+v", f.Steps[1])
			}
		})
	}
	t.Run("nothing is built with one that no step makes", func(t *testing.T) {
		b := plan.NewBuilder(sandbox.Account)
		if err := balancemanager.AppendWithdraw(b, h, usdc.Of(5)); err == nil {
			t.Error("it is built")
		}
	})
}
