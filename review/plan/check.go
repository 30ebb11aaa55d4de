package plan

import (
	"cmp"
	"slices"
)

// CheckStatus is how a check came out.
type CheckStatus string

// The outcomes of a check.
const (
	CheckPass    CheckStatus = "pass"
	CheckWarning CheckStatus = "warning"
	CheckFail    CheckStatus = "fail"
)

// The sources of a check: what its fact rests on.
const (
	SourceRegistry   = "registry"
	SourceQuote      = "quote"
	SourceWallet     = "wallet"
	SourceSimulation = "simulation"
	SourceAdapter    = "adapter"
	SourceNetwork    = "network"
	SourceProposal   = "proposal"
)

// Check is one checked condition in plain words. Do is the advice for the person,
// empty where there is nothing to do.
type Check struct {
	ID      string      `json:"id"`
	Label   string      `json:"label"`
	Status  CheckStatus `json:"status"`
	Message string      `json:"message"`
	Do      string      `json:"do,omitempty"`
	Source  string      `json:"source"`
	Rule    RuleID      `json:"rule,omitempty"` // the rule that it judged, where it judged one alone
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

// WorstFirst orders checks: failures, warnings, passes; each in the order in
// which they were made.
func WorstFirst(checks []Check) []Check {
	rank := map[CheckStatus]int{CheckFail: 0, CheckWarning: 1, CheckPass: 2}
	out := slices.Clone(checks)
	slices.SortStableFunc(out, func(a, b Check) int { return cmp.Compare(rank[a.Status], rank[b.Status]) })
	return out
}

// Under returns the stop with the rule that was broken.
func (s *Stop) Under(rule RuleID) *Stop {
	s.Check.Rule = rule
	return s
}

// RuleID names one of the twenty rules for every built transaction, C01 to C20.
type RuleID string
