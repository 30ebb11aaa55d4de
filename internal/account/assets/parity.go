package assets

import (
	"context"
	"math/big"
	"slices"
	"time"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// ParityPlaces is the number of decimals of parity prices and their statistics. The mid price of a
// pool of two coins with equal decimals has no more than that. An inverted price, the mean, and the
// median of an even number of prices are rounded half up.
const ParityPlaces = 9

// ParityStatus states how an asset's parity price was determined, or why it was not.
type ParityStatus string

// Statuses of a parity price.
const (
	ParityReference   ParityStatus = "reference"
	ParityDirect      ParityStatus = "direct_pool_mid_price"
	ParityInverted    ParityStatus = "inverted_direct_pool_mid_price"
	ParityNoPool      ParityStatus = "no_direct_deepbook_pool"
	ParityUnavailable ParityStatus = "mid_price_unavailable"
)

// ParityAsset is one coin of the group. Price is the number of reference coins per coin, or "" if
// unknown. Mid is the pool's mid price from which it was computed. Cause is the error of a pool
// that returned no price.
type ParityAsset struct {
	Coin    coins.Coin
	Status  ParityStatus
	Price   sui.Decimal
	PoolKey string
	Mid     *deepbook.Mid
	Cause   fault.Code
}

// Extreme is a price, with the symbols of the coins that have it.
type Extreme struct {
	Price   sui.Decimal
	Symbols []string
}

// Parity compares the coins of a group with a reference coin by the mid prices of direct pools. The
// reference has the price 1. Compared is the number of other coins with a price; Missing is the
// number of coins without one.
type Parity struct {
	Group             Group
	Reference         coins.Coin
	Assets            []ParityAsset
	Least, Most       Extreme
	Mean, Median      sui.Decimal
	Compared, Missing int
	At                time.Time
}

// Parity compares the prices of the coins in the group that denomination names with the price of
// reference. If reference is "", it is DefaultReference. A pool that returns no price is reported
// in the result. If no pool responds, Parity returns the node's error.
func (s *Service) Parity(ctx context.Context, denomination, reference string) (Parity, error) {
	g, err := GroupOf(denomination)
	if err != nil {
		return Parity{}, err
	}
	if reference == "" {
		reference = DefaultReference
	}
	ref, err := g.member(reference, "referenceAssetSymbol")
	if err != nil {
		return Parity{}, err
	}
	p := Parity{Group: g, Reference: ref, Assets: make([]ParityAsset, len(g.Members))}
	failures := make([]error, len(g.Members))
	each(len(g.Members), func(i int) { p.Assets[i], failures[i] = s.compare(ctx, g.Members[i].Coin, ref) })
	if ctx.Err() != nil {
		return Parity{}, fault.Wrap(ctx.Err(), fault.RequestAborted, "The call was cancelled.")
	}
	p.sum()
	p.At = s.c.Now()
	if p.Compared == 0 {
		for _, err := range failures {
			if err != nil && !fault.Is(err, fault.QuoteUnavailable) {
				return Parity{}, err
			}
		}
	}
	return p, nil
}

// compare determines the price of one coin. If the pool does not answer, it returns the error with
// an asset that is valid in the result.
func (s *Service) compare(ctx context.Context, coin, ref coins.Coin) (ParityAsset, error) {
	a := ParityAsset{Coin: coin}
	if coin.Type == ref.Type {
		a.Status, a.Price = ParityReference, "1"
		return a, nil
	}
	pool, direction, err := registry.Direct(coin, ref)
	if err != nil {
		a.Status = ParityNoPool
		return a, nil
	}
	a.PoolKey = pool.Key
	mid, err := s.c.Pools.MidPrice(ctx, pool.Key)
	if err == nil && number(mid.Price).Sign() == 0 {
		err = fault.New(fault.QuoteUnavailable, "The pool %s gives a price of zero, which is no price.", pool.Key)
	}
	if err != nil {
		a.Status, a.Cause = ParityUnavailable, fault.As(err).Code
		return a, err
	}
	a.Mid, a.Status = &mid, ParityDirect
	price := number(mid.Price)
	if direction == registry.QuoteToBase {
		a.Status = ParityInverted
		price.Inv(price)
	}
	a.Price = decimal(price, ParityPlaces)
	return a, nil
}

// sum computes the statistics from the rounded prices.
func (p *Parity) sum() {
	var prices []*big.Rat
	total := new(big.Rat)
	for _, a := range p.Assets {
		if a.Price == "" {
			p.Missing++
			continue
		}
		prices = append(prices, number(a.Price))
		total.Add(total, prices[len(prices)-1])
	}
	p.Compared = len(prices) - 1
	slices.SortFunc(prices, (*big.Rat).Cmp)
	n := len(prices)
	p.Least, p.Most = p.extreme(prices[0]), p.extreme(prices[n-1])
	p.Mean = decimal(total.Quo(total, big.NewRat(int64(n), 1)), ParityPlaces)
	middle := new(big.Rat).Add(prices[(n-1)/2], prices[n/2])
	p.Median = decimal(middle.Quo(middle, big.NewRat(2, 1)), ParityPlaces)
}

func (p *Parity) extreme(price *big.Rat) Extreme {
	e := Extreme{Price: decimal(price, ParityPlaces)}
	for _, a := range p.Assets {
		if a.Price == e.Price {
			e.Symbols = append(e.Symbols, a.Coin.Symbol)
		}
	}
	return e
}
