package tools

import (
	"context"
	"time"

	"github.com/sayurintent/sayurintent/internal/record"
)

// openRelease is another request of the account that the user should know about: a released
// transaction that can still execute, or a request for the same that was approved or has just been
// executed.
type openRelease struct {
	Session string     `json:"reviewSessionId,omitempty" description:"the other review"`
	Bundle  string     `json:"bundle_id,omitempty" description:"the other bundle, of an approved step"`
	Asked   string     `json:"asked" description:"the other request"`
	At      *time.Time `json:"handedOutAt,omitempty" description:"time the wallet received it, UTC"`
	Known   string     `json:"known" description:"what is known about it"`
	Means   string     `json:"meaning" description:"how the two requests relate"`
}

func (o openRelease) kind() string {
	if o.Bundle != "" {
		return "Bundle"
	}
	return "Review"
}

// mostOpen is the maximum number of open releases in an answer.
const mostOpen = 5

// relatedTo returns the other requests to consider together with a review, newest first.
func relatedTo(ctx context.Context, reviews reviews, s record.Session) ([]openRelease, error) {
	list, err := reviews.Related(ctx, s)
	if err != nil {
		return nil, err
	}
	var out []openRelease
	for _, b := range list[:min(len(list), mostOpen)] {
		o := openRelease{Session: string(b.Review), Asked: b.Intent.Asked, Known: b.Known(), Means: means(b, s)}
		switch at := b.At.UTC(); b.State {
		case record.RelatedOpen:
			o.At = &at
		case record.RelatedApproved:
			o.Session, o.Bundle = "", string(b.Review)
		}
		out = append(out, o)
	}
	return out, nil
}

// means describes how another request affects a review.
func means(b record.Related, s record.Session) string {
	same := "It requests the same" + b.Where(len(s.Intent.Each()))
	switch {
	case b.State != record.RelatedOpen:
		return same + ". Doing it again needs the user's “Yes, again” on the page."
	case b.Bars:
		return "One of the two uses no gas coin, so it must end before the other is released."
	case b.Repeats:
		return "It is the same transaction, so this review must be refreshed."
	case b.Excludes:
		return "Only one of the two can execute; the user decides on the page."
	case s.Status == record.SignedPendingResult || s.Current() != nil:
		return same + "."
	case b.Same() && s.Status == record.Ready:
		return same + ", and both can execute; the user decides on the page."
	}
	return same + ". The page builds this one so that only one of the two can execute, unless the user asks for both."
}
