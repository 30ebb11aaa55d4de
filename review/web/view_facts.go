package web

import (
	"fmt"
	"strings"

	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review"
)

// deal prints what leaves, what is guaranteed and what is expected.
func (l look) deal(f *review.Facts) *deal {
	if l.Session.State.Quote == nil {
		return l.plainDeal(f)
	}
	least, expected := amountOf(f.Minimum), amountOf(f.Expected)
	d := &deal{Least: &least, Expected: &expected, Where: ownAccount}
	if f.Recipient != l.Session.Account {
		d.Where = "in another account than yours"
	}
	if len(f.Spends) > 0 {
		gives := amountOf(f.Spends[0])
		d.Gives = &gives
		for _, more := range f.Spends[1:] {
			d.Also = append(d.Also, amountOf(more))
		}
	}
	d.Law = fmt.Sprintf("At least %s arrives, or nothing is swapped: all coins come back, or the transaction fails, and only gas is spent.", d.Least)
	if len(f.Spends) > 1 {
		d.Law += fmt.Sprintf(" Besides, at most %s leaves for the fee.", amountOf(f.Spends[1]))
	}
	q := l.Session.State.Quote
	if q == nil {
		return d
	}
	if q.EffectivePrice != "" {
		d.Price = spaced(whole(q.EffectivePrice)) + " " + whole(q.PriceUnit)
	}
	if used := spent(q); used.Raw < q.Input.Raw {
		traded := used
		if q.Fee.CoinType == q.Input.CoinType {
			traded = q.Input.Of(used.Raw - min(q.Fee.Raw, used.Raw))
		}
		d.GivesNote = fmt.Sprintf("%s in, %s traded, fee %s, %s comes back: the market trades in whole steps.", amountOf(q.Input),
			amountOf(traded), amountOf(q.Fee), amountOf(q.Unspent))
	}
	return d
}

// spent is what would be used of the input: the rest comes back.
func spent(q *review.QuoteEvidence) review.Amount {
	return q.Input.Of(q.Input.Raw - min(q.Unspent.Raw, q.Input.Raw))
}

// worst is the price at the guaranteed minimum, in the unit of the quote.
func worst(q *review.QuoteEvidence, least review.Amount) string {
	if q.Direction == "quote_to_base" {
		return rate(spent(q), least)
	}
	return rate(least, spent(q))
}

// details prints recipient, fees, gas and conditions.
func (l look) details(f *review.Facts) []line {
	s := l.Session
	recipient := line{Name: "Goes to", Address: f.Recipient.String(), Fact: "Goes to", Note: "not your connected account"}
	if f.Recipient == s.Account {
		recipient.Note = "your own account"
	}
	out := []line{recipient}
	if s.State.Quote == nil && (f.Recipient == s.Account || !l.ended()) {
		out = nil // nothing goes to an address, or it stands in full where the coins do
	}
	if q := s.State.Quote; q != nil {
		if q.Fee.Raw > 0 {
			note := "part of what leaves"
			if len(f.Spends) > 1 {
				note = "besides: at most " + amountOf(f.Spends[1]).String() + " leaves, the rest comes back"
			}
			out = append(out, line{Name: "Market fee", Value: amountOf(q.Fee).String(), Note: note, Fact: "Market fee"})
		} else {
			out = append(out, line{Name: "Market fee", Value: "none", Fact: "Market fee"})
		}
		out = append(out,
			line{Name: "Price limit", Value: review.Percent(q.MaxSlippageBps) + " below the quote", Note: "guaranteed: " + worst(q, f.Minimum)},
			line{Name: "Quote", Value: whole(q.Provider) + ", " + whole(q.Route), Note: "asked " + at(q.FetchedAt)})
	}
	out = append(out, line{Name: "Gas, at most", Value: amountOf(suiAsset.Of(f.Gas.Budget)).String(), Fact: "Gas, at most"})
	if sim := s.State.Simulation; sim != nil {
		out = append(out, line{Name: "Gas, estimated", Value: gas(sim.GasNet), Note: "by simulation"})
	}
	return append(out,
		line{Name: "Network", Value: s.Network},
		line{Name: "Usable until", Value: fmt.Sprintf("end of epoch %d", f.LastEpoch), Note: "after that the chain refuses it; on mainnet an epoch lasts a day"})
}

