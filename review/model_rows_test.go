package review_test

import (
	"context"
	"slices"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// rows keeps one review in memory under the same terms as the store: for
// histories by the thousand. Some hundred of them run over the real store too.
type rows struct{ row record.Row }

// apart copies what laws edit in place.
func apart(r record.Row) record.Row {
	r.Session.Releases = slices.Clone(r.Session.Releases)
	r.Materials = slices.Clone(r.Materials)
	if r.Session.Execution != nil {
		x := *r.Session.Execution
		r.Session.Execution = &x
	}
	return r
}

func (s *rows) CreateReview(_ context.Context, v record.Session) error {
	s.row = record.Row{Session: v}
	return nil
}

func (s *rows) Review(context.Context, record.ID) (record.Session, error) {
	return apart(s.row).Session, nil
}

func (s *rows) ReviewRow(context.Context, record.ID) (record.Row, error) { return apart(s.row), nil }

func (s *rows) Change(ctx context.Context, _ record.ID, _ string, law func(*record.Row) error) (record.Session, error) {
	r := apart(s.row)
	r.Frozen = func() (bool, error) { return s.Frozen(ctx) }
	if err := law(&r); err != nil {
		return record.Session{}, err
	}
	if r.Session.Revision != s.row.Session.Revision {
		s.row = r
	}
	return apart(s.row).Session, nil
}

func (s *rows) Release(ctx context.Context, _ record.ID, law func(*record.Row) (record.Release, error)) (record.Row,
	error) {
	r := apart(s.row)
	r.Handed = func() ([]record.Handed, error) { return s.Handed(ctx, time.Time{}) }
	r.Open = func() ([]record.OpenRelease, error) { return s.Open(ctx, r.Session.Account) }
	r.Asked = func() ([]record.Asked, error) { return nil, nil }
	r.Approval = func() (record.Approval, error) { return record.Approval{}, nil }
	r.ReleasedBy = func(d sui.Digest) ([]record.ID, error) { return s.ReleasedBy(ctx, d) }
	r.Frozen = func() (bool, error) { return s.Frozen(ctx) }
	v, err := law(&r)
	if err != nil {
		return record.Row{}, err
	}
	if s.row.Session.Released(v.Digest) != nil {
		return record.Row{}, fault.New(fault.HandoffUnavailable, "It was handed out already.")
	}
	s.row = r
	return apart(s.row), nil
}

func (s *rows) Unsettled(context.Context) ([]record.ID, error) {
	return []record.ID{s.row.Session.ID}, nil
}

func (s *rows) Open(context.Context, sui.Address) ([]record.OpenRelease, error) {
	var out []record.OpenRelease
	v := s.row.Session
	for _, r := range v.Outstanding() {
		if !v.Status.Terminal() {
			out = append(out, record.OpenRelease{Review: v.ID, Protocol: v.Protocol, Action: v.Action, ChainID: v.ChainID,
				Intent: v.Intent, Release: r})
		}
	}
	return out, nil
}

func (s *rows) Asked(context.Context, sui.Address) ([]record.Asked, error) { return nil, nil }

func (s *rows) Approval(context.Context, record.ID) (record.Approval, error) {
	return record.Approval{}, nil
}

func (s *rows) Frozen(context.Context) (bool, error) { return false, nil }

func (s *rows) ReleasedBy(_ context.Context, d sui.Digest) ([]record.ID, error) {
	if s.row.Session.Released(d) == nil {
		return nil, nil
	}
	return []record.ID{s.row.Session.ID}, nil
}

func (s *rows) Handed(_ context.Context, since time.Time) ([]record.Handed, error) {
	var out []record.Handed
	for _, r := range s.row.Session.Releases {
		h := record.Handed{Review: s.row.Session.ID, Release: r}
		if x := s.row.Session.Execution; x != nil && x.Receipt != nil {
			h.Settled, h.Moved = x.Receipt.TxDigest, x.Receipt.OK
		}
		if !r.Dead && (r.At.After(since) || r.SignedAt.After(since)) {
			out = append(out, h)
		}
	}
	return out, nil
}
