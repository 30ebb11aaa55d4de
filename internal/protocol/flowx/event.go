package flowx

import (
	"slices"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/flowx/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// swapSize is the size of pool::Swap: sender, pool, direction, what went in and
// out, prices before and after, liquidity, tick and fee.
const swapSize = 32 + 32 + 1 + 8 + 8 + 16 + 16 + 16 + 4 + 8

// SwappedIn gives the pinned pool of the one swap that the events of a
// transaction tell, which sender sent. None, a second one, and one of another
// shape or pool are an error.
func SwappedIn(events []sui.Event, sender sui.Address) (registry.Pool, error) {
	kind := sui.StructTag{Address: registry.OriginalPackage, Module: "pool", Name: "Swap"}.String()
	var swaps []sui.Event
	for _, e := range events {
		if e.Type == kind {
			swaps = append(swaps, e)
		}
	}
	switch {
	case len(swaps) != 1:
		return registry.Pool{}, fault.New(fault.InputInvalid, "FlowX’s events tell of %d swaps instead of one.", len(swaps))
	case len(swaps[0].Contents) != swapSize || swaps[0].Sender != sender || sui.Address(swaps[0].Contents[:32]) != sender:
		return registry.Pool{}, fault.New(fault.ProviderMismatch, "The Sui node told of a FlowX event in another shape than it has.")
	}
	pools, id := registry.Pools(), sui.ObjectID(swaps[0].Contents[32:64])
	if i := slices.IndexFunc(pools, func(p registry.Pool) bool { return p.ID == id }); i >= 0 {
		return pools[i], nil
	}
	return registry.Pool{}, fault.New(fault.InputInvalid, "FlowX’s events tell of a pool that is not pinned.")
}
