package onchain

import (
	"context"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/web/receipts"
)

// Past reads past transactions. rpc.History implements it.
type Past interface {
	// Transaction returns one transaction. It returns false if the service does not have it.
	Transaction(ctx context.Context, digest sui.Digest) (sui.PastTransaction, bool, error)
}

// Receipts implements receipts.Source with the names that are pinned in this program. It is safe
// for concurrent use.
type Receipts struct {
	Past
	names map[sui.ObjectID]string
}

// NewReceipts returns a Receipts. further are additional labels.
func NewReceipts(past Past, further ...sui.Label) *Receipts {
	names := map[sui.ObjectID]string{}
	for _, l := range append(further, registry.Label()) {
		for _, id := range append(append([]sui.ObjectID{}, l.Packages...), l.Shared...) {
			names[id] = l.Name
		}
	}
	for _, p := range registry.Pools() {
		names[p.ID] = "market " + p.Key
	}
	names[sui.MustAddress("0x1")], names[sui.MustAddress("0x2")] = "the Move library", "Sui’s framework"
	names[sui.MustAddress("0x3")], names[sui.Clock] = "Sui’s system", "the chain’s clock"
	return &Receipts{past, names}
}

var _ receipts.Source = (*Receipts)(nil)

// Coin implements receipts.Source.
func (*Receipts) Coin(t sui.CoinType) (symbol string, decimals uint8, ok bool) {
	c, ok := coins.ByType(t)
	return c.Symbol, c.Decimals, ok
}

// Name implements receipts.Source.
func (r *Receipts) Name(id sui.ObjectID) (string, bool) {
	name, ok := r.names[id]
	return name, ok
}
