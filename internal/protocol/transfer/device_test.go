package transfer_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/protocol/transfer"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/readback"
	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/internal/testkit/device"
	"github.com/sayurintent/sayurintent/review"
)

// A payment of SUI from an account on a hardware wallet is built so that the device shows the same as
// the page.
func TestOnDevice(t *testing.T) {
	marked := true
	h := testkit.Start(t, time.Now, func(c *review.Config) {
		c.Device = func(context.Context, sui.Address) (bool, error) { return marked, nil }
	})
	h.Use(transfer.New(registry.NoWallet, nil))
	for name, c := range map[string]struct {
		in     plan.Intent
		marked bool
		raw    uint64 // what the device shows; 0 means only a hash
	}{
		"SUI":                       {send("10", "SUI", somebody), true, 10_000_000_000},
		"SUI of merged coins":       {send("700", "SUI", somebody), true, 700_000_000_000},
		"SUI of an account besides": {send("10", "SUI", somebody), false, 0},
		"another coin":              {send("3", "USDC", somebody), true, 0},
	} {
		t.Run(name, func(t *testing.T) {
			marked = c.marked
			s := h.Ready(c.in)
			tx := h.Transaction(s)
			b, err := tx.Encode()
			if err != nil {
				t.Fatal(err)
			}
			shown, ok := device.Read(b, func([32]byte) (device.Coin, bool) {
				return device.Coin{Type: device.SUI, Amount: 1},
					true
			})
			if ok != (c.raw > 0) || (tx.OnDevice() == sui.DeviceShowsAmounts) != ok {
				t.Fatalf("it shows %+v, %v; OnDevice is %s", shown, ok, tx.OnDevice())
			}
			want := device.Shown{What: "transfer", To: sui.MustAddress(somebody), Coin: device.SUI, Amount: c.raw,
				Gas: tx.Gas.Budget}
			if ok && shown != want {
				t.Errorf("it shows %+v, want %+v", shown, want)
			}
			if f := s.Facts.Steps[0]; ok && (f.Function != "TransferObjects" || f.Promise.Payee() != sui.MustAddress(somebody)) {
				t.Errorf("the page shows %+v", f)
			}
			if done := h.Settle(s); done.Status != record.Success {
				t.Errorf("%s: %+v", done.Status, done.Execution)
			}
		})
	}
}

// The plain command states no type, so it is read only for a part of the gas coin.
func TestPlain(t *testing.T) {
	account, friend := sui.MustAddress("0xace"), sui.MustAddress(somebody)
	ref := func(n byte) sui.ObjectRef { return sui.ObjectRef{ID: sui.ObjectID{31: n}, Version: 1} }
	read := func(edit func(*sui.Transaction)) (plan.StepFacts, error) {
		b := plan.NewBuilder(account, plan.Selection{Coin: sui.SUI, Gas: true, Coins: []sui.ObjectRef{ref(1)}})
		b.Plain = true
		if err := transfer.Append(b, plan.SUI.Of(5), friend); err != nil {
			t.Fatal(err)
		}
		k := b.Kind()
		tx := &sui.Transaction{Inputs: k.Inputs, Commands: k.Commands, Sender: account,
			Gas: sui.Gas{Payment: []sui.ObjectRef{ref(9)}}}
		edit(tx)
		r := readback.New(tx)
		f, err := transfer.New(nil, nil).Read(r)
		if err == nil {
			err = r.End()
		}
		return f, err
	}
	f, err := read(func(*sui.Transaction) {})
	if err != nil || f.Sends != friend || f.Promise.Amount(plan.RoleInput) != plan.SUI.Of(5) || len(f.Commands) != 3 ||
		!strings.Contains(f.Commands[2], "Send it to "+somebody) {
		t.Fatalf("%+v %v", f, err)
	}
	for name, edit := range map[string]func(*sui.Transaction){
		"out of a coin of an unsaid type": func(tx *sui.Transaction) {
			tx.Commands = tx.Commands[1:]
			tx.Commands[0] = sui.SplitCoins{Coin: sui.InputArg(1), Amounts: tx.Commands[0].(sui.SplitCoins).Amounts}
			tx.Commands[1] = sui.TransferObjects{Objects: []sui.Argument{sui.NestedArg(0, 0)}, Recipient: sui.InputArg(0)}
		},
		"the gas coin too": func(tx *sui.Transaction) {
			c := tx.Commands[2].(sui.TransferObjects)
			c.Objects = append(c.Objects, sui.GasCoin)
			tx.Commands[2] = c
		},
		"the gas coin instead": func(tx *sui.Transaction) {
			tx.Commands[2] = sui.TransferObjects{Objects: []sui.Argument{sui.GasCoin}, Recipient: sui.InputArg(0)}
		},
		"gas of the address balance": func(tx *sui.Transaction) {
			tx.Gas.Payment, tx.Expiration = nil, sui.ValidDuring{}
		},
		"another command behind it": func(tx *sui.Transaction) { tx.Commands = append(tx.Commands, tx.Commands[2]) },
	} {
		if f, err := read(edit); err == nil {
			t.Errorf("%s: read as %v", name, f.Commands)
		}
	}
}
