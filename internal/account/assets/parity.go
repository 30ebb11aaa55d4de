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

// ParityPlaces is how many decimals parity prices and their statistics have.
// A mid price of two coins with equal decimals has no more of its own; an
// inverted price, the mean and a median of two are rounded to it, half up.
const ParityPlaces = 9

// ParityStatus is how an asset's parity price was determined.
type ParityStatus string

// The statuses.
const (
	ParityReference   ParityStatus = "reference"
	ParityDirect      ParityStatus = "direct_pool_mid_price"
	ParityInverted    ParityStatus = "inverted_direct_pool_mid_price"
	ParityNoPool      ParityStatus = "no_direct_deepbook_pool"
	ParityUnavailable ParityStatus = "mid_price_unavailable"
)

// ParityAsset is one coin of the group. Price is reference coins per coin, or "" if there is none;
// Mid is the pool's answer behind it. Cause is why a pool gave no price.
type ParityAsset struct {
	Coin    coins.Coin
	Status  ParityStatus
	Price   sui.Decimal
	PoolKey string
	Mid     *deepbook.Mid
	Cause   fault.Code
}

// Extreme is a price with the coins that have it.
type Extreme struct {
	Price   sui.Decimal
	Symbols []string
}

// Parity compares the assets of a group with a reference through direct pools. The reference itself
// has the price 1. Compared counts the other samples; Missing counts assets without a price.
type Parity struct {
	Group             Group
	Reference         coins.Coin
	Assets            []ParityAsset
	Least, Most       Extreme
	Mean, Median      sui.Decimal
	Compared, Missing int
	At                time.Time
}

// Parity compares the prices of the group that denomination selects with reference; "" means
// DefaultReference. A pool without a price is reported as such. If no pool responds, Parity returns
// the node's error.
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

// compare prices one coin. The error is why the pool did not answer; the asset is valid anyway.
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

// sum computes the statistics over the prices as they are shown.
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
