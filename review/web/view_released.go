package web

import (
	"slices"

	"github.com/sayurintent/sayurintent/review/plan"
	"github.com/sayurintent/sayurintent/review/record"
)

// changedTitle is the first thing that a page says once a wallet returned other
// bytes than those that were reviewed.
const changedTitle = "Your wallet signed something else. This program sent nothing; what the wallet did is not known."

// heard is what was last heard of the present transaction, which was handed out.
func heard(s record.Session) string {
	if rel := s.Current(); rel != nil {
		return rel.Outcome
	}
	return ""
}

// changedByWallet reports whether a wallet returned other bytes for any
// transaction of the review.
func changedByWallet(s record.Session) bool {
	return slices.ContainsFunc(s.Releases, func(r record.Release) bool { return r.Outcome == record.OutcomeChanged })
}

// releasedLead says what is known of a transaction that was handed to a wallet, and
// what the person can do. It is said of what is stored, so it is the same after
// every reload.
func (v *view) releasedLead(s record.Session) {
	switch heard(s) {
	case record.OutcomeChanged:
		v.Tone, v.Title, v.Text = "bad", changedTitle, "It gave back another transaction than the one that you reviewed."
		v.Do = "Look at the wallet’s own history, and do not use this wallet until you know why."
	case record.OutcomeSignerMismatch:
		v.Tone, v.Title, v.Text = "bad", "Another account signed", "Nothing was sent."
		if i := slices.IndexFunc(s.State.Checks, func(c plan.Check) bool { return c.ID == "wallet_signer_mismatch" }); i >= 0 {
			v.Text = shown(s.State.Checks[i].Message, 600) // says which one
		}
		v.Do = "Choose the account of this review in your wallet. Then sign again, or build the transaction again: the two can never both happen."
	default:
		v.Tone, v.Title = "warn", "Not known whether it was signed"
		v.Text = "The transaction was handed to your wallet, and no signature came back yet. A signature that comes late is still accepted."
		v.Do = "Answer in your wallet. If it shows nothing, say that you did not sign, or get fresh figures: the new transaction and this one can never both happen."
	}
}

// actReleased fills the panel of a transaction that was handed to a wallet. Nobody
// is stuck here: the tab that holds the bytes can ask the wallet again, and any tab
// can build anew on the same gas coin.
func (v *view) actReleased(l look, again, decline button) {
	s := l.Session
	v.Commitment = s.Commitment
	v.Waiting = l.wayOfRelease()
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
