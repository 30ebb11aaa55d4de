package swap

import (
	"math"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/venue"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Fee modes of a review: the two that a user can request, and none for a pool without a fee.
const (
	modeInput = venue.ModeInput
	modeDeep  = "deep"
	modeNone  = "none"
)

// toInput is the advice for an account without DEEP. There is no automatic fallback, because the user
// agreed to one way of paying.
const toInput = "Prepare a new review with feeMode input, which takes the fee from the coin that you pay and needs " +
	"no DEEP; " +
	"or get DEEP and check again."

// asked returns the fee mode in which the quote is requested.
func (w *work) asked() deepbook.FeeMode {
	if w.plan.FeeMode == modeDeep {
		return deepbook.FeeDeep
	}
	return deepbook.FeeInput
}

// mode returns the requested fee mode, or none if the pool charges no fee.
func (w *work) mode() string {
	if w.snapshot.Parameters.TakerFee == 0 {
		return modeNone
	}
	return w.plan.FeeMode
}

// deepCoin returns DEEP from the pinned registry.
func deepCoin() plan.Asset {
	c, _ := coins.ByType(coins.DEEP)
	return venue.Asset(c)
}

// attached returns how much DEEP is sent with the swap: the quote's requirement plus five percent,
// because a better price also increases the fee in DEEP. The same transaction returns the rest.
func attached(required sui.Raw) sui.Raw {
	more := required/20 + 1
	if required > math.MaxUint64-more {
		return math.MaxUint64
	}
	return required + more
}

// wantFee requests DEEP for the fee if the fee mode is DEEP. It returns a stop if the pool cannot take
// the fee in DEEP.
func (w *work) wantFee(d *plan.Step) error {
	if w.mode() != modeDeep {
		return nil
	}
	stop := func(reason plan.Reason, message string) error {
		return &plan.Stop{Reason: reason, Check: plan.Fail(plan.SourceQuote, prefix+"_fee_mode", "Fee", message,
			"Prepare a new review with feeMode input.")}
	}
	if w.pool.Base.Type == coins.DEEP || w.pool.Quote.Type == coins.DEEP {
		return stop(plan.UnsupportedAction,
			"The pool "+w.pool.Key+" trades DEEP itself and takes a fee; there a fee in DEEP "+
				"could not be distinguished from what is swapped.")
	}
	required := w.snapshot.Quote.DeepRequired
	if required == 0 {
		// Attaching DEEP would not help: without a DEEP price, the pool takes the fee from the input
		// anyway, at the higher rate.
		return stop(plan.QuoteUnavailable,
			"The pool "+w.pool.Key+" counts no fee in DEEP for this amount, although it takes one: "+
				"its price of DEEP is missing or the amount is too small.")
	}
	d.Needs = append(d.Needs, plan.CoinRequest{Role: plan.RoleFee, Amount: deepCoin().Of(attached(required)),
		Otherwise: toInput})
	return nil
}

// feeAmount returns the quote's fee. The quote reports a fee in DEEP exactly. Otherwise, the fee is
// the part of the input that is spent but not traded.
func (w *work) feeAmount() plan.Amount {
	if w.mode() == modeDeep {
		return deepCoin().Of(w.snapshot.Quote.DeepRequired)
	}
	return w.plan.Input().Of(w.fee())
}

// feeCheck returns the check that states the fee mode.
func (w *work) feeCheck(q *plan.QuoteEvidence) plan.Check {
	message := "Fee mode input: DeepBook's fee, " + w.feeWords(q) +
		", is taken from the coin that you pay; no DEEP is needed."
	switch q.FeeMode {
	case modeNone:
		message = "Fee mode none: this pool takes no fee, and no DEEP is needed."
	case modeDeep:
		message = "Fee mode deep: DeepBook's fee, " + q.Fee.String() +
			" by the quote, is paid in DEEP in addition to what you swap. At most " +
			deepCoin().Of(attached(q.Fee.Raw)).String() + " can leave for it; the rest comes back."
	}
	return plan.Pass(plan.SourceQuote, prefix+"_fee_mode", "Fee", message)
}

// planNote returns a note on how the fee will be paid, before any quote.
func planNote(mode, from string) plan.Check {
	message := "This review takes DeepBook's fee from " + from + " (fee mode input)."
	if mode == modeDeep {
		message = "This review pays DeepBook's fee in DEEP in addition to " + from +
			" (fee mode deep). The account must hold that DEEP."
	}
	return plan.Warn(plan.SourceAdapter, prefix+"_fee_mode", "Fee mode", message, "").AsNote()
}
