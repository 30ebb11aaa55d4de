package readback

import (
	"slices"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// Framework is the package of Sui's coins and balances.
var Framework = sui.MustAddress("0x2")

// Framework modules with functions that make a coin or a balance from a withdrawal.
const (
	RedeemModule   = "coin"
	BalanceModule  = "balance"
	RedeemFunction = "redeem_funds"
)

// Withdrawal is an amount taken from the sender's address balance.
type Withdrawal struct {
	Coin   sui.CoinType
	Amount sui.Raw
	result sui.Argument // the coin made from it
}

// IsRedeem reports whether a command makes a coin from a withdrawal.
func IsRedeem(c sui.Command) bool { return redeems(c, RedeemModule) }

// IsRedeemBalance reports whether a command makes a balance from a withdrawal.
func IsRedeemBalance(c sui.Command) bool { return redeems(c, BalanceModule) }

func redeems(c sui.Command, module string) bool {
	call, ok := c.(sui.MoveCall)
	return ok && call.Package == Framework && call.Module == module && call.Function == RedeemFunction
}

// Result returns the coin or balance made from the withdrawal.
func (w Withdrawal) Result() sui.Argument { return w.result }

// Balance takes the call that makes a balance from a withdrawal, if it is next. Otherwise the amount is
// zero.
func (r *Reader) Balance() (Withdrawal, error) { return r.redeemed(BalanceModule) }

// redeemed takes the call that makes a coin or balance from a withdrawal, if it is next.
func (r *Reader) redeemed(module string) (Withdrawal, error) {
	if !redeems(r.Peek(), module) {
		return Withdrawal{}, nil
	}
	at := r.at
	call, _ := r.Next().(sui.MoveCall)
	if len(call.Arguments) != 1 || len(call.TypeArgs) != 1 {
		return Withdrawal{}, Unlike("It makes a coin from something other than one withdrawal.")
	}
	in, err := r.Input(call.Arguments[0])
	if err != nil {
		return Withdrawal{}, err
	}
	w, ok := in.(sui.WithdrawalInput)
	//mutant:never ./internal/sui/readback TestWithdrawals
	if !ok || w.From != sui.WithdrawSender || w.MaxAmount == 0 || w.Coin.String() != call.TypeArgs[0].String() {
		return Withdrawal{}, Unlike("It withdraws from something other than the sender's own address balance.")
	}
	return Withdrawal{sui.CoinType(w.Coin.String()), w.MaxAmount, sui.ResultArg(at)}, nil
}

// remainder takes the unsplit remainder of a coin that came only from a withdrawal. The next call uses
// it.
func (r *Reader) remainder(withdrawn Withdrawal) (Funding, bool) {
	for i, w := range r.rest {
		if withdrawn.Amount > 0 && withdrawn.result != w.result || !r.named(w.result) {
			continue
		}
		r.rest = append(r.rest[:i:i], r.rest[i+1:]...)
		return Funding{Withdrawn: withdrawn, Source: w.result, Amount: w.Amount, Result: w.result, coin: w.Coin,
			coinless: r.coinless()}, true
	}
	return Funding{}, false
}

// named reports whether one of the next calls uses a value.
func (r *Reader) named(value sui.Argument) bool {
	for _, c := range r.Ahead(callsAhead) {
		if call, ok := c.(sui.MoveCall); ok && slices.Contains(call.Arguments, value) {
			return true
		}
	}
	return false
}

// splits records that an amount is split off a coin made only from a withdrawal. Something must
// remain, because the last amount is not split.
func (r *Reader) splits(source sui.Argument, amount sui.Raw) error {
	for i, w := range r.rest {
		if w.result != source {
			continue
		}
		if amount >= w.Amount {
			return Unlike("It splits more off a withdrawal than remains.")
		}
		r.rest[i].Amount -= amount
	}
	return nil
}
