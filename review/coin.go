package review

import (
	"context"
	"strings"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/screen"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// smallest is in place of a symbol where amounts count the smallest units of a
// coin.
const smallest = "smallest units"

// mostSymbol bounds the symbol that a coin gives itself, in characters.
const mostSymbol = 24

// ForeignCoin gives a coin that is not pinned by its whole type and what was told
// of it when the review was prepared. Without that its amounts count smallest
// units.
func ForeignCoin(t sui.CoinType, u IntentUnit) Asset {
	if !u.Told {
		return Asset{Symbol: smallest, CoinType: t, Foreign: true}
	}
	return Asset{Symbol: toldSymbol(u.Symbol), CoinType: t, Decimals: u.Decimals, Foreign: true}
}

// UnreadCoin gives a coin that is not pinned as bytes name it: by its type alone.
func UnreadCoin(t sui.CoinType) Asset {
	return Asset{Symbol: smallest + " of " + string(t), CoinType: t, Foreign: true}
}

// toldSymbol writes a symbol that nobody vouches for: every character visible,
// in quotation marks.
func toldSymbol(s string) string {
	text := strings.Join(strings.Fields(screen.Text(s, mostSymbol).Text), " ")
	if text == "" {
		return "“unnamed”"
	}
	return "“" + text + "”"
}

// named is how an intent names the asset: a foreign coin by its type.
func (a Asset) named() string {
	if a.Foreign {
		return string(a.CoinType)
	}
	return a.Symbol
}

// counted reports whether amounts count smallest units for want of decimals.
func (a Asset) counted() bool { return a.Foreign && a.Symbol == smallest }

// unit fills in what the chain tells of a coin that an intent names by its type.
// An amount in smallest units becomes one in the coin's own, where they are known.
func (s *Service) unit(ctx context.Context, a Adapter, from IntentSource) (IntentSource, error) {
	from.Unit = IntentUnit{}
	if !a.Meta().AnyCoin || !strings.Contains(from.Symbol, "::") {
		return from, nil
	}
	t, err := sui.ParseCoinType(from.Symbol)
	if err != nil {
		return from, AtField("intent.from.symbol", err)
	}
	from.Symbol = string(t)
	m, err := s.c.Chain.Metadata(ctx, t)
	switch {
	case (undescribed(err) || m.Decimals > sui.MostDecimals) && from.Raw:
		return from, nil
	case err == nil && m.Decimals > sui.MostDecimals:
		return from, fault.New(fault.InputInvalid, "The node says that the coin %s has %d decimals, more than %d, so its amounts are counted in "+
			"its smallest units only. Ask the person for the amount in those, and give that whole number with intent.from.raw set to true.",
			t, m.Decimals, sui.MostDecimals).With("field", "intent.from.amount")
	case undescribed(err):
		return from, fault.New(fault.InputInvalid, "The chain has no description of the coin %s, so nobody knows how many decimals it has. "+
			"Ask the person for the amount in its smallest units, and give that whole number with intent.from.raw set to true.", t).
			With("field", "intent.from.amount")
	case err != nil:
		return from, err
	}
	from.Unit = IntentUnit{Told: true, Decimals: m.Decimals, Symbol: screen.Text(m.Symbol, mostSymbol).Text}
	if from.Raw {
		raw, err := sui.Decimal(from.Amount).Raw(0)
		if err != nil {
			return from, AtField("intent.from.amount", err)
		}
		from.Amount, from.Raw = string(raw.Decimal(m.Decimals)), false
	}
	return from, nil
}

// undescribed reports whether a node says that a coin has no description.
func undescribed(err error) bool {
	return fault.Is(err, fault.ProviderRefused) && fault.As(err).Detail.Get("code") == "NotFound"
}

// units writes amounts of unlisted coins, which bytes name by their type alone,
// with what was reported of those coins and judged.
func units(f *Facts, coins []Asset) {
	for i := range f.Steps {
		p := &f.Steps[i].Promise
		for o := range p.Outcomes {
			for b := range p.Outcomes[o].Bounds {
				at := &p.Outcomes[o].Bounds[b].Coin
				for _, coin := range coins {
					if at.Foreign && coin.CoinType == at.CoinType {
						*at = coin
					}
				}
			}
		}
	}
}

// judgeForeign judges what a node tells of a coin that is not pinned by what was
// told of it before: nothing else can vouch for it.
func (r *run) judgeForeign(coin Asset, told sui.Metadata) *Stop {
	fail := func(rule RuleID, message, do string) *Stop {
		return &Stop{AssetMismatch, Fail(SourceNetwork, checkCoins, "Coins", message, do).under(rule)}
	}
	switch {
	case coin.counted():
		return nil // its amounts are what the bytes say
	case told.Decimals != coin.Decimals || toldSymbol(told.Symbol) != coin.Symbol:
		return fail("C18", "The node tells another symbol or other decimals of "+string(coin.CoinType)+" than it told when this review was prepared.",
			"Prepare a new review; if it goes on, do not trust this node.")
	case screen.Deceptive(told.Symbol) || screen.Deceptive(told.Name):
		return fail("C17", "The coin "+string(coin.CoinType)+" describes itself with hidden or mixed characters, as fakes do.",
			"Make sure which coin you mean. What deceives is not signed here.")
	}
	return nil
}
