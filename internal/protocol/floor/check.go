package floor

import (
	"maps"
	"slices"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// Reasons why a transaction does not keep a promise.
const (
	FloorMissing  Reason = "floor_missing"
	FloorLower    Reason = "floor_lower"
	MoreLeaves    Reason = "more_leaves"
	OtherFunction Reason = "other_function"
	OtherAddress  Reason = "other_address"
	OtherObject   Reason = "other_object"
)

// Keeps compares a transaction with what the user accepted. Less may leave and more may arrive, but
// everything else must be the same. It returns the first difference as a Refused.
func (r *Reading) Keeps(told *Reading) error {
	if r.Function.ID != told.Function.ID || r.Account != told.Account || !sameCalls(r.Calls, told.Calls) {
		return refuse(OtherFunction, "It calls %s, not %s as stated.", r.Function.ID, told.Function.ID)
	}
	for name, tag := range told.Types {
		if r.Types[name].String() != tag.String() {
			return refuse(OtherTypes, "It is about %s, not %s as stated.", r.Types[name], tag)
		}
	}
	//mutant:never ./internal/protocol/floor TestHostileVectors
	if !maps.Equal(r.Shared, told.Shared) {
		return refuse(OtherObject, "It uses a different object of the protocol than stated.")
	}
	if err := r.keepsFloors(told); err != nil {
		return err
	}
	//mutant:never ./internal/protocol/floor TestHostileVectors
	if !slices.Equal(r.Named, told.Named) {
		return refuse(OtherAddress, "It names a different address than stated.")
	}
	if name, ok := differs(r.Values, told.Values); !ok {
		return refuse(OtherValue, "Its value %q is %s, not %s as stated.", name, r.Values[name], told.Values[name])
	}
	if !slices.Equal(r.Own, told.Own) || !slices.Equal(r.Gives, told.Gives) {
		return refuse(OtherObject, "It uses different objects of the account than stated.")
	}
	return r.keepsLeaves(told)
}

func sameCalls(a, b []Call) bool {
	return slices.EqualFunc(a, b, func(x, y Call) bool { return x.Package == y.Package && x.Fn == y.Fn })
}

// differs returns the first value that differs.
func differs(a, b map[string]string) (string, bool) {
	for _, name := range slices.Sorted(maps.Keys(b)) {
		if a[name] != b[name] {
			return name, false
		}
	}
	return "", len(a) == len(b)
}

func (r *Reading) keepsFloors(told *Reading) error {
	for _, want := range told.Floors() {
		i := slices.IndexFunc(r.Arrives, func(a Arrival) bool { return a.Place == want.Place })
		//mutant:never ./internal/protocol/floor TestHostileVectors
		if i < 0 || r.Arrives[i].Least == 0 {
			return refuse(FloorMissing, "It sets no minimum for the %s that comes out.", want.Coin)
		}
		//mutant:never ./internal/protocol/floor TestHostileVectors
		if r.Arrives[i].Least < want.Least {
			return refuse(FloorLower, "Its minimum is %s units, lower than the stated %s.", r.Arrives[i].Least,
				want.Least)
		}
	}
	return nil
}

func (r *Reading) keepsLeaves(told *Reading) error {
	sum := func(list []Leaving) map[sui.CoinType]sui.Raw {
		out := map[sui.CoinType]sui.Raw{}
		for _, l := range list {
			out[l.Coin] += l.Most
		}
		return out
	}
	most := sum(told.Leaves)
	for coin, n := range sum(r.Leaves) {
		//mutant:never ./internal/protocol/floor TestHostileVectors
		if n > most[coin] {
			return refuse(MoreLeaves, "%s units of %s can leave, more than the stated %s.", n, coin, most[coin])
		}
	}
	same := func(a, b Leaving) bool { return slices.Equal(a.Whole, b.Whole) }
	if !slices.EqualFunc(r.Leaves, told.Leaves, same) {
		return refuse(WholeCoin, "It passes different whole coins than stated.")
	}
	return nil
}
