package web

import (
	"github.com/sayurintent/sayurintent/internal/web/words"
	"github.com/sayurintent/sayurintent/review/record"
)

// heard is what was last heard of the present transaction, which was handed out.
func heard(s record.Session) string {
	if rel := s.Current(); rel != nil {
		return rel.Outcome
	}
	return ""
}

// state fills the headline with the words for the present state.
func (v *view) state(h record.Headline) {
	v.Tone, v.Title = string(h.Tone), words.Grouped(words.Whole(h.Title))
	v.Text, v.Do = words.Grouped(words.Whole(h.Text)), words.Grouped(words.Whole(h.Do))
}

// actReleased fills the panel of a transaction that was handed to a wallet. Nobody
// is stuck here: the tab that holds the bytes can ask the wallet again, and any tab
// can build anew on the same gas coin.
func (v *view) actReleased(l look, again, decline button) {
	s := l.Session
	v.Commitment = s.Commitment
	v.Waiting = wayOfRelease()
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
