package floor

import (
	"math/big"
	"slices"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// Warning is a property of a transaction that the user should consider before signing. Descriptions of
// protocols can neither add nor remove warnings.
type Warning string

// Warnings.
const (
	NoMinimum    Warning = "no_minimum"    // the bytes set no minimum for what is received
	WholeCoins   Warning = "whole_coins"   // the amount is not in the bytes
	UsesObject   Warning = "uses_object"   // a call can do everything that an object of the account allows
	UnreadCode   Warning = "unread_code"   // a call uses an unreviewed package
	NamesAddress Warning = "names_address" // a protocol receives an address that is not the account's
	NewerCode    Warning = "newer_code"    // a call uses a version of the protocol that this program does not know
)

// WarningText returns the text of a warning for users.
func WarningText(w Warning) string {
	return map[Warning]string{
		NoMinimum:    "The transaction sets no minimum for what you receive.",
		WholeCoins:   "It passes whole coins: their amounts are not in the transaction.",
		UsesObject:   "The call can do everything that the object passed to it allows.",
		UnreadCode:   "It calls code that Say Ur Intent does not know.",
		NewerCode:    "It calls a newer version of the protocol, whose code this program does not know.",
		NamesAddress: "It names an address that is not yours; what that address gets is decided by the protocol.",
	}[w]
}

// warn derives the warnings from what was read.
func (e *engine) warn() {
	add := func(w Warning, yes bool) {
		if yes {
			e.out.Warnings = append(e.out.Warnings, w)
		}
	}
	//mutant:never ./internal/protocol/floor TestPlainVectors
	if e.unbounded() {
		add(NoMinimum, true)
	}
	add(WholeCoins, slices.ContainsFunc(e.out.Leaves, func(l Leaving) bool { return len(l.Whole) > 0 }))
	add(UsesObject, slices.ContainsFunc(e.out.Own, func(o OwnUse) bool { return o.Ref }))
	add(UnreadCode, slices.ContainsFunc(e.out.Calls, func(c Call) bool { return c.Unread }))
	add(NewerCode, e.out.Newer != nil)
	add(NamesAddress, slices.ContainsFunc(e.out.Named, func(n Named) bool { return !n.System }))
}

// unbounded reports whether the transaction gives something away without a minimum for the result.
// Every returned coin needs a minimum, unless its type was also paid. The chain's own package is
// exempt if it turns SUI into a stake of the same amount.
func (e *engine) unbounded() bool {
	floored := false
	for _, a := range e.out.Arrives {
		switch {
		case a.Least > 0:
			floored = true
		case !e.pays(a.Coin):
			return true
		}
	}
	staked := len(e.out.Own) == 0 &&
		!slices.ContainsFunc(e.out.Calls, func(c Call) bool { return c.Package != system })
	return !floored && !staked
}

func (e *engine) pays(coin sui.CoinType) bool {
	return slices.ContainsFunc(e.out.Leaves, func(l Leaving) bool {
		return l.Coin == coin && (l.Most > 0 || len(l.Whole) > 0)
	})
}

// million is the unit of rates in parts per million.
const million = 1_000_000

// claim computes the minimum that the protocol's own code enforces.
func (e *engine) claim() error {
	b := e.f.Bound
	if b == nil {
		return nil
	}
	coin, ok := e.types.fill(e.f.bound.tag)
	if !ok {
		return refuse(OtherTypes, "The coin that the protocol promises does not follow from the bytes.")
	}
	c := &Claim{Coin: sui.CoinType(coin.String()), By: b.Arg}
	number := func(name string) *big.Int {
		n, ok := new(big.Int).SetString(e.out.Values[name], 10)
		if !ok {
			return new(big.Int)
		}
		return n
	}
	n := number(b.Arg)
	if b.Of != "" {
		c.By = b.Times
		over := number(b.Over)
		less := new(big.Int).Sub(big.NewInt(million), number(b.LessPPM))
		if over.Sign() == 0 || less.Sign() < 0 {
			return nil
		}
		n = number(b.Of)
		n.Mul(n, number(b.Times)).Quo(n, over).Mul(n, less).Quo(n, big.NewInt(million))
	}
	if n.Sign() <= 0 || !n.IsUint64() {
		return nil // the optional call that sets the minimum is missing
	}
	c.Least = sui.Raw(n.Uint64())
	e.out.Bound = c
	return nil
}
