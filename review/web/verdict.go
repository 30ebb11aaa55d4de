package web

import (
	"fmt"
	"slices"

	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/web/words"
	"github.com/sayurintent/sayurintent/review/plan"
)

// verdict is the one line below the headline that says what the checks came to.
type verdict struct{ Tone, Text string }

// checkLine is one check in words. Accept is the id of what the person has to accept
// before it can be signed, AcceptText the sentence that they accept.
type checkLine struct {
	Class, Label, Message, Do, Accept, AcceptText string
	Typed                                         bool // a figure is typed, not ticked
}

// checkBeside is the check of other transactions that can still execute: the page
// describes each of them where the person chooses between them.
const checkBeside = "open_release"

// check sorts the checks by what they ask of the person, and says the verdict. What
// stands elsewhere on the page is not repeated.
func (v *view) check(l look) {
	s := l.Session
	switch v.Stage {
	case stageOpening, stageWork, stageSuccess, stageExpired:
		return
	}
	things := 0
	for i, c := range s.State.Checks {
		one := l.checkLine(c)
		switch c.Class() {
		case plan.ClassStop:
			if i > 0 || !v.stopped() {
				v.Open = append(v.Open, one)
			}
		case plan.ClassCaution:
			if c.ID == checkBeside && v.Beside != nil {
				continue
			}
			things++
			if c.ID != checkPayee || v.Deal == nil || v.Deal.Payee == nil {
				v.Open = append(v.Open, one)
			}
		case plan.ClassNote:
			v.Notes, v.Folded = append(v.Notes, one), append(v.Folded, one)
		default:
			v.Folded = append(v.Folded, one)
		}
	}
	if v.Stage == stageReady {
		v.Verdict = v.judged(l, things)
	}
}

// stopped reports whether the page says in its own words why nothing can be signed.
func (v *view) stopped() bool { return v.Stage == stageBlocked || v.Stage == stageRefresh }

// judged is the verdict of a review that is ready, with so many cautions.
func (v *view) judged(l look, things int) *verdict {
	if v.OpenedTwice {
		things++
	}
	if v.Apart != nil {
		things++
	}
	if v.Beside != nil {
		things += len(v.Beside.Open)
	}
	switch {
	case v.Changed != "":
		return &verdict{"bad", "Do not sign: your wallet signed something else before."}
	case repeated(l.Beside):
		return &verdict{"bad", "Do not sign: exactly this transaction was handed to your wallet already."}
	case barred(l.Beside):
		return &verdict{"warn", "Not yet: another transaction has to be over first."}
	case things == 1:
		return &verdict{"warn", "1 thing to look at"}
	case things > 1:
		return &verdict{"warn", fmt.Sprintf("%d things to look at", things)}
	}
	//mutant:never ./review/web TestVerdictOfThePrice
	if slices.ContainsFunc(l.Session.State.Checks, func(c plan.Check) bool {
		return c.ID == plan.CheckCompared &&
			c.Status != plan.CheckPass
	}) {
		return &verdict{"warn", "Price not compared with anything outside this market"}
	}
	return &verdict{"good", "No problems found"}
}

func (l look) checkLine(c plan.Check) checkLine {
	line := checkLine{Class: string(c.Class()), Label: words.Whole(c.Label), Message: l.brieflyOf(c.Message),
		Do: l.brieflyOf(c.Do)}
	if l.stage() == stageReady && !repeated(l.Beside) && !barred(l.Beside) {
		line.Accept, line.AcceptText, line.Typed = c.Accept, l.brieflyOf(c.AcceptText), c.Typed() != ""
	}
	return line
}

// brieflyOf is a text that is fit to be shown, with the addresses in short that the
// page shows in full.
func (l look) brieflyOf(text string) string {
	full := []sui.Address{}
	if f := l.facts(); f != nil {
		full = append(full, l.Session.Account, f.Promise().Payee())
		for _, s := range f.Steps {
			if s.Holder != nil && !s.Holder.New() {
				full = append(full, s.Holder.ID)
			}
		}
	}
	return shortened(words.Whole(text), full...)
}

// helped reports whether computing the review again can help where it is blocked: where
// coins, limits, prices or accounts, which can have changed, were the cause.
func (l look) helped() bool {
	cause := first(l.Session.State.Checks)
	switch l.Session.Reason {
	case plan.InsufficientBalance, plan.InsufficientGas, plan.NetworkMismatch, plan.ObjectResolutionFailed, plan.EffectsMismatch:
		return true
	case plan.AllowlistViolation:
		return limited(cause)
	case plan.AmountMismatch:
		return cause.Rule == rulePrice
	case plan.WalletMismatch:
		return cause.ID == checkAccount
	}
	return false
}

// first is the check that matters most, the zero Check where there is none.
func first(checks []plan.Check) plan.Check {
	if len(checks) == 0 {
		return plan.Check{}
	}
	return checks[0]
}

// rulePrice is the rule that compares a price with the market's, and checkAccount the
// check that the account in use is the review's.
const (
	rulePrice    = plan.RuleID("C04")
	checkAccount = "wallet_account"
)

// limited reports whether a check was of a limit or a list that the person set.
func limited(c plan.Check) bool {
	const limits = "allowance_"
	return c.Status == plan.CheckFail && len(c.ID) > len(limits) && c.ID[:len(limits)] == limits
}
