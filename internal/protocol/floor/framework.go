package floor

import (
	"github.com/sayurintent/sayurintent/internal/sui"
)

var (
	moveStdlib   = sui.MustAddress("0x1")
	suiFramework = sui.MustAddress("0x2")
)

// framework reports whether a call is to the chain's own libraries.
func framework(c sui.MoveCall) bool { return c.Package == suiFramework || c.Package == moveStdlib }

// frameworkCall reads a call of the framework, whose meaning is known. The call must not change a coin
// that another call returned.
func (e *engine) frameworkCall(c sui.MoveCall) error {
	at := e.r.At()
	e.r.Next()
	fn := c.Module + "::" + c.Function
	if len(c.TypeArgs) != 1 {
		return refuse(ExtraCall, "It calls %s, which is one call too many.", fn)
	}
	kind, known := map[string]NoteKind{"coin::zero": NoteEmpty, "coin::from_balance": NoteCoin}[fn]
	if !known {
		kind = NoteOther
	}
	e.note(kind, sui.CoinType(c.TypeArgs[0].String()), at)
	made := &value{form: formCoin, typ: c.TypeArgs[0], typed: true, arg: sui.ResultArg(at), place: Place{Step: -1},
		command: at, split: -1}
	switch {
	case c.Package == moveStdlib && fn == "option::none" && len(c.Arguments) == 0:
		made.form = formNone
	case c.Package != suiFramework:
		return refuse(ExtraCall, "It calls %s, which is one call too many.", fn)
	case fn == "coin::zero" && len(c.Arguments) == 0:
		made.zero = true
	case fn == "coin::split" && len(c.Arguments) == 2:
		return e.splitOwn(c, made)
	case len(c.Arguments) == 1:
		return e.convert(fn, c, made)
	default:
		return refuse(ExtraCall, "It calls %s, which is one call too many.", fn)
	}
	e.put(made)
	return nil
}

// convert reads a call that converts between a balance and a coin, or destroys an empty balance.
func (e *engine) convert(fn string, c sui.MoveCall, made *value) error {
	v, ok := e.get(c.Arguments[0])
	want := map[string]form{"coin::from_balance": formBalance, "coin::into_balance": formCoin,
		"balance::destroy_zero": formBalance}
	form, known := want[fn]
	if !known {
		return refuse(ExtraCall, "It calls %s, which is one call too many.", fn)
	}
	if !ok || v.form != form || v.typed && v.typ.String() != c.TypeArgs[0].String() {
		return refuse(Shape, "It calls %s with something other than it takes.", fn)
	}
	e.use(v)
	if fn == "balance::destroy_zero" {
		return nil
	}
	if fn == "coin::into_balance" {
		//mutant:never ./internal/protocol/floor TestResultsStayCoins
		if v.returned() {
			return refuse(MergedAway, "It turns the resulting coin into a balance.")
		}
		made.form = formBalance
	}
	made.own, made.funds, made.zero, made.place, made.by = v.own, v.funds, v.zero, v.place, v.by
	e.put(made)
	return nil
}

// splitOwn reads a call that splits money which was previously split off for the protocol. The amount
// may be a result, such as a debt, because the whole limits it.
func (e *engine) splitOwn(c sui.MoveCall, made *value) error {
	v, ok := e.get(c.Arguments[0])
	//mutant:never ./internal/protocol/floor TestResultsStayCoins
	if !ok || v.own == nil || v.form != formCoin {
		return refuse(ResultAmount, "It splits an amount off something other than the payment.")
	}
	if c.Arguments[1].Kind == sui.ArgInput {
		if _, err := e.r.U64(c.Arguments[1]); err != nil {
			return err
		}
	} else if n, ok := e.get(c.Arguments[1]); !ok || n.form != formNumber {
		return refuse(ResultAmount, "It splits an amount that is not a number.")
	} else {
		made.by = &n.place
	}
	v.rest = true
	made.own, made.funds = v.own, v.funds
	e.put(made)
	return nil
}
