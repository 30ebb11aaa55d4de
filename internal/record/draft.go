package record

import (
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Draft is the review that Prepare would create from an intent. It is not stored.
type Draft struct {
	Session Session
	Promise plan.Promise // as far as it follows from the intent; empty for an intent with several steps
	Makes   bool         // it creates an object that a later step may use
}

// Looked is the result of an action's preflight, before a page opens. A preflight builds nothing,
// and the review checks everything again.
type Looked struct {
	Whole    bool // everything was checked in time
	Blockers []plan.Blocker
	Expected *plan.QuoteEvidence // for an action at a price; nil if none was reported
	Outlook  plan.Outlook
	Promise  plan.Promise // includes the quote if there is one
	// Never explains why the action is impossible now: the account holds less than would leave it,
	// even without gas.
	Never *plan.Stop
}

// LookedStep is a step that becomes a separate transaction, as far as it is known before building.
type LookedStep struct {
	Session Session       // draft of the step; it need not be stored
	Promise plan.Promise  // empty for a step that takes a result of unknown amount
	Most    []plan.Amount // maximum that may leave the account
	Result  sui.CoinType  // coin that the step returns; "" for none
}

// StepBlocker is a problem with a step, counted from 1; 0 means all steps.
type StepBlocker struct {
	Step int
	plan.Blocker
}