// gas prints what gas costs; a rebate that is larger is money back.
func gas(net sui.Delta) string {
	text := amountOf(suiAsset.Of(net.Amount)).String()
	if net.Negative {
		return text + " back"
	}
	return text
}

// balances prints holdings before and after, as simulated.
func (l look) balances() []balanceLine {
	var out []balanceLine
	if l.facts() == nil || l.Session.Status.Terminal() || l.Session.Status == review.SignedPendingResult {
		return out
	}
	for _, h := range l.Session.Holdings {
		out = append(out, balanceLine{
			Symbol: whole(h.Symbol), Before: spaced(string(h.Before.Decimal(h.Decimals))),
			After:  spaced(string(h.After.Decimal(h.Decimals))),
			Change: deltaOf(sui.DeltaOf(h.Before, h.After), h.Asset),
		})
	}
	return out
}

// technical prints the ids, for those who compare.
func (l look) technical(f *review.Facts) []line {
	out := []line{
		{Name: "Function", Value: whole(f.Function), Mono: true},
		{Name: "Package", Address: f.Package.String()},
	}
	switch {
	case f.RouteID.IsZero():
	case f.Route == "":
		out = append(out, line{Name: "Object", Address: f.RouteID.String()})
	default:
		out = append(out, line{Name: "Market " + whole(f.Route), Address: f.RouteID.String()})
	}
	for i, t := range f.TypeArgs {
		out = append(out, line{Name: fmt.Sprintf("Type %d", i+1), Value: whole(shortType(t)), Mono: true})
	}
	out = append(out, line{Name: "Gas price", Value: spaced(f.Gas.Price.String()) + " MIST"})
	if f.Gas.Owner != l.Session.Account {
		out = append(out, line{Name: "Gas paid by", Address: f.Gas.Owner.String()})
	}
	for _, p := range f.Gas.Payment {
		out = append(out, line{Name: "Gas coin", Address: p.ID.String(), Note: fmt.Sprintf("version %d", p.Version)})
	}
	return out
}

// names are what the drawing may call by name: ids that the facts, decoded from
// the same bytes, have established.
func (l look) names(f *review.Facts) map[sui.Address]string {
	names := map[sui.Address]string{
		sui.Clock:         "the chain's clock",
		f.Package:         whole(l.protocol()),
		l.Session.Account: "your account",
	}
	if !f.RouteID.IsZero() && f.Route != "" {
		names[f.RouteID] = "market " + whole(f.Route)
	}
	if id, err := sui.ParseAddress(termOf(f, review.TermManager)); err == nil {
		names[id] = "your balance manager"
	}
	for _, p := range f.Gas.Payment {
		names[p.ID] = "your gas coin"
	}
	return names
}

func (l look) protocol() string {
	if h := l.Session.State.HumanReview; h != nil && h.ProposedAction.Protocol != "" {
		return h.ProposedAction.Protocol
	}
	return l.Session.Protocol
}

// assets gives the coins whose decimals this review knows.
func (l look) assets() map[sui.CoinType]review.Asset {
	known := map[sui.CoinType]review.Asset{sui.SUI: suiAsset}
	for _, h := range l.Session.Holdings {
		known[h.CoinType] = h.Asset
	}
	if f := l.Session.Facts; f != nil {
		if f.Minimum.CoinType != "" {
			known[f.Minimum.CoinType] = f.Minimum.Asset
		}
		for _, a := range f.Spends {
			known[a.CoinType] = a.Asset
		}
	}
	return known
}

// shortType writes a coin type without the zeros in front of its address.
func shortType(t string) string {
	address, rest, ok := strings.Cut(t, "::")
	if a, err := sui.ParseAddress(address); ok && err == nil {
		return a.Short() + "::" + rest
	}
	return t
}

func tail(coin string) string {
	return whole(coin[strings.LastIndex(coin, ":")+1:])
}
