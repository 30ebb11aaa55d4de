package gate_test

import (
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/review/gate"
)

// If a market moved between two readings, the review is computed again. If nothing moved, a node
// that would build it differently disagrees.
func TestSecondNodeOfWhatMoves(t *testing.T) {
	for _, in := range []plan.Intent{
		{Type: "market-order", MaxSlippageBps: 100, Order: &plan.Order{Pool: "SUI_USDC", Side: "sell", Quantity: "10"}},
		{Type: "modify-order", Order: &plan.Order{Pool: "SUI_USDC", Price: "9.7"}},
		{Type: "cancel-all-orders"}, {Type: "manager-withdraw-all", To: plan.IntentTarget{Symbol: "SUI"}},
		{Type: "manager-withdraw-all"},
	} {
		for name, c := range map[string]struct {
			lies, moved bool
			status      record.Status
			id, says    string
		}{
			"the same":  {false, false, record.Ready, "", ""},
			"otherwise": {true, false, record.Blocked, "provider_mismatch", "names other objects"},
			"otherwise, of a market that moved": {true, true, record.RefreshRequired, "second_provider_lags",
				"would build the same request otherwise"},
		} {
			t.Run(in.Type+" "+name, func(t *testing.T) {
				h := testkit.Start(t, time.Now, nil)
				id, err := h.Sandbox.OpenManager(sandbox.Manager{Owner: sandbox.Account, Registered: true,
					Orders:   []sandbox.RestingOrder{{Pool: "SUI_USDC", Price: 9_500_000, Quantity: 5_000_000_000}},
					Deposits: []sandbox.Deposit{{Coin: sui.SUI, Amount: 500_000_000_000}}})
				if err != nil {
					t.Fatal(err)
				}
				if in.Type == "modify-order" {
					a, err := deepbook.NewInventory(h.Pools, h.Node).Account(t.Context(), "SUI_USDC", id)
					if err != nil {
						t.Fatal(err)
					}
					in.Own = plan.Own{"orderId": a.Orders[0].ID}
				}
				h.Compare(func(s *gate.Second) {
					for i, a := range s.Adapters {
						if c.lies {
							s.Adapters[i] = forger{Adapter: a, draft: func(d *plan.Step) {
								d.Terms = append([]plan.Term{},
									d.Terms...)
								d.Terms[0].Value += " more"
							}}
						}
					}
					if c.moved {
						s.Chain = teller{Chain: s.Chain, object: func(o *sui.Object) {
							if o.Owner.Kind == sui.OwnerShared {
								o.Ref.Version++
							}
						}}
					}
				})
				s := h.Compute(h.Open(in))
				if worst := s.State.Checks[0]; s.Status != c.status || c.id != "" && (worst.ID != c.id ||
					!strings.Contains(worst.Message, c.says) || s.Commitment != "") {
					t.Errorf("%s %s %+v", s.Status, s.Reason, worst)
				}
			})
		}
	}
}
