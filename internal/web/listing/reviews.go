package listing

import (
	"fmt"

	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/web"
	"github.com/sayurintent/sayurintent/internal/web/words"
)

// MaxWaiting is the maximum number of reviews that a page lists.
const MaxWaiting = 50

// Line is a pending review. It states the review's progress, and no amounts that a user might rely
// on when signing. Those are on the review's own page.
type Line struct{ ID, Asked, Named, State, Link, At, Tone, Class, Receipt string }

// State is the state of a review as text.
type State struct{ Words, Tone, Button string }

// StateOf returns the current state of a review. A transaction that was built too long ago is not
// ready, because opening its page rebuilds it.
func (l *Lists) StateOf(w record.Waiting) State {
	const act, look = "main", "second"
	switch {
	case w.Status == record.SignedPendingResult:
		return State{"Signed. The result on chain is not known yet.", "warn", look}
	case w.Released:
		return State{"Handed to your wallet. It is not known whether it was signed.", "warn", act}
	case w.Status == record.Ready && !l.Now().Before(w.BuildExpiresAt), w.Status == record.RefreshRequired:
		return State{"Needs a new quote before it can be signed.", "", act}
	case w.Status == record.Ready:
		return State{"Ready to be read. Nothing has been signed.", "", act}
	case w.Status == record.Blocked:
		return State{"Nothing to sign: " + words.LowerFirst(record.ReasonTitle(w.Reason)) + ".", "bad", look}
	}
	return State{"Not opened yet. Nothing has been signed.", "", act}
}

// LinkWords describes whether a tab has a review open, or an unopened link to it was given out.
func LinkWords(w record.Waiting) string {
	switch {
	case w.Open:
		return "A tab has it open"
	case w.Linked:
		return "A link to it was given out and is not opened"
	}
	return "No tab has it open"
}

// Asked returns the request in one line, as written by its adapter. Reviews of older versions have
// no such line; they were all swaps.
func Asked(in plan.Intent) string {
	if in.Asked != "" {
		return words.Whole(in.Asked)
	}
	return fmt.Sprintf("swap %s %s to %s, at most %s below the quote", words.Spaced(words.Whole(in.From.Amount)),
		words.Whole(in.From.Symbol), words.Whole(in.To.Symbol), plan.Percent(in.MaxSlippageBps))
}

// Chosen identifies an entry of a list.
type Chosen struct {
	ID string `json:"id"`
}

// OpenReview responds with a link to the chosen review, if may returns nil for it.
func (l *Lists) OpenReview(c *web.Call, may func(record.Session) error) error {
	in, err := web.Body[Chosen](c)
	if err != nil {
		return err
	}
	session, err := l.Reviews.Get(c.Ctx(), record.ID(in.ID))
	if err == nil {
		err = may(session)
	}
	if err != nil {
		return err
	}
	return c.LeadTo(pagetoken.Review, string(session.ID))
}
