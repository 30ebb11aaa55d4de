package gate

import (
	"context"
	"fmt"
	"slices"
	"unicode"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/screen"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review/node"
)

// coins returns every coin whose amounts the review states: those of the promises and of the plans.
func (r *planned) coins() []plan.Asset {
	var all []plan.Asset
	for _, s := range r.steps {
		for _, b := range s.Plan.Promise.Bounds() {
			all = append(all, b.Coin)
		}
		all = append(all, s.Plan.Coins...)
		for _, b := range s.Promise.Bounds() {
			all = append(all, b.Coin)
		}
	}
	var coins []plan.Asset
	for _, a := range all {
		if a.CoinType != "" && !slices.Contains(coins, a) {
			coins = append(coins, a)
		}
	}
	if len(coins) == 0 {
		coins = []plan.Asset{plan.SUI} // gas
	}
	return coins
}

// bare reports whether a coin has no metadata on chain, according to a step's adapter.
func (r *planned) bare(coin sui.CoinType) bool {
	return slices.ContainsFunc(r.steps, func(s *plan.Step) bool { return slices.Contains(s.Bare, coin) })
}

// describeCoins reads the coins' metadata from the node.
func (r *planned) describeCoins(ctx context.Context, from node.Chain) ([]sui.Metadata, error) {
	coins := r.coins()
	out := make([]sui.Metadata, len(coins))
	var reads []func() error
	for i, coin := range coins {
		reads = append(reads, func() (err error) {
			out[i], err = from.Metadata(ctx, coin.CoinType)
			if (coin.Counted() || r.bare(coin.CoinType)) && node.Undescribed(err) {
				out[i], err = sui.Metadata{Type: coin.CoinType, Decimals: coin.Decimals}, nil
			}
			return err
		})
	}
	return out, r.c.Together(reads...)
}

// judgeCoins compares the node's metadata of the coins with the pinned values. Amounts of pinned
// coins always use the pinned decimals and symbol, whatever a node reports.
func (r *owned) judgeCoins(reported []sui.Metadata) *plan.Stop {
	said := "The coins are the pinned ones; the node reports the same decimals and no deceptive names."
	for i, coin := range r.coins() {
		if i >= len(reported) || reported[i].Type != coin.CoinType {
			return &plan.Stop{Reason: plan.ObjectResolutionFailed, Check: plan.Fail(plan.SourceNetwork, checkCoins, "Coins",
				"The node did not describe the coin "+coin.Symbol+".", "Use another node, then check again.").Under("C18")}
		}
		if coin.Foreign {
			if stop := judgeForeign(coin, reported[i]); stop != nil {
				return stop
			}
			said = "The coin that is named by its type has the decimals and the symbol that the node reported before; " +
				"nobody vouches for its name."
			continue
		}
		if reported[i].Decimals != coin.Decimals {
			return &plan.Stop{Reason: plan.AssetMismatch, Check: plan.Fail(plan.SourceNetwork, checkCoins, "Coins",
				fmt.Sprintf("The node says that %s has %d decimals; it has %d. Amounts of such a node cannot be trusted.",
					coin.Symbol, reported[i].Decimals, coin.Decimals),
				"Do not trust this node: set another one, then check again.").Under("C18")}
		}
		if screen.Deceptive(reported[i].Symbol, coin.Symbol) || screen.Deceptive(reported[i].Name, coin.Symbol) {
			return &plan.Stop{Reason: plan.AssetMismatch, Check: plan.Fail(plan.SourceNetwork, checkCoins, "Coins",
				"The node describes "+coin.Symbol+" with hidden or mixed characters, as fakes are.",
				"Do not trust this node: set another one, then check again.").Under("C17")}
		}
	}
	r.coinsAt = r.c.Now()
	r.check(plan.Pass(plan.SourceRegistry, checkCoins, "Coins", said))
	return nil
}

// hidden reports whether a character does not appear as itself: control and format characters,
// marks that change their neighbors, and unprintable characters.
func hidden(c rune) bool { return !unicode.IsPrint(c) || unicode.Is(unicode.Mn, c) }
