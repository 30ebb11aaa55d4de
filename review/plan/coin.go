package plan

import (
	"strings"

	"github.com/sayurintent/sayurintent/internal/screen"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// smallest is in place of a symbol where amounts count the smallest units of a
// coin.
const smallest = "smallest units"

// MostSymbol bounds the symbol that a coin gives itself, in characters.
const MostSymbol = 24

// ForeignCoin returns a coin that is not pinned by its whole type and what was told
// of it when the review was prepared. Without that its amounts count smallest
// units.
func ForeignCoin(t sui.CoinType, u IntentUnit) Asset {
	if !u.Told {
		return Asset{Symbol: smallest, CoinType: t, Foreign: true}
	}
	return Asset{Symbol: QuotedSymbol(u.Symbol), CoinType: t, Decimals: u.Decimals, Foreign: true}
}

// UnreadCoin returns a coin that is not pinned as bytes name it: by its type alone.
func UnreadCoin(t sui.CoinType) Asset {
	return Asset{Symbol: smallest + " of " + string(t), CoinType: t, Foreign: true}
}

// QuotedSymbol writes a symbol that nobody vouches for: every character visible,
// in quotation marks.
func QuotedSymbol(s string) string {
	text := strings.Join(strings.Fields(screen.Text(s, MostSymbol).Text), " ")
	if text == "" {
		return "“unnamed”"
	}
	return "“" + text + "”"
}

// Named is how an intent names the asset: a foreign coin by its type.
func (a Asset) Named() string {
	if a.Foreign {
		return string(a.CoinType)
	}
	return a.Symbol
}

// Counted reports whether amounts count smallest units for want of decimals.
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
