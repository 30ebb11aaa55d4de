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

// Valuer values the holdings of accounts.
type Valuer struct {
	chain  OnChain
	prices Prices
}

// NewValuer returns a Valuer.
func NewValuer(chain OnChain, prices Prices) *Valuer { return &Valuer{chain, prices} }

// Limits of a valuation.
const (
	valuedPages    = 10 // pages of coin balances
	valuedManagers = 3
	priceTimeout   = 4 * time.Second
)

// Worth returns the value of an account in USDC: its coins, its stakes, and the holdings of its
// balance managers. It returns an error only if the coins cannot be read.
func (v *Valuer) Worth(ctx context.Context, owner sui.Address) (listing.Worth, error) {
	f, err := v.read(ctx, owner)
	return f.worth, err
}

// found is the data of an account for a valuation.
type found struct {
	worth    listing.Worth
	pinned   map[string]Held // by symbol
	unlisted []Held
	next     string // cursor of the rest of the coins, "" at the end
	stalled  bool
	managers Managers
	refused  error // error of reading managers, if any
	inside   []managed
}

// managed is a balance manager of the account, with its holdings or the error of reading them.
type managed struct {
	id     sui.ObjectID
	inside Inside
	err    error
}

func (v *Valuer) read(ctx context.Context, owner sui.Address) (f found, err error) {
	of := map[sui.CoinType]*listing.WorthCoin{}
	at := func(c coins.Coin) *listing.WorthCoin {
		if of[c.Type] == nil {
			of[c.Type] = &listing.WorthCoin{Symbol: c.Symbol, Decimals: c.Decimals}
		}
		return of[c.Type]
	}
	f.pinned = map[string]Held{}
	for range valuedPages {
		page, err := v.chain.Holdings(ctx, owner, f.next, holdingsPage)
		if err != nil {
			return f, err
		}
		f.worth.At, f.next, f.stalled = page.At, page.Next, page.Stalled
		for _, h := range page.List {
			if c, ok := coins.ByType(h.Coin); ok && h.Symbol != "" {
				at(c).Free += h.Total
				f.pinned[c.Symbol] = h
			} else {
				f.unlisted = append(f.unlisted, h)
			}
		}
		if f.next == "" {
			break
		}
	}
	f.worth.Unlisted = len(f.unlisted)
	whole := v.inside(ctx, owner, &f, at)
	f.worth.Unread = !v.staked(ctx, owner, at) || !whole || f.stalled || f.next != ""
	v.value(ctx, of)
	for _, c := range of {
		f.worth.Coins = append(f.worth.Coins, *c)
	}
	slices.SortFunc(f.worth.Coins, func(a, b listing.WorthCoin) int {
		return cmp.Or(cmp.Compare(b.Value(), a.Value()), cmp.Compare(a.Symbol, b.Symbol))
	})
	return f, nil
}

// inside adds the coins in the account's balance managers. It reports whether all of them could be
// read.
func (v *Valuer) inside(ctx context.Context, owner sui.Address, f *found, at func(coins.Coin) *listing.WorthCoin) bool {
	if f.managers, f.refused = v.chain.Managers(ctx, owner); f.refused != nil {
		return false
	}
	whole, left := !f.managers.More, valuedManagers
	for _, m := range f.managers.List {
		if !m.Owned {
			continue
		}
		if left--; left < 0 {
			return false
		}
		in, err := v.chain.Inside(ctx, m.ID)
		f.inside = append(f.inside, managed{m.ID, in, err})
		if err != nil || in.Unread > 0 {
			whole = false
		}
		for _, s := range in.all() {
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

// all lists everything in a manager, including what is not free.
func (in Inside) all() []Sum {
	sums := slices.Clone(in.Free)
	for _, p := range in.Pools {
		sums = append(append(sums, p.Locked...), p.Rebates...)
		if p.Staked != "" {
			sums = append(sums, Sum{Symbol: "DEEP", Amount: p.Staked})
		}
	}
	return sums
}

// staked adds the principal of the account's stakes. It reports whether all of them could be read.
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

// value fills in the values of coins whose prices arrive in time.
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
