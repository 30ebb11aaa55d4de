package floor

import (
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/readback"
)

// form is the kind of a value in a transaction.
type form int

const (
	formCoin form = iota
	formBalance
	formObject // the account can keep it
	formHot    // a call must consume it
	formNumber // may remain unused
	formNone   // an Option without a value
	formWhole  // a vector of whole coins
)

// value is a result of a command that no later command has used yet.
type value struct {
	form  form
	typ   sui.TypeTag // type; for a coin, its coin type
	typed bool        // typ is known
	arg   sui.Argument
	place Place // step and index of a call's result; otherwise Step is -1

	own   *Leaving // money of the account in this value; nil for none
	funds readback.Funding
	rest  bool   // parts were split off
	zero  bool   // an empty coin
	by    *Place // the result that determined the amount that was split off

	command int // index of the command that returned it
	least   sui.Raw
	split   int // command of its floor's split, or -1
}

// linear reports whether the transaction fails if the value remains unused.
func (v *value) linear() bool { return v.form != formNumber && v.form != formNone }

// returned reports whether a call of the protocol returned it.
func (v *value) returned() bool { return v.place.Step >= 0 }

// key returns a canonical form of a result. A command's only result can be written in two ways.
func key(a sui.Argument) sui.Argument {
	if a.Kind == sui.ArgResult {
		return sui.NestedArg(int(a.Index), 0)
	}
	return a
}

func (e *engine) put(v *value) {
	e.order = append(e.order, key(v.arg))
	e.live[key(v.arg)] = v
}

// get returns an unused value. It returns false if there is none.
func (e *engine) get(a sui.Argument) (*value, bool) {
	v, ok := e.live[key(a)]
	return v, ok
}

func (e *engine) use(v *value) { delete(e.live, key(v.arg)) }

// left returns the values that must still be used, in the order of their creation.
func (e *engine) left() (list []*value) {
	for _, k := range e.order {
		if v, ok := e.live[k]; ok && v.linear() {
			list = append(list, v)
		}
	}
	return list
}

// leave records that money of the account goes into a call as a coin of type coin.
func (e *engine) leave(v *value, coin sui.TypeTag) error {
	if v.zero {
		return nil
	}
	of := sui.CoinType(coin.String())
	if !v.funds.Pays(of) {
		return refuse(OtherTypes, "An amount is split off a different coin than %s, which the call takes.", of)
	}
	for i := range e.out.Leaves {
		if e.marks[i] == v.own {
			return nil
		}
	}
	v.own.Coin = of
	e.out.Leaves, e.marks = append(e.out.Leaves, *v.own), append(e.marks, v.own)
	return nil
}
