package flowx

import (
	"encoding/binary"
	"math/big"
	"slices"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/flowx/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// swapSize is the size in bytes of a pool::Swap event: sender, pool, direction, the amounts of X and
// Y, the square roots of the price before and after, liquidity, tick and fee.
const swapSize = 32 + 32 + 1 + 8 + 8 + 16 + 16 + 16 + 4 + 8

// Swapped is one swap, as reported by a pool::Swap event. Before and After are the square roots of the
// pool's price (raw Y per raw X) in units of 2^-64. Liquidity is the pool's liquidity after the swap.
type Swapped struct {
	Pool                     registry.Pool
	SellsX                   bool
	X, Y                     sui.Raw // input and output amounts, by coin
	Before, After, Liquidity *big.Int
	At                       int // index of the event
}

// Swaps returns the swaps in the events of a transaction from sender. It returns an error if a swap's
// event has an unexpected shape or names a pool that is not pinned.
func Swaps(events []sui.Event, sender sui.Address) ([]Swapped, error) {
	kind := sui.StructTag{Address: registry.OriginalPackage, Module: "pool", Name: "Swap"}.String()
	known := registry.Pools()
	var swaps []Swapped
	for at, e := range events {
		if e.Type != kind {
			continue
		}
		if len(e.Contents) != swapSize || e.Sender != sender || sui.Address(e.Contents[:32]) != sender || e.Contents[64] > 1 {
			return nil, fault.New(fault.ProviderMismatch, "The Sui node reported a FlowX event of an unexpected shape.")
		}
		id := sui.ObjectID(e.Contents[32:64])
		i := slices.IndexFunc(known, func(p registry.Pool) bool { return p.ID == id })
		if i < 0 {
			return nil, fault.New(fault.InputInvalid, "FlowX’s events name a pool that is not pinned.")
		}
		b := e.Contents[65:]
		swaps = append(swaps, Swapped{At: at, Pool: known[i], SellsX: e.Contents[64] == 1,
			X: sui.Raw(binary.LittleEndian.Uint64(b)), Y: sui.Raw(binary.LittleEndian.Uint64(b[8:])),
			Before: wide(b[16:32]), After: wide(b[32:48]), Liquidity: wide(b[48:64])})
	}
	return swaps, nil
}

// wide reads a little-endian 128-bit number.
func wide(b []byte) *big.Int {
	b = slices.Clone(b)
	slices.Reverse(b)
	return new(big.Int).SetBytes(b)
}
