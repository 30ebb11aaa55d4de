package flowx

import (
	"encoding/binary"
	"math/big"
	"slices"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/flowx/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// swapSize is the size of pool::Swap: sender, pool, direction, what went in and
// out, prices before and after, liquidity, tick and fee.
const swapSize = 32 + 32 + 1 + 8 + 8 + 16 + 16 + 16 + 4 + 8

// Swapped is one swap as pool::Swap reports it. Before and After are the square roots
// of the pool's price, raw Y for one raw X, in units of 2^-64; Liquidity is the pool's
// afterwards.
type Swapped struct {
	Pool                     registry.Pool
	SellsX                   bool
	X, Y                     sui.Raw // what went in and what came out, by coin
	Before, After, Liquidity *big.Int
	At                       int // the place of the event among the events
}

// Swaps returns the swaps that the events of a transaction report, which sender sent.
// One of another shape or pool is an error.
func Swaps(events []sui.Event, sender sui.Address) ([]Swapped, error) {
	kind := sui.StructTag{Address: registry.OriginalPackage, Module: "pool", Name: "Swap"}.String()
	known := registry.Pools()
	var swaps []Swapped
	for at, e := range events {
		if e.Type != kind {
			continue
		}
		if len(e.Contents) != swapSize || e.Sender != sender || sui.Address(e.Contents[:32]) != sender || e.Contents[64] > 1 {
			return nil, fault.New(fault.ProviderMismatch, "The Sui node told of a FlowX event in another shape than it has.")
		}
		id := sui.ObjectID(e.Contents[32:64])
		i := slices.IndexFunc(known, func(p registry.Pool) bool { return p.ID == id })
		if i < 0 {
			return nil, fault.New(fault.InputInvalid, "FlowX’s events tell of a pool that is not pinned.")
		}
		b := e.Contents[65:]
		swaps = append(swaps, Swapped{At: at, Pool: known[i], SellsX: e.Contents[64] == 1,
			X: sui.Raw(binary.LittleEndian.Uint64(b)), Y: sui.Raw(binary.LittleEndian.Uint64(b[8:])),
			Before: wide(b[16:32]), After: wide(b[32:48]), Liquidity: wide(b[48:64])})
	}
	return swaps, nil
}

// wide reads a number of 128 bits, its lowest byte first.
func wide(b []byte) *big.Int {
	b = slices.Clone(b)
	slices.Reverse(b)
	return new(big.Int).SetBytes(b)
}
