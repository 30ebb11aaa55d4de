package venue

import (
	"math/big"
	"slices"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Answer is what a pool would do with the amount of a plan.
type Answer struct {
	Market   plan.Market // the pool's, as it was read with the answer
	Sells    bool        // the market's base coin is paid
	RouteID  sui.ObjectID
	Function string // package::module::function that was simulated
	At       time.Time
	Mode     string // how the fee is paid
	Fee      plan.Amount
	Out      sui.Raw
	Unspent  sui.Raw // the part of what is paid that would come back
	Traded   sui.Raw // what is paid and does not come back
	Digits   uint8   // of the effective price
}

// Leave leaves the answer in a step as the evidence of its quote and the state of its
// market.
func (v Venue) Leave(d *plan.Step, a Answer) {
	in, out := d.Plan.Input(), d.Plan.Output()
	q := &plan.QuoteEvidence{
		Provider: v.Protocol, Route: a.Market.Pool, RouteID: a.RouteID.String(), Direction: "quote_to_base",
		FeeMode:            a.Mode,
		SourceMoveFunction: a.Function, FetchedAt: a.At, MaxSlippageBps: d.Plan.MaxSlippageBps,
		Input: in, Unspent: in.Of(a.Unspent), Expected: out.Of(a.Out), Minimum: out.Of(0), Fee: a.Fee,
		MidPrice: string(a.Market.Middle), PriceUnit: a.Market.Quote.Symbol + " per " + a.Market.Base.Symbol,
	}
	base, quote := q.Expected, in.Of(a.Traded)
	if a.Sells {
		q.Direction, base, quote = "base_to_quote", quote, base
	}
	q.EffectivePrice = plan.PriceOf(base, quote, a.Digits)
	d.Quote, d.Outlook.Market = q, &a.Market
}

// Say adds the words of the quote: the outcome of what is paid, the effective price, which fees it
// counts, and what no quote can tell.
func Say(q *plan.QuoteEvidence, paid, fees, unknown string) {
	q.Sentences = []string{paid, "Effective price, " + fees + ": " + q.EffectivePrice + " " + q.PriceUnit + ".",
		unknown}
}

// MostMove is by how many basis points a trade may move a price that is to be a
// reference.
const MostMove = 100

// Steady reports whether a trade fits the price of its market and hardly moves it.
func Steady(m plan.Market, t plan.Traded) bool {
	trade, ok := m.Against(t, t)
	//mutant:never `trade.ImpactBps > MostMove` ./internal/protocol/deepbook/swap TestReferencePrice
	if !ok || trade.ImpactBps > MostMove {
		return false
	}
	return true
}

// Probe is a trade that a pool would carry out, and its liquidity.
type Probe struct {
	Market    plan.Market
	Traded    plan.Traded
	Liquidity *big.Int
}

// Deepest returns the price of the pool with most liquidity, of those that the trade hardly moves.
func (v Venue) Deepest(in plan.Asset, pools []Probe) (plan.Reference, error) {
	none := func(text string) error { return fault.New(fault.QuoteUnavailable, text, v.Label) }
	pools = slices.DeleteFunc(pools, func(p Probe) bool { return !Steady(p.Market, p.Traded) })
	if len(pools) == 0 {
		return plan.Reference{}, none("No %s pool of this pair is deep enough for this amount to tell a price.")
	}
	deepest := slices.MaxFunc(pools, func(a, b Probe) int { return a.Liquidity.Cmp(b.Liquidity) })
	price, ok := deepest.Market.Reference(in)
	if !ok {
		return plan.Reference{}, none("%s's pool of this pair reports no price.")
	}
	return price, nil
}

// Share returns a fee of rate in so many parts of an amount, rounded down.
func Share(in plan.Amount, rate, parts uint64) plan.Amount {
	n := plan.BigInt(in.Raw)
	n.Mul(n, plan.BigInt(sui.Raw(rate))).Quo(n, plan.BigInt(sui.Raw(parts)))
	return in.Of(sui.Raw(n.Uint64()))
}

// NoQuote returns the stop for a swap that the venue cannot quote.
func (v Venue) NoQuote(message, do string) *plan.Stop {
	return &plan.Stop{Reason: plan.QuoteUnavailable,
		Check: plan.Fail(plan.SourceQuote, v.Prefix+"_quote_source_failed", "Quote", message, do)}
}

// Refused returns the stop for a swap that a call refuses.
func (v Venue) Refused(reason plan.Reason, message, do string) *plan.Stop {
	return &plan.Stop{Reason: reason,
		Check: plan.Fail(plan.SourceSimulation, v.Prefix+"_swap_refused", "Swap", message, do)}
}
