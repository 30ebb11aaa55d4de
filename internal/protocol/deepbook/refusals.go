package deepbook

import (
	"slices"

	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Use is a way of using DeepBook. The same abort can have different meanings for different uses.
type Use uint8

// Uses. A row of the table may apply to several of them.
const (
	ForRead Use = 1 << iota
	ForManager
	ForSwap       // a swap with the fee in the coin that is paid
	ForSwapInDeep // a swap with the fee in DEEP
	forSwaps      = ForSwap | ForSwapInDeep
)

// Refusal is an abort of the pinned packages and its meaning for a user. Message may begin with "The
// pool". Reason is the text of a plan.Reason, or "" for reads.
type Refusal struct {
	place
	since           uint64 // number of the first package that has the code
	uses            Use
	Reason          string
	Message, Advice string
}

// Short reports whether the abort means that the pool would pay less than the guaranteed minimum.
func (r Refusal) Short() bool { return r.place == belowMinimum }

// Reasons of refusals, as plan.Reason names them.
const (
	amountMismatch   = "amount_mismatch"
	insufficient     = "insufficient_balance"
	unresolved       = "object_resolution_failed"
	quoteStale       = "quote_stale"
	quoteUnavailable = "quote_unavailable"
	unsupported      = "unsupported_action"
)

const (
	adviceUpdate = "Update for the current price."
	adviceReport = "This is a bug in Say Ur Intent; please report it."
	adviceRight  = "Prepare a new review with the right manager."
)

// refusals lists every abort with a known meaning, using the codes of the pinned packages. Later
// packages number the codes of module pool differently.
var refusals = []Refusal{
	{place{"pool", 6}, 1, ForRead, "", "The pool was asked for a quote of two coins at once.", ""},
	{place{"pool", 6}, 1, forSwaps, amountMismatch, "The pool was not given exactly one coin to swap.", adviceReport},
	{place{"pool", 9}, 1, ForManager, unresolved, "The order belongs to another balance manager.", adviceRight},
	{packageDisabled, 1, ForManager | forSwaps, quoteUnavailable,
		"DeepBook disabled the package version that was called.",
		"Check again: an older admitted version is tried."},
	{belowMinimum, 1, forSwaps, quoteStale, "The price moved: the pool would now give less than the guaranteed minimum.",
		adviceUpdate},
	{place{"pool", 14}, 1, ForRead | forSwaps, quoteUnavailable, "The pool is no longer registered with DeepBook.",
		"Check again later, or ask for another pair of coins."},
	{place{"pool", 21}, 8, forSwaps, quoteUnavailable,
		"DeepBook rejects the pool's current price of DEEP.",
		"Check again later, or use feeMode input in a new review."},
	{place{"pool", 21}, 8, ForManager, quoteUnavailable, noDeepPrice, adviceInput},
	{place{"deep_price", 2}, 1, ForRead | ForManager | forSwaps, quoteUnavailable, noDeepPrice, adviceInput},
	{place{"book", 1}, 1, ForRead, "", "The pool was asked for a quote of nothing.", ""},
	{place{"book", 1}, 1, forSwaps, amountMismatch, "The pool was asked to swap an amount of nothing.", adviceReport},
	{emptyBook, 1, ForRead | forSwaps, quoteUnavailable,
		"The pool has no live orders on one side, so it has no price now.",
		"Check again later."},
	{place{"order_info", 0}, 1, forSwaps, quoteUnavailable,
		"DeepBook rejects the price at which the swap would happen.", adviceUpdate},
	{place{"order_info", 1}, 1, forSwaps, quoteStale, "The amount is below the pool's current minimum.",
		"Check again. If it fails again, choose a larger amount in a new review."},
	{place{"order_info", 2}, 1, forSwaps, quoteStale, "The pool changed the steps in which it trades.", adviceUpdate},
	{place{"order_info", 3}, 1, ForManager, amountMismatch, "The order would already be expired.",
		"Prepare a new review with a later time."},
	{place{"order_info", 5}, 1, ForManager, quoteStale, "The order would trade immediately, which it must not.",
		"Prepare a new review with another price, or without postOnly."},
	{place{"order_info", 8}, 1, forSwaps, quoteUnavailable, "The swap would have matched an order of its own.",
		adviceUpdate},
	{place{"state", 2}, 1, ForManager, unsupported,
		"The balance manager has 100 open orders in this market, which is the maximum.",
		"Cancel one first."},
	{place{"big_vector", 5}, 1, ForManager, unresolved,
		"The order is no longer in the book: it was filled, cancelled, or removed after it expired.",
		"Look at the open orders again."},
	{place{"balance_manager", 0}, 1, ForManager, unresolved,
		"DeepBook reports that the balance manager belongs to another account.",
		"Prepare a new review with a manager of this account."},
	{place{"balance_manager", 3}, 1, ForManager, insufficient,
		"The balance manager holds less than this takes, including its fee.",
		"Deposit more, or prepare a new review of a smaller amount."},
	{place{"balance_manager", 3}, 1, ForSwap, amountMismatch,
		"The amount does not quite cover the trade and its fee, because DeepBook " +
			"rounds the fee of the whole trade differently from those of its parts.",
		"Choose a slightly different amount in a new review."},
	{place{"balance_manager", 3}, 1, ForSwapInDeep, quoteStale,
		"The DEEP that was attached does not cover the fee: the fee in DEEP rose " +
			"since the quote, or DeepBook adds a surcharge now.",
		"Check again. If it fails again, prepare a new review with feeMode input."},
}

// Texts for a pool without a DEEP price. Orders use them too, because they check the price before
// building anything.
const (
	noDeepPrice = "The pool has no price of DEEP now, so its fee cannot be taken in DEEP."
	adviceInput = "Use feeMode input: then the coin that is paid also pays the fee."
)

// NoDeepPrice returns the message and advice for a pool without a DEEP price.
func NoDeepPrice() (message, advice string) { return noDeepPrice, adviceInput }

// Meaning returns the meaning of an abort of the called package for a use. It returns false if the
// abort is unknown.
func Meaning(a sui.MoveAbort, called sui.ObjectID, use Use) (Refusal, bool) {
	number := Number(called)
	i := slices.IndexFunc(refusals, func(r Refusal) bool {
		return r.uses&use != 0 && r.since <= number && isAt(&a, called, r.place)
	})
	if i < 0 {
		return Refusal{}, false
	}
	return refusals[i], true
}

// Number returns the number of a pinned package, or 0 for any other.
func Number(id sui.ObjectID) uint64 {
	for _, p := range registry.Packages() {
		if p.ID == id {
			return p.Number
		}
	}
	return 0
}
