package ledger

import (
	"encoding/binary"
	"math/big"
	"slices"
	"strings"
	"unicode/utf8"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"

	"github.com/sayurintent/sayurintent/internal/sandbox/allowances"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// libraryID is Move's standard library.
var libraryID = sui.MustAddress("0x1")

// granting has the arguments of the functions about allowances.
type granting struct {
	text      string
	wide      *big.Int  // optional number
	times     []*uint64 // optional times, in order
	rate      *allowances.Rate
	cap       *thing
	allowance *Object
	right     *fund
}

// optionFunctions create the option that new takes, which no wallet can encode as bytes.
func optionFunctions() []Function {
	return []Function{
		{module: "option", Name: "none", TypeParams: 1, Returns: []Parameter{optionOf},
			run: func(k *call) *Failure { return k.option(nil) }},
		{module: "option", Name: "some", TypeParams: 1, Params: []Parameter{rateOf}, Returns: []Parameter{optionOf},
			run: func(k *call) *Failure { return k.option(k.granting.rate) }},
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

// allowanceFunctions returns the functions of module allowance for users and spenders.
func allowanceFunctions() []Function {
	f := func(name string, types int, params, returns []Parameter, run func(*call) *Failure) Function {
		return Function{module: "allowance", Name: name, TypeParams: types, Params: params, Returns: returns, run: run}
	}
	rate := []Parameter{rateValue}
	return []Function{
		f("new", 1, []Parameter{textValue, addressValue, optionU256, optionU64, optionU64, rateOption}, nil, issueAllowance),
		f("periodic_rate_limit", 0, []Parameter{u64Value, u256Value}, rate, func(k *call) *Failure {
			return k.limit(&allowances.Rate{Period: k.numbers[0]})
		}),
		f("calendar_rate_limit", 0, []Parameter{u8Value, u256Value}, rate, func(k *call) *Failure {
			return k.limit(&allowances.Rate{Months: uint8(k.numbers[0])})
		}),
		f("monthly_rate_limit", 0, []Parameter{u256Value}, rate,
			func(k *call) *Failure { return k.limit(&allowances.Rate{Months: 1}) }),
		f("quarterly_rate_limit", 0, []Parameter{u256Value}, rate,
			func(k *call) *Failure { return k.limit(&allowances.Rate{Months: 3}) }),
		f("yearly_rate_limit", 0, []Parameter{u256Value}, rate,
			func(k *call) *Failure { return k.limit(&allowances.Rate{Months: 12}) }),
		f("revoke", 1, []Parameter{allowanceCapValue, allowanceValue}, nil, revoke),
		f("balance_spend", 1, []Parameter{allowanceMut, allowanceRight, clockRef}, []Parameter{balanceValue}, spend),
	}
}

const (
	rateType       = "0x0000000000000000000000000000000000000000000000000000000000000002::allowance::RateLimit"
	rateOptionType = "0x0000000000000000000000000000000000000000000000000000000000000001::option::Option<" + rateType + ">"
)

// clever returns a named framework error as it appears on the wire, with the code inside a larger
// number.
func clever(code uint64) uint64 { return 1<<63 | code<<48 }

func allowanceAbort(k *call, code uint64) *Failure {
	return MoveAbort(k.pkg, "allowance", k.function.Name, clever(code))
}

// limit adds a rate to the results.
func (k *call) limit(r *allowances.Rate) *Failure {
	r.Limit, r.Spent = k.wide[0], new(big.Int)
	//mutant:never ./internal/sandbox TestGrantsRefused
	if r.Limit.Sign() == 0 || r.Period == 0 && r.Months == 0 {
		return allowanceAbort(k, allowances.BadRate)
	}
	k.out = append(k.out, &slot{typ: rateType, rate: r})
	return nil
}

// issueAllowance shares a new allowance of the sender, who receives its cap.
func issueAllowance(k *call) *Failure {
	g, coin := k.granting, coinOfBalance(k.types[0])
	if coin == "" {
		return Fail(pb.ExecutionError_TYPE_ARGUMENT_ERROR, "the sandbox knows allowances of balances only")
	}
	a := &allowances.Allowance{Funder: k.run.tx.Sender, Spender: k.addresses[0], Coin: coin, Cap: g.wide,
		Start: g.times[0], End: g.times[1],
		Name: g.text, Taken: new(big.Int)}
	if g.rate != nil {
		rate := *g.rate
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
	held, of := k.granting.cap, k.granting.allowance
	//mutant:never ./internal/sandbox TestAllowanceRevoked
	if string(held.contents[32:]) != string(of.ID[:]) {
		return allowanceAbort(k, allowances.WrongCap)
	}
	held.gone = true
	k.run.ended[of.ID] = true
	return nil
}

// spend takes the reserved amount from the funder's address balance.
func spend(k *call) *Failure {
	g := k.granting
	a := k.run.spent[g.allowance.ID]
	if a == nil {
		a = g.allowance.allowance.Clone()
	}
	switch {
	case a.App != "":
		return allowanceAbort(k, allowances.HasApp)
	case g.right.allowance != g.allowance.ID:
		return allowanceAbort(k, allowances.OtherAllowance)
	case k.run.tx.Sender != a.Spender:
		return allowanceAbort(k, allowances.NotSpender)
	}
	if code, ok := a.Spend(wideOf(g.right.amount), k.nowMs()); !ok {
		return allowanceAbort(k, code)
	}
	g.right.gone = true
	k.run.spent[g.allowance.ID] = a
	k.run.move(purse{a.Funder, a.Coin}, g.right.amount, true)
	return k.fund(k.types[0], g.right.amount, false)
}

// grantArgument reads argument types that only these functions have.
func grantArgument(k *call, p Parameter, a sui.Argument, i int) (f *Failure) {
	g := &k.granting
	switch p {
	case textValue:
		g.text, f = textArg(k, a, i)
	case optionU256:
		b, set, f := optionArg(k, a, i, 32)
		if set {
			b = slices.Clone(b)
			slices.Reverse(b)
			g.wide = new(big.Int).SetBytes(b)
		}
		return f
	case optionU64:
		b, set, f := optionArg(k, a, i, 8)
		var n *uint64
		if set {
			n = new(binary.LittleEndian.Uint64(b))
		}
		g.times = append(g.times, n)
		return f
	case rateOf, rateOption:
		return rateArg(k, p, a, i)
	case allowanceCapValue:
		if g.cap, f = k.run.thingArg(a, i); f == nil && g.cap.typ.String() != allowanceType("AllowanceCap",
			coinOfBalance(k.types[0])).String() {
			f = badArgument(i, pb.CommandArgumentError_TYPE_MISMATCH)
		}
	case allowanceValue, allowanceMut:
		return allowanceArg(k, p, a, i)
	case allowanceRight:
		s, f := k.run.find(a, i)
		if f == nil && (s.fund == nil || s.fund.allowance.IsZero() || s.fund.typ != k.types[0]) {
			f = badArgument(i, pb.CommandArgumentError_TYPE_MISMATCH)
		}
		if f == nil && s.fund.gone {
			f = badArgument(i, pb.CommandArgumentError_INVALID_VALUE_USAGE)
		}
		if f == nil {
			g.right = s.fund
		}
		return f
	}
	return f
}

// textArg reads a String: UTF-8 bytes with a length prefix.
func textArg(k *call, a sui.Argument, i int) (string, *Failure) {
	s, f := k.run.find(a, i)
	if f != nil {
		return "", f
	}
	n, used := binary.Uvarint(s.pure)
	if used <= 0 || n != uint64(len(s.pure)-used) || !utf8.Valid(s.pure[used:]) {
		return "", badArgument(i, pb.CommandArgumentError_INVALID_BCS_BYTES)
	}
	return string(s.pure[used:]), nil
}

// optionArg reads an option of a number with size bytes.
func optionArg(k *call, a sui.Argument, i, size int) (value []byte, set bool, f *Failure) {
	s, f := k.run.find(a, i)
	switch {
	case f != nil:
		return nil, false, f
	case len(s.pure) == 1 && s.pure[0] == 0:
		return nil, false, nil
	case len(s.pure) != 1+size || s.pure[0] != 1:
		return nil, false, badArgument(i, pb.CommandArgumentError_INVALID_BCS_BYTES)
	}
	return s.pure[1:], true, nil
}

// rateArg reads a rate, or an option of a rate.
func rateArg(k *call, p Parameter, a sui.Argument, i int) *Failure {
	s, f := k.run.find(a, i)
	if f != nil {
		return f
	}
	want := rateOptionType
	if p == rateOf {
		want = strings.TrimPrefix(string(k.types[0]), "&")
	}
	if s.typ != want {
		return badArgument(i, pb.CommandArgumentError_TYPE_MISMATCH)
	}
	k.granting.rate = s.rate
	return nil
}

// allowanceArg takes a shared allowance of the call's type, by value or mutably. Both need mutable
// access.
func allowanceArg(k *call, p Parameter, a sui.Argument, i int) *Failure {
	s, f := k.run.find(a, i)
	if f != nil {
		return f
	}
	coin := k.types[0]
	if p == allowanceValue {
		coin = coinOfBalance(coin)
	}
	switch {
	case s.shared == nil || s.shared.allowance == nil || s.shared.allowance.Coin != coin:
		return badArgument(i, pb.CommandArgumentError_TYPE_MISMATCH)
	case k.run.ended[s.shared.ID]:
		return badArgument(i, pb.CommandArgumentError_INVALID_VALUE_USAGE)
	case !s.write && p == allowanceValue:
		return badArgument(i, pb.CommandArgumentError_INVALID_OBJECT_BY_VALUE)
	case !s.write:
		return badArgument(i, pb.CommandArgumentError_INVALID_OBJECT_BY_MUT_REF)
	}
	k.granting.allowance = s.shared
	return nil
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
