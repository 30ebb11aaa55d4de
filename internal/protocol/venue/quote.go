package venue

import (
	"math/big"
	"slices"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Answer is a pool's quote for the amount of a plan.
type Answer struct {
	Market   plan.Market // the pool's state in the same read
	Sells    bool        // whether the market's base coin is paid
	RouteID  sui.ObjectID
	Function string // package::module::function that was simulated
	At       time.Time
	Mode     string // the fee mode
	Fee      plan.Amount
	Out      sui.Raw
	Unspent  sui.Raw // the part of the input that is returned
	Traded   sui.Raw // the part of the input that is not returned
	Digits   uint8   // significant digits of the effective price
}

// Leave records the answer in a step: the evidence of its quote, and the state of its market.
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

// Say adds the sentences of the quote. paid describes the use of the input, fees states which fees the
// effective price includes, and unknown states what a quote cannot predict.
func Say(q *plan.QuoteEvidence, paid, fees, unknown string) {
	q.Sentences = []string{paid, "Effective price, " + fees + ": " + q.EffectivePrice + " " + q.PriceUnit + ".",
		unknown}
}

// MostMove is the maximum price impact, in basis points, of a trade whose price serves as a reference.
const MostMove = 100

// Steady reports whether a trade is consistent with its market's price and moves it by at most
// MostMove.
func Steady(m plan.Market, t plan.Traded) bool {
	trade, ok := m.Against(t, t)
	//mutant:never `trade.ImpactBps > MostMove` ./internal/protocol/deepbook/swap TestReferencePrice
	if !ok || trade.ImpactBps > MostMove {
		return false
	}
	return true
}

// Probe is a trade that a pool would execute, with the pool's state and liquidity.
type Probe struct {
	Market    plan.Market
	Traded    plan.Traded
	Liquidity *big.Int
}

// Deepest returns the price of the pool with the most liquidity, among those whose price the trade
// hardly moves.
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

// Share returns rate/parts of an amount, rounded down.
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

// Refused returns the stop for a swap that would abort.
func (v Venue) Refused(reason plan.Reason, message, do string) *plan.Stop {
	return &plan.Stop{Reason: reason,
		Check: plan.Fail(plan.SourceSimulation, v.Prefix+"_swap_refused", "Swap", message, do)}
}
