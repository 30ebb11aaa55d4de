package listing

import (
	"context"
	"slices"
	"strings"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/web/words"
)

// Live is the list of all pending requests.
type Live struct {
	Waiting  []Row // wait for the user
	Running  []Row // continue without the user
	Declined []Row // were declined and can still be tried again
	More     bool  // there are more than MaxWaiting reviews
}

// Live lists all pending requests. A review that is a step of a bundle is listed as its bundle.
func (l *Lists) Live(ctx context.Context) (live Live, err error) {
	bundles, err := l.Bundles(ctx)
	if err != nil {
		return live, err
	}
	steps := map[string]bool{}
	for _, b := range bundles {
		for _, id := range b.Reviews {
			steps[id] = true
		}
		live.add(rowOfBundle(b))
	}
	waiting, err := l.Waiting(ctx, l.Now(), MaxWaiting+1)
	if err != nil {
		return live, err
	}
	if live.More = len(waiting) > MaxWaiting; live.More {
		waiting = waiting[:MaxWaiting]
	}
	for _, w := range waiting {
		if steps[string(w.ID)] {
			continue
		}
		s, err := l.Reviews.Get(ctx, w.ID)
		if fault.Is(err, fault.SessionNotFound) {
			continue // deleted in the meantime
		}
		if err != nil {
			return live, err
		}
		if declined(w, s) {
			live.Declined = append(live.Declined, l.ended(s))
			continue
		}
		live.add(l.row(w, s))
	}
	orders, err := l.Orders(ctx)
	if err != nil {
		return live, err
	}
	used, _, err := l.Accounts.Active(ctx)
	if err != nil {
		return live, err
	}
	for _, o := range orders {
		live.Running = append(live.Running, rowOfOrder(o, used.Account.String()))
	}
	l.nameRows(ctx, live.Waiting, live.Running, live.Declined)
	return live, nil
}

func (v *Live) add(r Row) {
	if r.Needs {
		v.Waiting = append(v.Waiting, r)
	} else {
		v.Running = append(v.Running, r)
	}
}

// declined reports whether the user declined a review and no release of it is open.
func declined(w record.Waiting, s record.Session) bool {
	answer, ok := s.Answered()
	return w.Status == record.RefreshRequired && !w.Released && ok && answer.Tone == ""
}

// Ended lists a page of finished requests, latest first, and reports whether there are more.
func (l *Lists) Ended(ctx context.Context, skip, most int) (rows []Row, more bool, err error) {
	ids, err := l.Past(ctx, l.Now(), skip, most+1)
	if err != nil {
		return nil, false, err
	}
	if more = len(ids) > most; more {
		ids = ids[:most]
	}
	for _, id := range ids {
		s, err := l.Reviews.Get(ctx, id)
		if fault.Is(err, fault.SessionNotFound) {
			continue
		}
		if err != nil {
			return nil, false, err
		}
		rows = append(rows, l.ended(s))
	}
	l.nameRows(ctx, rows)
	return rows, more, nil
}

// nameRows replaces the short addresses of recipients by their names.
func (l *Lists) nameRows(ctx context.Context, lists ...[]Row) {
	var addresses []string
	for _, list := range lists {
		for i := range list {
			if a := list[i].Mark.Address; a != "" && !slices.Contains(addresses, a) {
				addresses = append(addresses, a)
			}
		}
	}
	if len(addresses) == 0 {
		return
	}
	naming, err := l.Book.Naming(ctx, addresses...)
	if err != nil {
		l.Log.Warn("the address book could not be read for a page", "cause", err)
	}
	for _, list := range lists {
		for i := range list {
			r := &list[i]
			if r.Mark.Address == "" {
				continue
			}
			name := naming.Of(r.Mark.Address)
			called := name.Called()
			if called == "" {
				called = "an unknown address"
			}
			r.Headline = strings.ReplaceAll(r.Headline, r.Mark.Address, words.InShort(r.Mark.Address))
			r.Headline, r.Named = strings.ReplaceAll(r.Headline, words.InShort(r.Mark.Address), called), name.Words()
			if imitates := name.Alike.Title; imitates != "" && r.Tag.Tone == "bad" {
				r.Note, r.Named = "Imitates “"+words.Whole(imitates)+"”", ""
			}
		}
	}
}
