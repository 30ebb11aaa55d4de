package tools

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/review/record"
)

// openRelease is a transaction of another review that was handed to a wallet and
// can still happen.
type openRelease struct {
	Session string    `json:"reviewSessionId" about:"the other review"`
	Asked   string    `json:"asked" about:"what was asked for there"`
	At      time.Time `json:"handedOutAt" about:"when the wallet got it, UTC"`
	Known   string    `json:"known" about:"whether it is signed"`
	Means   string    `json:"meaning" about:"how the two stand to each other"`
}

// mostOpen bounds how many open releases one answer names.
const mostOpen = 5

// openBeside names the open releases that matter to a review, the newest first.
func openBeside(ctx context.Context, reviews reviews, s record.Session) ([]openRelease, error) {
	list, err := reviews.Beside(ctx, s)
	if err != nil {
		return nil, err
	}
	var out []openRelease
	for _, b := range list[:min(len(list), mostOpen)] {
		out = append(out, openRelease{Session: string(b.Review), Asked: b.Intent.Asked, At: b.At.UTC(), Known: b.Known(),
			Means: means(b, s)})
	}
	return out, nil
}

// means says how an open release stands to a review as it is built.
func means(b record.Beside, s record.Session) string {
	switch {
	case b.Repeats:
		return "It is the very same transaction, so this review has to be refreshed."
	case b.Excludes:
		return "Only one of the two can happen; the person decides on the page."
	case s.Status == record.SignedPendingResult || s.Current() != nil:
		return "It is the same wish, of another review."
	case b.SameWish && s.Status == record.Ready:
		return "It is the same wish, and both can happen; the person decides on the page."
	}
	return "It is the same wish. The page builds this one so that only one of the two can happen, " +
		"unless the person asks for both."
}

// preflightStatus says how a first look at a wish came out.
type preflightStatus string

// The outcomes of a first look.
const (
	preflightClear    preflightStatus = "clear"
	preflightBlockers preflightStatus = "blockers"
	preflightUnknown  preflightStatus = "not_checked"
)

// Values lists the outcomes.
func (preflightStatus) Values() []string {
	return []string{string(preflightClear), string(preflightBlockers), string(preflightUnknown)}
}

type preflight struct {
	Status   preflightStatus `json:"status" about:"whether something stands in the way"`
	Blockers []blocker       `json:"blockers" about:"what does"`
}

type blocker struct {
	Check   string `json:"check" about:"what was looked at"`
	Message string `json:"message" about:"what was found"`
	Do      string `json:"do" about:"what the person can do"`
}

// checkOpen is the name of the look for open releases of the same wish.
const checkOpen = "open_releases"

// lookAhead looks for open releases of the wish of a new review. It asks no node.
func lookAhead(ctx context.Context, reviews reviews, s record.Session) preflight {
	open, err := openBeside(ctx, reviews, s)
	if err != nil {
		return preflight{Status: preflightUnknown, Blockers: []blocker{}}
	}
	p := preflight{Status: preflightClear, Blockers: []blocker{}}
	for _, o := range open {
		p.Status = preflightBlockers
		p.Blockers = append(p.Blockers, blocker{Check: checkOpen, Message: fmt.Sprintf(
			"The same wish (%s) was handed to a wallet by review %s at %s; %s. Doing it again could do it twice.",
			strings.TrimSuffix(o.Asked, "."), o.Session, o.At.Format(time.RFC3339), o.Known),
			Do: "Tell the person. They wait for its result, or decide on the page of the new review; no tool can."})
	}
	return p
}
