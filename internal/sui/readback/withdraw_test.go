package readback_test

import (
	"testing"

	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/readback"
)

// TestWithdrawals reads withdrawals from an address balance, and rejects any other form.
func TestWithdrawals(t *testing.T) {
	usdc, other := sui.CoinType(sui.MustTypeTag("0x5::usdc::USDC").String()),
		sui.CoinType(sui.MustTypeTag("0x6::gem::GEM").String())
	redeem := func(input int, of sui.CoinType) sui.Command {
		return sui.MoveCall{Package: sui.MustAddress("0x2"), Module: "coin", Function: "redeem_funds",
			TypeArgs: []sui.TypeTag{of.Tag()}, Arguments: []sui.Argument{sui.InputArg(input)}}
	}
	use := func(value sui.Argument) sui.Command {
		return sui.MoveCall{Package: sui.MustAddress("0x9"), Module: "m", Function: "f", Arguments: []sui.Argument{value}}
	}
	split := func(from sui.Argument, input int) sui.Command {
		return sui.SplitCoins{Coin: from, Amounts: []sui.Argument{sui.InputArg(input)}}
	}
	merge := func(into sui.Argument, sources ...sui.Argument) sui.Command {
		return sui.MergeCoins{Into: into, Sources: sources}
	}
	coin := sui.OwnedInput{Ref: sui.ObjectRef{ID: sui.ObjectID{7}, Version: 1}}
	w := sui.WithdrawalInput{MaxAmount: 100, Coin: usdc.Tag(), From: sui.WithdrawSender}
	changed := func(edit func(*sui.WithdrawalInput)) sui.WithdrawalInput { c := w; edit(&c); return c }
	sixty, hundred := sui.PureU64(60), sui.PureU64(100)
	for name, c := range map[string]struct {
		inputs   []sui.Input
		commands []sui.Command
		amounts  []sui.Raw // one per step; empty if it is rejected
		pays     sui.CoinType
	}{
		"all of it": {[]sui.Input{w}, []sui.Command{redeem(0, usdc), use(sui.ResultArg(0))}, []sui.Raw{100},
			usdc},
		"merged into a coin": {[]sui.Input{w, coin, hundred}, []sui.Command{redeem(0, usdc), merge(sui.InputArg(1),
			sui.ResultArg(0)), split(sui.InputArg(1), 2), use(sui.NestedArg(2, 0))}, []sui.Raw{100}, usdc},
		"in two steps": {[]sui.Input{w, sixty}, []sui.Command{redeem(0, usdc), split(sui.ResultArg(0), 1),
			use(sui.NestedArg(1, 0)), use(sui.ResultArg(0))}, []sui.Raw{60, 40}, usdc},
		"of another coin": {[]sui.Input{changed(func(w *sui.WithdrawalInput) { w.Coin = other.Tag() })},
			[]sui.Command{redeem(0, other), use(sui.ResultArg(0))}, nil, usdc},
		"made into another coin": {[]sui.Input{w}, []sui.Command{redeem(0, other), use(sui.ResultArg(0))}, nil, usdc},
		"of nothing": {[]sui.Input{changed(func(w *sui.WithdrawalInput) { w.MaxAmount = 0 })},
			[]sui.Command{redeem(0, usdc), use(sui.ResultArg(0))}, nil, usdc},
		"of a sponsor": {[]sui.Input{changed(func(w *sui.WithdrawalInput) { w.From = sui.WithdrawSponsor })},
			[]sui.Command{redeem(0, usdc), use(sui.ResultArg(0))}, nil, usdc},
		"of an allowance": {[]sui.Input{changed(func(w *sui.WithdrawalInput) {
			w.From = sui.WithdrawSenderAllowance
		})}, []sui.Command{redeem(0, usdc), use(sui.ResultArg(0))}, nil, usdc},
		"of what is no withdrawal": {[]sui.Input{coin}, []sui.Command{redeem(0, usdc), use(sui.ResultArg(0))}, nil, usdc},
		"and not used": {[]sui.Input{w, coin, hundred}, []sui.Command{redeem(0, usdc), split(sui.InputArg(1), 2),
			use(sui.NestedArg(1, 0))}, nil, usdc},
		"and merged elsewhere": {[]sui.Input{w, coin, hundred}, []sui.Command{redeem(0, usdc), merge(sui.GasCoin,
			sui.ResultArg(0)), split(sui.InputArg(1), 2), use(sui.NestedArg(2, 0))}, nil, usdc},
		"split wholly": {[]sui.Input{w, hundred}, []sui.Command{redeem(0, usdc), split(sui.ResultArg(0), 1),
			use(sui.NestedArg(1, 0))}, nil, usdc},
		"and a part is left": {[]sui.Input{w, sixty}, []sui.Command{redeem(0, usdc), split(sui.ResultArg(0), 1),
			use(sui.NestedArg(1, 0))}, nil, usdc},
		"merged into gas, not SUI": {[]sui.Input{w, hundred}, []sui.Command{redeem(0, usdc), merge(sui.GasCoin,
			sui.ResultArg(0)), split(sui.GasCoin, 1), use(sui.NestedArg(2, 0))}, nil, sui.SUI},
	} {
		t.Run(name, func(t *testing.T) {
			r := readback.New(&sui.Transaction{Inputs: c.inputs, Commands: c.commands})
			var got []sui.Raw
			err := error(nil)
			for r.Left() > 0 && err == nil {
				var f readback.Funding
				if f, err = r.Funded(); err != nil {
					break
				}
				call, ok := r.Next().(sui.MoveCall)
				if !ok || len(call.Arguments) != 1 || call.Arguments[0] != f.Result || !f.Pays(c.pays) {
					err = readback.Unlike("The call takes something else.")
					break
				}
				got = append(got, f.Amount)
				r.NextStep()
			}
			if err == nil {
				err = r.End()
			}
			if (err == nil) != (c.amounts != nil) {
				t.Fatalf("%v %v", got, err)
			}
			for i := range c.amounts {
				if len(got) != len(c.amounts) || got[i] != c.amounts[i] {
					t.Errorf("%v", got)
				}
			}
		})
	}
}
