package swap

import (
	"math"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/protocol/venue"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// answer records the pool's quote in a step.
func (w *work) answer(d *plan.Step) {
	s := w.snapshot.Quote
	here().Leave(d, venue.Answer{Market: w.market(), Sells: w.direction == registry.BaseToQuote, RouteID: w.pool.ID,
		Function: s.Package.String() + "::" + s.Function, At: s.At, Mode: w.mode(), Fee: w.feeAmount(), Out: s.Out,
		Unspent: s.Unspent, Traded: w.spent(), Digits: max(w.pool.PriceDecimals(), 6)})
	venue.Say(d.Quote, w.flow(d.Quote), w.withFee(), unknowable)
}

// unknowable states what a quote cannot predict.
const unknowable = "Orders can expire, be filled or be withdrawn before your transaction runs, and an order that " +
	"you placed yourself " +
	"is matched like any other: neither can be known here. The minimum is still guaranteed."

// withFee states whether the effective price includes the fee.
func (w *work) withFee() string {
	switch w.mode() {
	case modeNone:
		return "there is no fee"
	case modeDeep:
		return "without the fee in DEEP"
	}
	return "fee included"
}

// spent returns the part of the input that the pool would take, including its fee.
func (w *work) spent() sui.Raw { return w.snapshot.Quote.Used }

// fee returns the part of the spent amount that the pool keeps.
func (w *work) fee() sui.Raw {
	if w.mode() != modeInput {
		return 0
	}
	return w.snapshot.Parameters.InputFee(w.spent(), w.direction)
}

// flow describes where the input goes, as in "10.05 SUI in: 10 SUI traded, …".
func (w *work) flow(q *plan.QuoteEvidence) string {
	text := q.Input.String() + " in: " + w.plan.Input().Of(w.spent()-w.fee()).String() + " traded"
	if q.FeeMode == modeInput {
		text += ", " + w.feeWords(q) + " as DeepBook's fee"
	}
	if q.Unspent.Raw > 0 {
		text += ", " + q.Unspent.String() + " returned"
	}
	if q.FeeMode == modeDeep {
		text += "; the fee, " + q.Fee.String() + ", is paid in addition"
	}
	return text + "."
}

// feeWords formats the fee. It adds "about" unless the fee is exact. For a sale in large lots it is
// exact, because the pool trades whole lots and the fee is the rest of the spent input.
func (w *work) feeWords(q *plan.QuoteEvidence) string {
	if w.direction == registry.BaseToQuote && w.snapshot.Parameters.Lot > deepbook.FeeUnits {
		return q.Fee.String()
	}
	return "about " + q.Fee.String()
}

// market returns the state of the pool when the quote was read.
func (w *work) market() plan.Market {
	return plan.Market{Venue: here().Label, Pool: w.pool.Key, Base: venue.Asset(w.pool.Base),
		Quote:  venue.Asset(w.pool.Quote),
		ReadAt: w.snapshot.Quote.At}.Priced(w.pool.PriceDecimals(), w.snapshot.Mid, w.snapshot.Bid, w.snapshot.Ask)
}

// lotCheck reports the part of the input that is returned, and why: it is less than a lot, or the book
// is too thin. It returns nil if nothing is returned.
func (w *work) lotCheck(q *plan.QuoteEvidence) *plan.Check {
	if q.Unspent.Raw == 0 {
		return nil
	}
	base := venue.Asset(w.pool.Base)
	message := w.flow(q) + " The pool trades in steps of " + base.Of(w.snapshot.Parameters.Lot).String() + "."
	do := ""
	if uint64(q.Unspent.Raw) > w.lotInput() {
		message = "The book is too thin for all of it: " + w.flow(q) +
			" What is expected and guaranteed is for the part that is traded."
		do = "If you want all of it swapped, choose a smaller amount now and the rest later."
	}
	c := plan.Warn(plan.SourceQuote, prefix+"_unspent_input", "Unspent part", message, do)
	if do == "" {
		c = c.AsNote()
	}
	return &c
}

// lotInput returns the approximate maximum input that can remain because it is less than one lot. It
// adds a tenth for the fee, and for a last price that is worse than the average.
func (w *work) lotInput() uint64 {
	lot := uint64(w.snapshot.Parameters.Lot)
	if w.direction == registry.QuoteToBase {
		lot = min(deepbook.MulDiv(uint64(w.spent()), lot, uint64(w.snapshot.Quote.Out)), math.MaxUint64-1) + 1
	}
	return deepbook.MulDiv(lot, 11, 10)
}
