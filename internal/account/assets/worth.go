package assets

import (
	"context"
	"math/big"
	"time"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Mids reads the mid prices of pools.
type Mids interface {
	MidPrice(ctx context.Context, poolKey string) (deepbook.Mid, error)
}

// Price is the mid price of a coin's pool with USDC. It is neither a quote nor a value in dollars.
type Price struct {
	Pool string
	USDC sui.Decimal // per coin
	At   time.Time

	raw sui.Raw
}

// PriceInUSDC returns the price of a coin, or false if it has no pool or no price.
func PriceInUSDC(ctx context.Context, m Mids, c coins.Coin) (Price, bool) {
	usdc, err := coins.Find(DefaultReference)
	if err != nil || c.Type == usdc.Type {
		return Price{}, false
	}
	pool, d, err := registry.Direct(c, usdc)
	if err != nil || d != registry.BaseToQuote {
		return Price{}, false
	}
	mid, err := m.MidPrice(ctx, pool.Key)
	if err != nil {
		return Price{}, false
	}
	return Price{Pool: pool.Key, USDC: mid.Price, At: mid.At, raw: mid.Raw}, true
}

// ReferenceDecimals is the number of decimals of USDC.
const ReferenceDecimals = 6

// Of returns the value of an amount in raw USDC, rounded down, or false if it overflows.
func (p Price) Of(held sui.Raw) (worth sui.Raw, ok bool) {
	n := new(big.Int).Mul(new(big.Int).SetUint64(uint64(held)), new(big.Int).SetUint64(uint64(p.raw)))
	if n.Quo(n, big.NewInt(1_000_000_000)); !n.IsUint64() {
		return 0, false
	}
	return sui.Raw(n.Uint64()), true
}

// Price returns the price of a pinned coin, as PriceInUSDC does.
func (s *Service) Price(ctx context.Context, c coins.Coin) (Price, bool) {
	return PriceInUSDC(ctx, s.c.Pools, c)
}
