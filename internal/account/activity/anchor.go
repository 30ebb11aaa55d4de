package activity

import (
	"context"
	"math/big"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// anchorTries is the number of attempts to read balances between two scans that find no change.
const anchorTries = 2

// Anchor brings a known account's stored rows up to date, as far as one scan reaches, and reads its
// balances. It returns nil if the account kept changing, or if the provider did not report the
// height of the chain. Errors come from the provider.
func (s *Service) Anchor(ctx context.Context, account sui.Address) (*Anchor, error) {
	known, err := s.isKnown(ctx, account)
	if err != nil || !known {
		return nil, err
	}
	before, _, err := s.catchUp(ctx, account)
	for range anchorTries {
		if err != nil {
			return nil, err
		}
		held, err := s.c.Balances(ctx, account)
		if err != nil {
			return nil, err
		}
		after, has, err := s.catchUp(ctx, account)
		if err != nil {
			return nil, err
		}
		if has == nil {
			return nil, nil
		}
		if after == before {
			a := &Anchor{At: has.Last.Time, Balances: map[sui.CoinType]*big.Int{}}
			for _, b := range held {
				a.Balances[b.Type] = new(big.Int).SetUint64(uint64(b.Total))
			}
			return a, nil
		}
		before = after
	}
	return nil, nil
}

// catchUp scans everything after the last covered checkpoint. It returns the newest transaction and
// the provider's range.
func (s *Service) catchUp(ctx context.Context, account sui.Address) (newest sui.Digest, has *sui.PastRange, err error) {
	f, err := s.c.Store.Activity(ctx, Span{Account: account}, 1)
	if err != nil {
		return newest, nil, err
	}
	q := Query{Account: account, Relationship: Affected, Limit: MostRows}
	if n := len(f.Covered); n > 0 {
		q.From = &f.Covered[n-1].To
	}
	if len(f.Rows) > 0 {
		newest = f.Rows[0].Digest
	}
	scan, err := s.Scan(ctx, q)
	if err != nil {
		return newest, nil, err
	}
	if len(scan.Rows) > 0 {
		newest = scan.Rows[0].Digest
	}
	return newest, scan.Has, nil
}
