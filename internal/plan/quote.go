package plan

import (
	"math"
	"math/big"
	"time"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// Reading is a value that a node reported about the venue and that the review relies on, such as
// "taker fee". Moves means that trades can change it at any time; otherwise only the venue's
// administrator can.
type Reading struct {
	Name  string
	Value string
	Moves bool
}

// QuoteEvidence is a protocol's quote for an amount and the minimum derived from it. Amounts are
// raw; prices are exact decimals.
type QuoteEvidence struct {
	Provider           string    `json:"provider"`           // protocol name
	Route              string    `json:"route"`              // pool key of the registry
	RouteID            string    `json:"routeId"`            // object id of the pool
	Direction          string    `json:"direction"`          // base_to_quote or quote_to_base
	FeeMode            string    `json:"feeMode"`            // input, deep or none
	SourceMoveFunction string    `json:"sourceMoveFunction"` // package::module::function that was simulated
	FetchedAt          time.Time `json:"fetchedAt"`          // when this machine received the quote
	ExpiresAt          time.Time `json:"expiresAt"`          // FetchedAt plus the maximum age of a quote
	MaxSlippageBps     int       `json:"maxSlippageBps"`
	Input              Amount    `json:"input"`    // maximum that would leave
	Unspent            Amount    `json:"unspent"`  // part of Input that would come back
	Expected           Amount    `json:"expected"` // reported by the protocol
	Minimum            Amount    `json:"minimum"`  // zero until the policy is derived
	// Fee is the protocol's fee: part of the input, or DEEP in addition to it if feeMode is deep.
	Fee            Amount   `json:"fee"`
	MidPrice       string   `json:"midPrice,omitempty"`
	EffectivePrice string   `json:"effectivePrice,omitempty"` // rounded down, in PriceUnit
	PriceUnit      string   `json:"priceUnit,omitempty"`      // as in "USDC per SUI"
	Sentences      []string `json:"sentences"`                // plain words about this quote
}

// DeriveMinimum sets the quote's minimum from the expected amount and the allowed slippage, and the
// swap's promise. A quote that is too old or leaves nothing to guarantee stops the review. Adapters
// call it in the stage that derives the policy.
func (d *Step) DeriveMinimum(prefix string) error {
	q := d.Quote
	q.MaxSlippageBps, q.ExpiresAt = d.Plan.MaxSlippageBps, q.FetchedAt.Add(d.QuoteAge)
	q.Minimum = q.Expected.Of(MinimumOut(q.Expected.Raw, d.Plan.MaxSlippageBps))
	if stop := Stale(prefix, q, d); stop != nil {
		return stop
	}
	if q.Minimum.Raw == 0 {
		return &Stop{Reason: QuoteUnavailable, Check: Fail(SourceQuote, prefix+"_quote_policy_refresh_required",
			"Guaranteed minimum",
			"The quote is so small that no minimum could be guaranteed.", "Choose a larger amount in a new review.")}
	}
	var leaves []Amount
	for _, n := range d.Needs {
		leaves = append(leaves, n.Amount)
	}
	d.Promise = SwapPromise(leaves, q.Minimum)
	d.Check(Pass(SourceQuote, prefix+"_quote_policy", "Guaranteed minimum", arrivesOrNothing(q.Minimum)))
	d.compareSwap()
	return nil
}

// compareSwap compares the swap with the mid price that was read with its quote, if there is one.
func (d *Step) compareSwap() {
	m, q := d.Outlook.Market, d.Quote
	if m == nil || q.Unspent.Raw > q.Input.Raw {
		return
	}
	paid := q.Input.Of(q.Input.Raw - q.Unspent.Raw)
	if t, ok := m.Against(Traded{paid, q.Fee, q.Minimum}, Traded{paid, q.Fee, q.Expected}); ok {
		d.Outlook.Trade = t
	}
}

// arrivesOrNothing returns the guarantee of every swap, which pages, answers and receipts repeat.
func arrivesOrNothing(least Amount) string {
	return "At least " + least.String() + " arrives, or nothing is swapped and only gas is spent."
}

// Stale returns a stop if the quote is too old, or nil.
func Stale(prefix string, q *QuoteEvidence, d *Step) *Stop {
	if q == nil || d.Now().Sub(q.FetchedAt) <= d.QuoteAge {
		return nil
	}
	return &Stop{Reason: QuoteStale, Check: Fail(SourceQuote, prefix+"_quote_stale", "Quote age",
		"The quote is older than "+d.QuoteAge.String()+".", "Update for the present price.")}
}

// MinimumOut returns floor(out × (10000 − bps) / 10000): the minimum that may arrive when out is
// expected and bps basis points of slippage are allowed. bps outside 0..10000 returns 0.
func MinimumOut(out sui.Raw, bps int) sui.Raw {
	if bps < 0 || bps > 10000 {
		return 0
	}
	n := BigInt(out)
	n.Mul(n, big.NewInt(int64(10000-bps)))
	return sui.Raw(n.Div(n, big.NewInt(10000)).Uint64())
}

// AddSaturating adds without overflow: a larger sum becomes the largest number.
func AddSaturating(a, b uint64) uint64 {
	if a > math.MaxUint64-b {
		return math.MaxUint64
	}
	return a + b
}

// MultiplySaturating multiplies without overflow: a larger product becomes the largest
// number.
func MultiplySaturating(a, b uint64) uint64 {
	if b != 0 && a > math.MaxUint64/b {
		return math.MaxUint64
	}
	return a * b
}

// PriceLimit has the worst price that an order may trade at and the market's mid price as reported
// by a node. Both are raw, in the same units of quote coins per base coin. Middle is 0 if the node
// reports none. Text is Middle in display form.
type PriceLimit struct {
	Buys          bool // the base coin
	Price, Middle sui.Raw
	Text          string
}

// BigInt returns raw units as a big.Int.
func BigInt(r sui.Raw) *big.Int { return new(big.Int).SetUint64(uint64(r)) }

// Worse returns by how many basis points, rounded up, the limit is worse than the mid price for
// whoever places the order; a negative result is better.
func (l PriceLimit) Worse() *big.Int {
	lost := new(big.Int).Sub(BigInt(l.Middle), BigInt(l.Price))
	if l.Buys {
		lost.Neg(lost)
	}
	middle := BigInt(l.Middle)
	lost.Mul(lost, big.NewInt(10_000)).Add(lost, middle).Sub(lost, big.NewInt(1))
	return lost.Div(lost, middle)
}
