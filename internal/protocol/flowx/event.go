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

// SwappedIn returns the pinned pool of every swap that the events of a transaction
// report, which sender sent. One of another shape or pool is an error.
func SwappedIn(events []sui.Event, sender sui.Address) ([]registry.Pool, error) {
	kind := sui.StructTag{Address: registry.OriginalPackage, Module: "pool", Name: "Swap"}.String()
	known := registry.Pools()
	var pools []registry.Pool
	for _, e := range events {
		if e.Type != kind {
			continue
		}
		if len(e.Contents) != swapSize || e.Sender != sender || sui.Address(e.Contents[:32]) != sender {
			return nil, fault.New(fault.ProviderMismatch, "The Sui node told of a FlowX event in another shape than it has.")
		}
		id := sui.ObjectID(e.Contents[32:64])
		i := slices.IndexFunc(known, func(p registry.Pool) bool { return p.ID == id })
		if i < 0 {
			return nil, fault.New(fault.InputInvalid, "FlowX’s events tell of a pool that is not pinned.")
		}
		pools = append(pools, known[i])
	}
	return pools, nil
}
