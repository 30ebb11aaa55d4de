package registry

import (
	"slices"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Published reports whether id is a pinned DeepBook package.
func Published(id sui.ObjectID) bool {
	return slices.ContainsFunc(Packages(), func(p Package) bool { return p.ID == id })
}

// NoWallet reports whether an address is a pinned pool or package, to which nobody has a key, and
// describes it.
func NoWallet(id sui.Address) (what string, is bool) {
	if pool, ok := PoolByID(id); ok {
		return "the DeepBook pool " + pool.Key, true
	}
	return "a contract", Published(id)
}

// Named returns the pinned pool that an input and the type arguments of a call name. If the registry
// knows the version at which the pool was shared, the input must state the same. It returns
// fault.InputInvalid for anything else.
func Named(in sui.SharedInput, types []sui.TypeTag) (Pool, error) {
	pool, ok := PoolByID(in.ID)
	switch {
	case !ok:
		return Pool{}, fault.New(fault.InputInvalid, "It names a pool that is not pinned.")
	case pool.InitialSharedVersion != 0 && pool.InitialSharedVersion != in.InitialVersion:
		return Pool{}, fault.New(fault.InputInvalid,
			"It names the pool %s at another version than the one at which it was shared.", pool.Key)
	case len(types) != 2 || types[0].String() != string(pool.Base.Type) || types[1].String() != string(pool.Quote.Type):
		return Pool{}, fault.New(fault.InputInvalid, "The coins of the call are not those of the pool %s.", pool.Key)
	}
	return pool, nil
}
