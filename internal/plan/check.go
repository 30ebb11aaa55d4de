package plan

import (
	"cmp"
	"slices"
	"strings"
)

// CheckStatus is the result of a check.
type CheckStatus string

// The outcomes of a check.
const (
	CheckPass    CheckStatus = "pass"
	CheckWarning CheckStatus = "warning"
	CheckFail    CheckStatus = "fail"
)

// Sources of a check's facts.
const (
	SourceRegistry   = "registry"
	SourceQuote      = "quote"
	SourceWallet     = "wallet"
	SourceSimulation = "simulation"
	SourceAdapter    = "adapter"
	SourceNetwork    = "network"
	SourceProposal   = "proposal"
)

// CheckClass is what a check requires from the user.
type CheckClass string

// The classes, worst first.
const (
	ClassStop    CheckClass = "stop"    // blocks signing
	ClassCaution CheckClass = "caution" // specific to this transaction; the user should read it
	ClassNote    CheckClass = "note"    // information that is the same in many reviews
	ClassPass    CheckClass = "pass"
)

// Check is one checked condition, described for users. Do is the advice for the user; "" if there
// is nothing to do.
type Check struct {
	ID      string      `json:"id"`
	Label   string      `json:"label"`
	Status  CheckStatus `json:"status"`
	Message string      `json:"message"`
	Do      string      `json:"do,omitempty"`
	Source  string      `json:"source"`
	Rule    RuleID      `json:"rule,omitempty"` // the only rule that it covers, or ""
	Note    bool        `json:"note,omitempty"` // a warning that needs no caution
	// Accept identifies what the user must accept before signing, or "" if nothing. AcceptText is
	// the sentence to accept, including any number in it.
	Accept     string `json:"accept,omitempty"`
	AcceptText string `json:"acceptText,omitempty"`
}

// Class returns what the check requires from the user.
func (c Check) Class() CheckClass {
	switch {
	case c.Status == CheckFail:
		return ClassStop
	case c.Status == CheckWarning && !c.Note:
		return ClassCaution
	case c.Status == CheckWarning:
		return ClassNote
	}
	return ClassPass
}

// AsNote returns the check as a note: information that needs no caution.
func (c Check) AsNote() Check {
	c.Note = true
	return c
}

// CheckCompared names the other prices used for comparison. It is a note if there are none.
const CheckCompared = "price_compared"

// Prefixes of Accept ids that end in a number which the user has to type.
const (
	AcceptPrice = "price:" // followed by the percentage
	AcceptShare = "share:" // followed by a coin type, a colon and the amount
)

// Typed returns the number that a user has to type to accept the check, or "" if a tick is enough.
func (c Check) Typed() string {
	if !strings.HasPrefix(c.Accept, AcceptPrice) && !strings.HasPrefix(c.Accept, AcceptShare) {
		return ""
	}
	return c.Accept[strings.LastIndexByte(c.Accept, ':')+1:]
}

// MustAccept returns the check with the id of what the user must accept before signing, and the
// sentence next to the checkbox.
func (c Check) MustAccept(id, text string) Check {
	c.Accept, c.AcceptText = id, text
	return c
}

// Under returns the check with the rule that it applied.
func (c Check) Under(rule RuleID) Check {
	c.Rule = rule
	return c
}

// Pass returns a passed check.
func Pass(source, id, label, message string) Check {
	return Check{ID: id, Label: label, Status: CheckPass, Message: message, Source: source}
}

// Warn returns a warning.
func Warn(source, id, label, message, do string) Check {
	return Check{ID: id, Label: label, Status: CheckWarning, Message: message, Do: do, Source: source}
}

// Fail returns a failed check.
func Fail(source, id, label, message, do string) Check {
	return Check{ID: id, Label: label, Status: CheckFail, Message: message, Do: do, Source: source}
}

// WorstFirst returns the checks sorted by severity: failures, warnings, passes. Checks of the same
// severity keep their order.
func WorstFirst(checks []Check) []Check {
	rank := map[CheckStatus]int{CheckFail: 0, CheckWarning: 1, CheckPass: 2}
	out := slices.Clone(checks)
	slices.SortStableFunc(out, func(a, b Check) int { return cmp.Compare(rank[a.Status], rank[b.Status]) })
	return out
}

// Under sets the rule that was broken and returns the stop.
func (s *Stop) Under(rule RuleID) *Stop {
	s.Check.Rule = rule
	return s
}

// RuleID names one of the twenty rules for every built transaction, C01 to C20.
type RuleID string
