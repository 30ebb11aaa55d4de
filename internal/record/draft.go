package record

import (
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Draft is the review that Prepare would create from an intent. It is not stored.
type Draft struct {
	Session Session
	Promise plan.Promise // as far as it follows from the intent; none of an intent of several steps
	Makes   bool         // it makes an object that a later step may use
}

// Looked is the result of a first look at an action, before a page opens. It builds nothing, and
// the review checks everything again.
type Looked struct {
	Whole    bool // everything was looked at in time
	Blockers []plan.Blocker
	Expected *plan.QuoteEvidence // of an action at a price; nil if none was reported
	Outlook  plan.Outlook
	Promise  plan.Promise // what it promises, with the quote if there is one
	// Never is why the action cannot be carried out at present: the account holds less than would
	// leave it, even without gas.
	Never *plan.Stop
}

// LookedStep is a step that becomes a transaction of its own, as far as it is known before
// building.
type LookedStep struct {
	Session Session       // its draft; it need not be stored
	Promise plan.Promise  // none for a step that takes a result of unknown amount
	Most    []plan.Amount // maximum that may leave the account
	Result  sui.CoinType  // coin that the step returns; "" for none
}

// StepBlocker is a problem with a step, counted from 1; 0 means all steps.
type StepBlocker struct {
	Step int
	plan.Blocker
}
