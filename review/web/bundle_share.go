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

// holdingsTimeout is the maximum time that a page waits for the account's balances.
const holdingsTimeout = 2 * time.Second

// holdings are an account's balances of some coins. Coins that no node reported are missing.
type holdings map[sui.CoinType]sui.Raw

// holdingsOf asks the node for the account's balances of the coins that a bundle spends.
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

// share describes an amount as a share of the account's balance. raw is in the smallest unit.
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

// shares fills in the share of each amount of a bundle that waits for approval.
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
				continue // stated once, below the steps
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
