package registry

import (
	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// FindPool is like PoolByKey but returns fault.RegistryMiss for an unknown key. The error's details
// list pools with similar keys or, if there are none, all pools.
func FindPool(key string) (Pool, error) {
	if err := Check(); err != nil {
		return Pool{}, err
	}
	if p, ok := PoolByKey(key); ok {
		return p, nil
	}
	keys := make([]string, len(pinned.pools))
	for i, p := range pinned.pools {
		keys[i] = p.Key
	}
	return Pool{}, coins.Miss("DeepBook pool", key, keys)
}

// PackageIDs lists every published DeepBook package, newest first.
func PackageIDs() (ids []sui.ObjectID) {
	for _, p := range Packages() {
		ids = append(ids, p.ID)
	}
	return ids
}

// Direct finds the pool that trades from against to, and the direction that pays from. It returns
// fault.InputInvalid for two equal coins. For a pair without a pinned pool, it returns
// fault.RegistryMiss, whose details list the pools of each coin.
func Direct(from, to coins.Coin) (Pool, Direction, error) {
	if err := Check(); err != nil {
		return Pool{}, "", err
	}
	if from.Type == to.Type {
		return Pool{}, "", fault.New(fault.InputInvalid, "A swap needs two different coins; both are %s.", from.Symbol)
	}
	for _, p := range pinned.pools {
		if p.Base.Type == from.Type && p.Quote.Type == to.Type {
			return p, BaseToQuote, nil
		}
		if p.Quote.Type == from.Type && p.Base.Type == to.Type {
			return p, QuoteToBase, nil
		}
	}
	return Pool{}, "", fault.New(fault.RegistryMiss,
		"No pinned DeepBook pool trades %s directly against %s. Choose another pair; routes over several pools are not "+
			"built.",
		from.Symbol, to.Symbol).
		WithList("poolsOf"+from.Symbol, keysOf(from)).
		WithList("poolsOf"+to.Symbol, keysOf(to))
}

func keysOf(c coins.Coin) []string {
	keys := []string{}
	for _, p := range PoolsOf(c.Type) {
		keys = append(keys, p.Key)
	}
	return keys
}
