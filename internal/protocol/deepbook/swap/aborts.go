package swap

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review/plan"
)

// refusal is one abort that a swap of the pinned packages can meet, and what it
// means for the person. Since is the first package that has the code.
type refusal struct {
	module  string
	code    uint64
	since   uint64
	reason  plan.Reason
	message string
	do      string
}

const (
	again  = "Update for the present price."
	report = "This is a fault of Say Ur Intent; please report it."
	larger = "Check again; if it stays, choose a larger amount in a new review."
)

// refusals lists what a swap can meet, in the numbering of the pinned packages.
// Later packages number the codes of module pool otherwise, so a code is read
// only together with the package that was called.
var refusals = []refusal{
	{"pool", 6, 1, plan.AmountMismatch, "The pool was not given exactly one coin to swap.", report},
	{"pool", 11, 1, plan.QuoteUnavailable, "DeepBook switched off the package version that was called.",
		"Check again: an older admitted version is tried."},
	{"pool", 12, 1, plan.QuoteStale, "The price moved: the pool would now give less than the guaranteed minimum.",
		again},
	{"pool", 14, 1, plan.QuoteUnavailable, "The pool is not registered with DeepBook any more.",
		"Check again later, or prepare a new review of another pair of coins."},
	{"pool", 21, 8, plan.QuoteUnavailable, "DeepBook refuses the price of DEEP that the pool holds at present.",
		"Check again later; a new review with feeMode input does without it."},
	{"book", 1, 1, plan.AmountMismatch, "The pool was asked to swap an amount of nothing.", report},
	{"book", 2, 1, plan.QuoteUnavailable, "The pool has no live orders on one side, so it has no price at present.",
		"Check again later."},
	{"order_info", 0, 1, plan.QuoteUnavailable, "DeepBook refuses the price at which the swap would happen.", again},
	{"order_info", 1, 1, plan.QuoteStale, "The amount is below the least that the pool trades now.", larger},
	{"order_info", 2, 1, plan.QuoteStale, "The pool changed the steps in which it trades.", again},
	{"order_info", 8, 1, plan.QuoteUnavailable, "The swap would have met an order of its own.", again},
	{"deep_price", 2, 1, plan.QuoteUnavailable,
		"The pool has no price of DEEP at present, so its fee cannot be paid in DEEP.",
		"Check again later, or prepare a new review with feeMode input."},
}

// The abort whose meaning depends on the fee mode: a balance is too low.
var tooLow = [...]refusal{
	{"balance_manager", 3, 1, plan.AmountMismatch,
		"The amount does not quite cover the trade and its fee, because DeepBook rounds the " +
			"fee of the whole trade otherwise than that of its parts.",
		"Choose a slightly different amount in a new review."},
	{"balance_manager", 3, 1, plan.QuoteStale,
		"The DEEP that was attached does not cover the fee: the fee in DEEP rose since the quote, " +
			"or DeepBook adds a surcharge at present.",
		"Check again; if it stays, prepare a new review with feeMode input."},
}

// explain says what an abort of the called package means: by package, module
// and code. A code of it that is not known is said to be unknown; an abort of
// another package is left to the platform.
func (w *work) explain(a sui.MoveAbort) *plan.Stop {
	called := w.snapshot.Quote.Package
	// Nodes name the package that was called or the original one.
	if a.Package != called && a.Package != registry.OriginalPackage {
		return nil
	}
	stop := func(reason plan.Reason, message, do string) *plan.Stop {
		return &plan.Stop{Reason: reason, Check: plan.Fail(plan.SourceSimulation, prefix+"_swap_refused", "Swap",
			message, do)}
	}
	low := tooLow[0]
	if w.mode() == modeDeep {
		low = tooLow[1]
	}
	for _, r := range append(slices.Clone(refusals), low) {
		if r.module == a.Module && r.code == a.Code && r.since <= number(called) {
			return stop(r.reason, r.message, r.do)
		}
	}
	return stop(plan.ObjectResolutionFailed,
		fmt.Sprintf("DeepBook refused the swap for a reason that this program does not know (%s, code %d).",
			named(a.Module), a.Code), "Check again; if it stays, prepare a new review with another amount.")
}

// number returns the number of a pinned package, 0 for any other.
func number(id sui.ObjectID) uint64 {
	for _, p := range registry.Packages() {
		if p.ID == id {
			return p.Number
		}
	}
	return 0
}

// named shows a module's name that a node told, where it looks like one.
func named(module string) string {
	if module == "" || len(module) > 64 || strings.Trim(module, "abcdefghijklmnopqrstuvwxyz_0123456789") != "" {
		return "an unnamed module"
	}
	return "module " + module
}
