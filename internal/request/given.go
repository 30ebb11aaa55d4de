package request

import (
	"cmp"
	"context"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Given returns the transfers of the other steps in a review's request: their payments, and the
// results of earlier steps that they send on. A result that the review itself sends on is marked as
// brought. Given returns nil if the request is a single transaction.
func (s *Service) Given(ctx context.Context, id record.ID) ([]plan.Given, error) {
	req, ok, err := s.Of(ctx, id)
	if err != nil || !ok || req.Mode == Atomic {
		return nil, err
	}
	return req.given(id), nil
}

func (req *Request) given(id record.ID) (list []plan.Given) {
	add := func(s Step, shares []string, to sui.Address) {
		for _, a := range s.Most {
			for _, share := range shares {
				if part, ok := plan.ShareOf(a, share); ok {
					a = part
				}
			}
			list = append(list, plan.Given{Amount: a, To: to, Elsewhere: true, Done: s.State == Confirmed})
		}
	}
	for _, s := range req.Steps {
		to, err := sui.ParseAccount(s.Intent.Recipient)
		if err != nil || to == req.Account {
			continue
		}
		fed := s.Intent.From.ResultOf > 0
		switch {
		case fed && s.Review == id:
			for _, a := range s.Most {
				list = append(list, plan.Given{Amount: a, To: to, Brought: true})
			}
		//mutant:never ./internal/request TestGiven
		case !fed && s.Review != id:
			add(s, nil, to)
		}
		var shares []string
		for take := s.Intent.From; take.ResultOf > 0 && take.ResultOf <= len(req.Steps); {
			shares = append(shares, cmp.Or(take.Share, wholeShare))
			source := req.Steps[take.ResultOf-1]
			if take = source.Intent.From; take.ResultOf == 0 {
				add(source, shares, to)
			}
		}
	}
	return list
}
