package plan

import (
	"math/big"
	"slices"
	"strings"

	"github.com/sayurintent/sayurintent/internal/screen"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// smallest replaces the symbol if amounts count a coin's smallest units.
const smallest = "smallest units"

// MostSymbol is the maximum length of the symbol in a coin's own metadata, in characters.
const MostSymbol = 24

// ForeignCoin returns an unlisted coin, identified by its whole type, with the
// metadata read when the review was prepared. Without metadata its amounts count
// smallest units.
func ForeignCoin(t sui.CoinType, u IntentUnit) Asset {
	if !u.Known {
		return Asset{Symbol: smallest, CoinType: t, Foreign: true}
	}
	return Asset{Symbol: QuotedSymbol(u.Symbol), CoinType: t, Decimals: u.Decimals, Foreign: true}
}

// UnreadCoin returns an unlisted coin whose metadata is unknown, as named by its type in the bytes.
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

// Units replaces each unlisted coin in f with its entry in coins, which has the units that were
// read from the chain and checked.
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

// Given is an amount that goes to somebody else. If a step sends an earlier step's result, it is
// the amount that was paid for that result.
type Given struct {
	Amount
	To sui.Address
	// Done reports that another transaction of the same request already paid it.
	Done bool
	// Elsewhere reports that another transaction of the same request pays it.
	Elsewhere bool
	// Brought reports that an earlier step of the same request provides the coin. The account did
	// not have it; the payment for it is listed instead.
	Brought bool
}

// Gives lists what steps give to others, given their intents in the same order. A payment from an
// earlier step's result gives a proportional share of what was paid for that result.
func Gives(steps []StepFacts, intents []Intent, account sui.Address) (list []Given) {
	for i, s := range steps {
		to := s.Promise.Payee()
		if to.IsZero() && !s.Sends.IsZero() {
			to = s.Sends
		}
		if to.IsZero() || to == account {
			continue
		}
		for _, in := range s.Promise.Of(RoleInput) {
			if !in.Party.IsResult() {
				list = append(list, Given{Amount: in.Amount(), To: to})
			}
		}
		if i < len(intents) {
			list = append(list, behind(steps, intents, i, to)...)
		}
	}
	return list
}

// behind lists what was paid for the result that a step takes.
func behind(steps []StepFacts, intents []Intent, i int, to sui.Address) (list []Given) {
	part := big.NewRat(1, 1)
	for from := intents[i].From.ResultOf; from > 0 && from <= i; from = intents[i].From.ResultOf {
		takes, source := steps[i].Promise.Amount(RoleInput), steps[from-1].Promise
		if whole := source.Whole(); whole.Raw > 0 && takes.Raw < whole.Raw {
			part.Mul(part, new(big.Rat).SetFrac(BigInt(takes.Raw), BigInt(whole.Raw)))
		}
		i = from - 1
		for _, in := range source.Of(RoleInput) {
			if in.Party.IsResult() {
				continue
			}
			n := ceil(new(big.Rat).Mul(part, new(big.Rat).SetInt(BigInt(in.Amount().Raw))))
			list = append(list, Given{Amount: in.Coin.Of(sui.Raw(n.Uint64())), To: to})
		}
	}
	return list
}

// Portion is the share of an account's coin that goes to others.
type Portion struct {
	Coin Asset
	// Sum is the amount that the whole request gives to others. Now is the part in this transaction
	// that needs confirmation.
	Sum, Now Amount
	// Bps is Sum in basis points of the account's balance, at most 10,000. New is the same for
	// recipients that were never paid before.
	Bps, New int64
}

// Portions compares what a request gives to others with the account's balances. If an earlier step
// provides what this transaction pays, that payment is omitted. held returns a coin's reported
// balance; met reports whether an address was paid before.
func Portions(given []Given, held func(sui.CoinType) sui.Raw, met func(sui.Address) bool) (list []Portion) {
	given = slices.DeleteFunc(slices.Clone(given), func(g Given) bool {
		return g.Brought || slices.ContainsFunc(given, func(b Given) bool {
			return b.Brought && !g.Elsewhere && b.CoinType == g.CoinType && b.To == g.To
		})
	})
	for _, g := range given {
		coin := g.CoinType
		if slices.ContainsFunc(list, func(p Portion) bool { return p.Coin.CoinType == coin }) {
			continue
		}
		sum, fresh, now, had := new(big.Int), new(big.Int), new(big.Int), BigInt(held(coin))
		for _, other := range given {
			if other.CoinType != coin {
				continue
			}
			n := BigInt(other.Raw)
			sum.Add(sum, n)
			if !met(other.To) {
				fresh.Add(fresh, n)
			}
			if other.Done {
				had.Add(had, n)
			}
			if !other.Elsewhere {
				now.Add(now, n)
			}
		}
		list = append(list, Portion{Coin: g.Asset, Sum: g.Of(clipped(sum)), Now: g.Of(clipped(now)), Bps: bpsOf(sum, had),
			New: bpsOf(fresh, had)})
	}
	return list
}

// ShareBps returns an amount in basis points of a holding, rounded to the nearest and at most
// 10,000. It returns 0 if the amount is zero.
func ShareBps(amount, held sui.Raw) int64 { return bpsOf(BigInt(amount), BigInt(held)) }

func bpsOf(part, whole *big.Int) int64 {
	if part.Sign() <= 0 {
		return 0
	}
	//mutant:never ./internal/plan TestPortions
	if whole.Cmp(part) <= 0 {
		return wholeBps
	}
	n := new(big.Int).Mul(part, big.NewInt(2*wholeBps))
	return n.Add(n, whole).Div(n, new(big.Int).Lsh(whole, 1)).Int64()
}

func clipped(n *big.Int) sui.Raw {
	if !n.IsUint64() {
		return 1<<64 - 1
	}
	return sui.Raw(n.Uint64())
}
