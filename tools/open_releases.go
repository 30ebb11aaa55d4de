package tools

import (
	"context"
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
	case b.Bars:
		return "One of the two uses no coin for gas, so it has to be over before the other is handed out."
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
