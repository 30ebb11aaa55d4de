package web

import (
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/web/listing"
	"github.com/sayurintent/sayurintent/internal/web/words"
)

// heard returns the latest reported outcome of the released transaction.
func heard(s record.Session) string {
	if rel := s.Current(); rel != nil {
		return rel.Outcome
	}
	return ""
}

// state fills in the verdict for the current state.
func (v *view) state(h record.Headline) {
	v.Verdict = &verdict{Tone: string(h.Tone), Text: words.Grouped(words.Whole(h.Title))}
	for _, text := range []string{h.Text, h.Do} {
		if text != "" {
			v.Verdict.Says = append(v.Verdict.Says, words.Grouped(words.Whole(text)))
		}
	}
}

// actReleased fills the panel of a transaction that was released to a wallet. The tab that holds
// the bytes can ask the wallet again, and any tab can rebuild with the same gas coin.
func (v *view) actReleased(l look, again, decline button) {
	if l.MultiSig != nil {
		v.actCollecting(l, again, decline)
		return
	}
	s := l.Session
	v.Commitment = s.Commitment
	decline.Label, decline.Class = "I did not sign", "second"
	decline.Note = "Your word is recorded. The transaction can still execute if you did sign, so a new one excludes it."
	switch heard(s) {
	case record.OutcomeChanged:
		again.Label = "Build it again"
	case record.OutcomeSignerMismatch:
		again.Label, again.Note = "Build it again", "For the account of this review, on the same gas coin."
		v.Resign = "Sign again with the right account"
	default:
		v.Resign = "Ask the wallet again"
	}
	v.Buttons = []button{again, decline}
}

// progressStep is one of the five steps of every review. State is done, now, unknown, failed or
// ended, or "" for a future step.
type progressStep struct{ Word, State, Icon string }

// Now reports whether the step is the current one.
func (s progressStep) Now() bool { return s.State != "" && s.State != "done" }

// Indexes of the progress steps.
const (
	stepAsked = iota
	stepRead
	stepSigned
	stepSent
	stepProved
)

// progress returns the five steps. A step that failed has a different word.
func (l look) progress() []progressStep {
	at, state, word := l.standsAt()
	steps := []progressStep{{Word: "Asked"}, {Word: "Read"}, {Word: "Signed"}, {Word: "Sent"}, {Word: "Proved"}}
	for i := range at {
		steps[i].State, steps[i].Icon = "done", "check"
	}
	if at == len(steps) {
		return steps
	}
	steps[at].State = state
	if word != "" {
		steps[at].Word = word
	}
	if state == "failed" || state == "ended" {
		steps[at].Icon = "cross"
	}
	return steps
}

// standsAt returns the first step that is not done, its state, and its word if that differs from
// the usual one.
func (l look) standsAt() (step int, state, word string) {
	s := l.Session
	switch l.stage() {
	case stageReleased:
		if l.MultiSig != nil {
			return stepSigned, "now", "Signing"
		}
		switch heard(s) {
		case record.OutcomeChanged, record.OutcomeSignerMismatch:
			return stepSigned, "failed", "Stopped"
		}
		return stepSigned, "unknown", "Not known"
	case stageRefresh:
		if h, ok := s.Answered(); ok && h.Tone == record.ToneBad {
			return stepSigned, "failed", "Stopped"
		} else if ok {
			return stepSigned, "ended", "Declined"
		}
	case stageBlocked:
		if !listing.Harmless(s) {
			return stepRead, "failed", "Stopped"
		}
		return stepRead, "unknown", "Stopped"
	case stagePending:
		return l.sent()
	case stageSuccess:
		return l.proved()
	case stageFailure:
		return l.failed()
	case stageExpired:
		return stepRead, "ended", "Expired"
	}
	return stepRead, "now", ""
}

// sent returns the progress of a signed transaction.
func (l look) sent() (step int, state, word string) {
	x := l.Session.Execution
	switch {
	case x == nil, x.Submission == record.SubmissionNone:
		return stepSent, "now", ""
	case x.Submission == record.SubmissionUnknown:
		return stepSent, "unknown", "Not known"
	case x.Submission == record.SubmissionRefused:
		return stepSent, "failed", "Refused"
	}
	return stepProved, "now", ""
}

func (l look) proved() (step int, state, word string) {
	switch l.Session.Execution.Proof().State {
	case record.Proved:
		return stepProved + 1, "", ""
	case record.Mismatched:
		return stepProved, "failed", "Failed"
	case record.ReportedNow:
		return stepProved, "now", ""
	}
	return stepProved, "unknown", "Not known"
}

func (l look) failed() (step int, state, word string) {
	x := l.Session.Execution
	switch {
	case x == nil:
	case x.FailureReason == record.FailureChainExecution:
		return stepSent, "failed", "Failed"
	case x.FailureReason == record.FailureWalletRejected:
		return stepSigned, "ended", "Declined"
	case l.Session.GoesOnInSteps():
		return stepSigned, "ended", "In steps"
	}
	return stepSigned, "failed", "Failed"
}
