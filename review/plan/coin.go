package plan

import (
	"strings"

	"github.com/sayurintent/sayurintent/internal/screen"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// smallest replaces the symbol where amounts count a coin's smallest units.
const smallest = "smallest units"

// MostSymbol bounds the symbol that a coin names itself by, in characters.
const MostSymbol = 24

// ForeignCoin returns an unlisted coin, identified by its whole type, with the
// metadata read when the review was prepared. Without metadata its amounts count
// smallest units.
func ForeignCoin(t sui.CoinType, u IntentUnit) Asset {
	if !u.Told {
		return Asset{Symbol: smallest, CoinType: t, Foreign: true}
	}
	return Asset{Symbol: QuotedSymbol(u.Symbol), CoinType: t, Decimals: u.Decimals, Foreign: true}
}

// UnreadCoin returns an unlisted coin as bytes name it: by its type alone.
func UnreadCoin(t sui.CoinType) Asset {
	return Asset{Symbol: smallest + " of " + string(t), CoinType: t, Foreign: true}
}

// QuotedSymbol returns an unverified symbol with every character visible, in quotation
// marks.
func QuotedSymbol(s string) string {
	text := strings.Join(strings.Fields(screen.Text(s, MostSymbol).Text), " ")
	if text == "" {
		return "“unnamed”"
	}
	return "“" + text + "”"
}

// Named returns the name of the asset in an intent: the type of an unlisted coin, the
// symbol of any other.
func (a Asset) Named() string {
	if a.Foreign {
		return string(a.CoinType)
	}
	return a.Symbol
}

// Counted reports whether amounts count smallest units because decimals are unknown.
func (a Asset) Counted() bool { return a.Foreign && a.Symbol == smallest }

// Units writes amounts of unlisted coins, which bytes name by their type alone,
// with what was reported of those coins and judged.
func Units(f *Facts, coins []Asset) {
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
