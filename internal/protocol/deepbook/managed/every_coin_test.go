package managed_test

import (
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/balancemanager"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/managed"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
)

func TestWithdrawEveryCoin(t *testing.T) {
	every := plan.Intent{Type: "manager-withdraw-all"}
	t.Run("one transaction takes each coin, and what orders earned", func(t *testing.T) {
		h := testkit.Start(t, time.Now, nil)
		id := earned(t, h)
		h.Settle(h.Ready(plan.Intent{Type: "manager-deposit", From: plan.IntentSource{Symbol: "DEEP", Amount: "7"}}))
		had := freeOf(t, h, id, "USDC")
		s := kept(t, h, every)
		f := s.Facts.Steps[0]
		out := f.Promise.Amounts(plan.RoleOutput)
		if len(s.Facts.Steps) != 1 || len(out) != 3 || out[0].String() != "107 DEEP" || out[2].Symbol != "USDC" ||
			out[2].Raw <= had {
			t.Fatalf("%+v", out)
		}
		for _, a := range out {
			if left := freeOf(t, h, id, a.Symbol); left != 0 {
				t.Errorf("%s is left of %s", left, a)
			}
			says(t, s.State.HumanReview.Guarantee, a.String())
			says(t, s.Execution.Receipt.Result.Title, a.String())
			says(t, s.Headline().Sentences(), a.String())
			says(t, f.Terms[1].Value, a.String())
		}
		check, _ := testkit.Check(s, "deepbook_manager_balance")
		says(t, check.Message, "Coins that this program does not know were not checked.")
		refusal(t, h, every, plan.InsufficientBalance, "no free coin that this program knows.")
	})
	t.Run("what orders tie up stays", func(t *testing.T) {
		h, id := everyday(t, resting(9_500_000, 5_000_000_000))
		s := kept(t, h, every)
		check, _ := testkit.Check(s, "deepbook_manager_balance")
		says(t, check.Message, "Open orders tie up 5 SUI besides, which stays.")
		if len(orders(t, h, id)) != 1 {
			t.Error("an order is gone")
		}
		refusal(t, h, every, plan.InsufficientBalance, "Open orders tie up 5 SUI")
	})
	usdc, deep := managed.Asset(coin("USDC")), managed.Asset(coin("DEEP"))
	t.Run("of two managers", func(t *testing.T) {
		k := testkit.Build(t, sandbox.Account, func(b *plan.Builder) error {
			return balancemanager.AppendWithdraw(b, holder("0xaa"), usdc.Of(5), deep.Of(6))
		})
		call := k.Commands[1].(sui.MoveCall)
		call.Arguments = []sui.Argument{sui.InputArg(len(k.Inputs)), call.Arguments[1]}
		k.Commands[1], k.Inputs = call, append(k.Inputs, sui.SharedInput{ID: holder("0xbb").ID, InitialVersion: 7,
			Mutable: true})
		_, err := testkit.Read(balancemanager.NewWithdrawAll(nil, nil), &sui.Transaction{Sender: sandbox.Account,
			Inputs: k.Inputs, Commands: k.Commands})
		if err == nil || !strings.Contains(err.Error(), "from one manager once") {
			t.Error(err)
		}
	})
	t.Run("of one coin twice", func(t *testing.T) {
		_, err := readKind(t, balancemanager.NewWithdrawAll(nil, nil),
			func(b *plan.Builder) { balancemanager.AppendWithdraw(b, holder("0xaa"), usdc.Of(5), usdc.Of(6)) })
		if err == nil || !strings.Contains(err.Error(), "from one manager once") {
			t.Error(err)
		}
	})
}
