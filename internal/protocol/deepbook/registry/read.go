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

// NoWallet reports whether an address is a pinned pool or package, which has no private key, and
// describes it.
func NoWallet(id sui.Address) (what string, is bool) {
	if pool, ok := PoolByID(id); ok {
		return "the DeepBook pool " + pool.Key, true
	}
	return "a contract", Published(id)
}

// Named returns the pinned pool of a call, given its input and type arguments. If the registry
// contains the pool's initial shared version, the input must have the same. Named returns
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
