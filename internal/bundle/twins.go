package bundle

import (
	"context"
	"fmt"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/review/record"
)

// Twin is a step that asks for what is open elsewhere, or was done just now.
type Twin struct {
	Place  int
	Review record.ID
	Why    string // as in "was confirmed 40 s ago"
}

// Twins finds the steps of a bundle that equal a wish which is open elsewhere or was done
// within Recent. Equal steps of the bundle itself are none.
func (s *Service) Twins(ctx context.Context, b Bundle) ([]Twin, error) {
	others, err := s.elsewhere(ctx, b)
	if err != nil || len(others) == 0 {
		return nil, err
	}
	var twins []Twin
	for i, step := range b.Steps {
		if step.Intent.From.ResultOf > 0 && step.Intent.From.Amount == "" {
			continue // how much is not known, so it equals nothing yet
		}
		wish := s.c.Make.Wish(record.Session{Protocol: step.Protocol, Action: step.Intent.Type, Intent: step.Intent})
		for _, o := range others {
			//mutant:never ./internal/bundle TestTwins
			if wish.Same(o.wish) {
				twins = append(twins, Twin{i, o.review, o.why})
				break
			}
		}
	}
	return twins, nil
}

type otherWish struct {
	review record.ID
	wish   record.Wish
	why    string
}

// elsewhere lists the wishes of the account that are open, or were done within Recent, by
// reviews that are no steps of the bundle.
func (s *Service) elsewhere(ctx context.Context, b Bundle) (list []otherWish, err error) {
	open, err := s.c.Store.Open(ctx, b.Account)
	if err != nil {
		return nil, err
	}
	for _, o := range open {
		if b.Place(o.Review) < 0 {
			list = append(list, otherWish{o.Review, s.c.Make.Wish(record.Session{Protocol: o.Protocol, Action: o.Action, Intent: o.Intent, Facts: &o.Release.Facts}),
				"was handed to a wallet and can still happen"})
		}
	}
	now := s.now()
	done, err := s.c.Store.Handed(ctx, now.Add(-MostHanded))
	if err != nil {
		return nil, err
	}
	for _, h := range done {
		if !h.Moved || b.Place(h.Review) >= 0 {
			continue
		}
		r, err := s.c.Store.Review(ctx, h.Review)
		if fault.Is(err, fault.SessionNotFound) {
			continue // of before a copy was taken in
		}
		if err != nil {
			return nil, err
		}
		if r.Account != b.Account || r.Execution == nil || now.Sub(r.Execution.FinalAt) >= Recent {
			continue
		}
		list = append(list, otherWish{r.ID, s.c.Make.Wish(r), fmt.Sprintf("was confirmed %d s ago", max(0, int(now.Sub(r.Execution.FinalAt).Seconds())))})
	}
	return list, nil
}

// MostHanded is how long before its confirmation a transaction was handed out at most, to
// be found among those that were done just now.
const MostHanded = 2 * time.Hour
