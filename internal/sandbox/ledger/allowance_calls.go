package ledger

import (
	"math/big"
	"slices"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"

	"github.com/sayurintent/sayurintent/internal/sandbox/allowances"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// libraryID is Move's standard library.
var libraryID = sui.MustAddress("0x1")

// optionFunctions returns the functions that create the rate option of allowance::new, which cannot
// be a pure input.
func optionFunctions() []Function {
	option := []Param{library + "option::Option<$0>"}
	return []Function{
		NewFunction("option", "none", 1, nil, option, func(k *call) *Failure { return k.option(nil) }),
		NewFunction("option", "some", 1, []Param{"$0"}, option, func(k *call) *Failure {
			if k.values[0].rate == nil {
				return badArgument(0, pb.CommandArgumentError_TYPE_MISMATCH)
			}
			return k.option(k.values[0].rate)
		}),
	}
}

// option adds an option to the results: a rate, or empty if r is nil.
func (k *call) option(r *allowances.Rate) *Failure {
	if string(k.types[0]) != rateType {
		k.GivePure(Param("0x1::option::Option<$0>").In(k.types), []byte{0})
		return nil
	}
	k.out = append(k.out, &slot{typ: rateOptionType, rate: r})
	return nil
}

// Types of allowances.
const (
	rateType       = framework + "allowance::RateLimit"
	rateOptionType = library + "option::Option<" + rateType + ">"

	allowanceValue Param = framework + "allowance::Allowance<$0>"
	allowanceOf    Param = framework + "allowance::Allowance<" + balanceValue + ">"
	allowanceCap   Param = framework + "allowance::AllowanceCap<$0>"
	allowanceRight Param = framework + "allowance::AllowanceWithdrawal<" + balanceValue + ">"
)

// allowanceFunctions returns the functions of module allowance for users and spenders.
func allowanceFunctions() []Function {
	const optionU64 = library + "option::Option<u64>"
	limit := func(name string, params []Param, rate func(*call) allowances.Rate) Function {
		return NewFunction("allowance", name, 0, append(params, "u256"), []Param{rateType}, func(k *call) *Failure {
			return k.limit(rate(k))
		})
	}
	months := func(name string, count uint8) Function {
		return limit(name, nil, func(*call) allowances.Rate { return allowances.Rate{Months: count} })
	}
	return []Function{
		NewFunction("allowance", "new", 1, []Param{library + "string::String", "address", library + "option::Option<u256>",
			optionU64, optionU64, rateOptionType}, nil, issueAllowance),
		limit("periodic_rate_limit", []Param{"u64"}, func(k *call) allowances.Rate {
			return allowances.Rate{Period: k.U64(0)}
		}),
		limit("calendar_rate_limit", []Param{"u8"}, func(k *call) allowances.Rate {
			return allowances.Rate{Months: k.U8(0)}
		}),
		months("monthly_rate_limit", 1), months("quarterly_rate_limit", 3), months("yearly_rate_limit", 12),
		NewFunction("allowance", "revoke", 1, []Param{allowanceCap, allowanceValue}, nil, revoke),
		NewFunction("allowance", "balance_spend", 1, []Param{"&mut " + allowanceOf, allowanceRight, clockRef},
			[]Param{balanceValue}, spend),
	}
}

// clever returns the abort code on the wire for a named framework error. It contains the error's
// own code.
func clever(code uint64) uint64 { return 1<<63 | code<<48 }

func allowanceAbort(k *call, code uint64) *Failure {
	return MoveAbort(k.pkg, "allowance", k.function.Name, clever(code))
}

// limit adds a rate to the results. The last argument is its limit.
func (k *call) limit(r allowances.Rate) *Failure {
	r.Limit, r.Spent = k.Wide(len(k.values)-1), new(big.Int)
	//mutant:never ./internal/sandbox TestGrantsRefused
	if r.Limit.Sign() == 0 || r.Period == 0 && r.Months == 0 {
		return allowanceAbort(k, allowances.BadRate)
	}
	k.out = append(k.out, &slot{typ: rateType, rate: &r})
	return nil
}

// issueAllowance shares a new allowance of the sender, who receives its cap.
func issueAllowance(k *call) *Failure {
	coin := coinOfBalance(k.types[0])
	if coin == "" {
		return Fail(pb.ExecutionError_TYPE_ARGUMENT_ERROR, "the sandbox knows allowances of balances only")
	}
	a := &allowances.Allowance{Funder: k.run.tx.Sender, Spender: k.Address(1), Coin: coin,
		Name: string(afterLength(k.Pure(0))), Start: optionalU64(k.Pure(3)), End: optionalU64(k.Pure(4)), Taken: new(big.Int)}
	if b := k.Pure(2); b[0] == 1 {
		a.Cap = wide(b[1:])
	}
	if r := k.values[5].rate; r != nil {
		rate := *r
		a.Rate = &rate
	}
	if code, wrong := a.Flaw(); wrong {
		return allowanceAbort(k, code)
	}
	id := k.run.newID()
	k.run.granted = append(k.run.granted, grantedAllowance{id, a})
	held := k.run.newThing(allowanceType("AllowanceCap", coin), id[:], false)
	held.sent, held.holder = true, k.run.tx.Sender
	return nil
}

// revoke deletes an allowance and its cap.
func revoke(k *call) *Failure {
	held, of := k.values[0].thing, k.values[1].shared
	//mutant:never ./internal/sandbox TestAllowanceRevoked
	if string(held.contents[32:]) != string(of.ID[:]) {
		return allowanceAbort(k, allowances.WrongCap)
	}
	k.run.ended[of.ID] = true
	return nil
}

// spend takes the reserved amount from the funder's address balance.
func spend(k *call) *Failure {
	of, right := k.values[0].shared, k.values[1].fund
	a := k.run.spent[of.ID]
	if a == nil {
		a = of.allowance.Clone()
	}
	switch {
	case a.App != "":
		return allowanceAbort(k, allowances.HasApp)
	case right.allowance != of.ID:
		return allowanceAbort(k, allowances.OtherAllowance)
	case k.run.tx.Sender != a.Spender:
		return allowanceAbort(k, allowances.NotSpender)
	}
	if code, ok := a.Spend(wideOf(right.amount), k.NowMs()); !ok {
		return allowanceAbort(k, code)
	}
	k.run.spent[of.ID] = a
	k.run.move(purse{a.Funder, a.Coin}, right.amount, true)
	return k.fund(k.types[0], right.amount, false)
}

// checkAllowances refuses withdrawals from others' address balances that a validator would refuse.
func checkAllowances(l *Ledger, tx *sui.Transaction) error {
	refuse := func(what string) error { return Refuse("Invalid withdraw reservation: %s", what) }
	for _, in := range tx.Inputs {
		w, ok := in.(sui.WithdrawalInput)
		if !ok || w.From != sui.WithdrawSenderAllowance {
			continue
		}
		named := slices.ContainsFunc(tx.Inputs, func(in sui.Input) bool {
			s, ok := in.(sui.SharedInput)
			return ok &&
				s.ID == w.Allowance
		})
		o := l.objects[w.Allowance]
		switch {
		case o == nil || !named:
			return refuse("the allowance is not an input of the transaction")
		//mutant:never ./internal/sandbox TestAllowanceSpends
		case o.allowance == nil:
			return refuse("the object is not a shared 0x2::allowance::Allowance")
		case o.allowance.Funder != w.Funder:
			return refuse("the funder is not that of the allowance")
		//mutant:never ./internal/sandbox TestAllowanceSpends
		case o.allowance.Spender != tx.Sender:
			return refuse("the sender is not the spender of the allowance")
		case o.allowance.Coin != sui.CoinType(w.Coin.String()):
			return refuse("the funds are of another type than the allowance")
		case l.reserves[w.Funder][o.allowance.Coin] < uint64(w.MaxAmount):
			return refuse("the funder's address balance holds less")
		}
	}
	return nil
}
