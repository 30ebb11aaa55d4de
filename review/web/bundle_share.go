package web

import (
	"context"
	"math/big"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/request"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/web/amounts"
	"github.com/sayurintent/sayurintent/internal/web/words"
)

// holdingsTimeout is how long a page waits for what an account has.
const holdingsTimeout = 2 * time.Second

// holdings are an account's balances of some coins. A coin that no node reported is missing.
type holdings map[sui.CoinType]sui.Raw

// holdingsOf asks the node how much the account has of each coin that a bundle spends.
func (p *Bundles) holdingsOf(ctx context.Context, b request.Request) holdings {
	ctx, cancel := context.WithTimeout(ctx, holdingsTimeout)
	defer cancel()
	found := holdings{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for _, o := range b.Limits() {
		wg.Go(func() {
			held, err := p.Reviews.Held(ctx, b.Account, o.CoinType)
			if err != nil {
				return
			}
			mu.Lock()
			defer mu.Unlock()
			found[o.CoinType] = held
		})
	}
	wg.Wait()
	return found
}

// share words how much of what the account has an amount in raw units is.
func (h holdings) share(of plan.Asset, raw *big.Int) string {
	held, known := h[of.CoinType]
	switch {
	//mutant:never ./review/web TestBundleShares
	case !known:
		return "How much " + words.Whole(of.Symbol) + " your account has is not known."
	case raw.Cmp(plan.BigInt(held)) > 0:
		return "More than the " + amounts.Of(of.Of(held)).String() + " in your account"
	}
	return shareOf(plan.ShareBps(sui.Raw(raw.Uint64()), held), of.Symbol)
}

// shares adds the share of each amount to the page of a bundle that is not answered.
func (v *bundlePage) shares(b request.Request, h holdings) {
	for i, o := range b.Limits() {
		if raw, ok := new(big.Int).SetString(o.Raw, 10); ok && raw.Sign() > 0 {
			v.Limits[i].Share = h.share(o.Asset, raw)
		}
	}
	for i, l := range v.Steps {
		var shares []string
		for _, a := range b.Steps[l.Place-1].Most {
			if _, known := h[a.CoinType]; !known {
				continue // said once, below the steps
			}
			if share := h.share(a.Asset, plan.BigInt(a.Raw)); !slices.Contains(shares, share) {
				shares = append(shares, share)
			}
		}
		if v.Steps[i].Share = strings.Join(shares, ", "); l.Times > 1 && len(shares) > 0 {
			v.Steps[i].Share += ", each"
		}
	}
}
