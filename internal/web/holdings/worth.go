package holdings

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/web/listing"
)

// Prices returns prices in USDC, and false for a coin that has none.
type Prices interface {
	InUSDC(ctx context.Context, coin coins.Coin) (listing.Price, bool)
}

// Valuer values what accounts have.
type Valuer struct {
	chain  OnChain
	prices Prices
}

// NewValuer returns a Valuer.
func NewValuer(chain OnChain, prices Prices) *Valuer { return &Valuer{chain, prices} }

// Limits of one valuation.
const (
	valuedPages    = 4 // of coin balances
	valuedManagers = 3
	priceTimeout   = 4 * time.Second
)

// Worth returns what an account has in USDC: its coins, stakes, and what its balance managers hold. It
// fails only if the coins cannot be read.
func (v *Valuer) Worth(ctx context.Context, owner sui.Address) (listing.Worth, error) {
	found := map[sui.CoinType]*listing.WorthCoin{}
	at := func(c coins.Coin) *listing.WorthCoin {
		if found[c.Type] == nil {
			found[c.Type] = &listing.WorthCoin{Symbol: c.Symbol, Decimals: c.Decimals}
		}
		return found[c.Type]
	}
	var w listing.Worth
	cursor := ""
	for range valuedPages {
		page, err := v.chain.Holdings(ctx, owner, cursor, holdingsPage)
		if err != nil {
			return w, err
		}
		w.At, cursor = page.At, page.Next
		for _, h := range page.List {
			if c, ok := coins.ByType(h.Coin); ok && h.Symbol != "" {
				at(c).Free += h.Total
			} else {
				w.Unlisted++
			}
		}
		if cursor == "" {
			w.Unread = page.Stalled
			break
		}
	}
	whole := v.inside(ctx, owner, at)
	w.Unread = !v.staked(ctx, owner, at) || !whole || w.Unread || cursor != ""
	v.value(ctx, found)
	for _, c := range found {
		w.Coins = append(w.Coins, *c)
	}
	slices.SortFunc(w.Coins, func(a, b listing.WorthCoin) int {
		return cmp.Or(cmp.Compare(b.Value(), a.Value()), cmp.Compare(a.Symbol, b.Symbol))
	})
	return w, nil
}

// inside adds what the account's balance managers hold. It reports whether all of it was read.
func (v *Valuer) inside(ctx context.Context, owner sui.Address, at func(coins.Coin) *listing.WorthCoin) bool {
	managers, err := v.chain.Managers(ctx, owner)
	if err != nil {
		return false
	}
	whole, left := !managers.More, valuedManagers
	for _, m := range managers.List {
		if !m.Owned {
			continue
		}
		if left--; left < 0 {
			return false
		}
		in, err := v.chain.Inside(ctx, m.ID)
		if err != nil || in.Unread > 0 {
			whole = false
		}
		sums := slices.Clone(in.Free)
		for _, p := range in.Pools {
			sums = append(append(sums, p.Locked...), p.Rebates...)
			if p.Staked != "" {
				sums = append(sums, Sum{Symbol: "DEEP", Amount: p.Staked})
			}
		}
		for _, s := range sums {
			c, ok := coins.BySymbol(s.Symbol)
			if !ok {
				continue
			}
			raw, err := s.Amount.Raw(c.Decimals)
			if err != nil {
				whole = false
				continue
			}
			at(c).Inside += raw
		}
	}
	return whole
}

// staked adds the principal of the account's stakes. It reports whether all of it was read.
func (v *Valuer) staked(ctx context.Context, owner sui.Address, at func(coins.Coin) *listing.WorthCoin) bool {
	c, ok := coins.ByType(sui.SUI)
	found, err := v.chain.Staked(ctx, owner)
	whole := err == nil && ok && !found.More
	for _, s := range found.Stakes {
		raw, err := s.Principal.Raw(c.Decimals)
		if err != nil {
			whole = false // fungible staked SUI has no principal
			continue
		}
		at(c).Staked += raw
	}
	return whole
}

// value fills in the values of coins that have a price in time.
func (v *Valuer) value(ctx context.Context, found map[sui.CoinType]*listing.WorthCoin) {
	ctx, stop := context.WithTimeout(ctx, priceTimeout)
	defer stop()
	var reading sync.WaitGroup
	for t, one := range found {
		reading.Go(func() {
			c, _ := coins.ByType(t)
			p, ok := v.prices.InUSDC(ctx, c)
			if !ok {
				return
			}
			free, fits := p.Of(one.Free)
			inside, also := p.Of(one.Inside)
			staked, too := p.Of(one.Staked)
			if fits && also && too {
				one.FreeValue, one.InsideValue, one.StakedValue, one.Price = free, inside, staked, p.USDC
			}
		})
	}
	reading.Wait()
}
