package floor

import (
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/readback"
)

// form is what a value of a transaction is.
type form int

const (
	formCoin form = iota
	formBalance
	formObject // that the account can keep
	formHot    // that must end in a call
	formNumber // nothing has to become of it
	formNone   // an Option without a value
	formWhole  // a vector of whole coins
)

// value is a result of a command that nothing has used up yet.
type value struct {
	form  form
	typ   sui.TypeTag // of a coin: of what it is a coin
	typed bool        // typ is known
	arg   sui.Argument
	place Place // of what a call returned; Step is -1 otherwise

	own   *Leaving // the account's money that it is of; nil for none
	funds readback.Funding
	rest  bool   // parts of it were split off
	zero  bool   // it holds nothing
	by    *Place // the result that says how much was split off for it

	command int // that resulted in it
	least   sui.Raw
	split   int // the command of its floor; -1
}

// linear reports whether the transaction fails if nothing takes the value.
func (v *value) linear() bool { return v.form != formNumber && v.form != formNone }

// returned reports whether a call of the protocol returned it.
func (v *value) returned() bool { return v.place.Step >= 0 }

// key names a result in one way: commands with one result may name it in two.
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

// get returns a value that is not used up.
func (e *engine) get(a sui.Argument) (*value, bool) {
	v, ok := e.live[key(a)]
	return v, ok
}

func (e *engine) use(v *value) { delete(e.live, key(v.arg)) }

// left returns what something has to become of, in the order in which it was made.
func (e *engine) left() (list []*value) {
	for _, k := range e.order {
		if v, ok := e.live[k]; ok && v.linear() {
			list = append(list, v)
		}
	}
	return list
}

// leave notes that money of the account goes into a call as a coin of a type.
func (e *engine) leave(v *value, coin sui.TypeTag) error {
	if v.zero {
		return nil
	}
	of := sui.CoinType(coin.String())
	if !v.funds.Pays(of) {
		return refuse(OtherTypes, "An amount is split from a coin of another kind than %s, which the call takes.", of)
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
