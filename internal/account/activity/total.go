package activity

import (
	"context"
	"time"
)

// Total sums up the pages of one scan, newest first.
type Total struct {
	Requested      Requested
	Rows           int
	Newest, Oldest *time.Time
	Stored         int    // rows stored on this computer
	Skipped        int    // rows of accounts that are not known here
	Reason         string // why the last ones were not stored
	Pages          int    // of the provider
	Cursor         string // where to continue; "" at the end
	Complete       *bool  // as Scan.Complete, of the last page

	flows tally
}

// ScanPages scans page by page until the end, or until the maximum number of pages. It calls told
// for each part, whose error ends the scan. What earlier parts stored remains if a later one fails.
func (s *Service) ScanPages(ctx context.Context, q Query, pages int, told func(Total) error) (Total, error) {
	q.Limit = MostRows
	total := Total{Requested: Requested{Account: q.Account, Completeness: Complete, Flows: []Flow{}}}
	for total.Pages < pages {
		part, err := s.Scan(ctx, q)
		if err != nil {
			return total, err
		}
		total.add(part)
		if err := told(total); err != nil {
			return total, err
		}
		if q.Cursor = part.Cursor; q.Cursor == "" {
			break
		}
	}
	return total, nil
}

func (t *Total) add(s Scan) {
	t.Rows += len(s.Rows)
	t.Stored += s.Kept.Count
	t.Skipped += s.Kept.Skipped
	t.Reason, t.Cursor, t.Complete = s.Kept.Reason, s.Cursor, s.Complete
	t.Pages += max(s.Pages, 1) // a part without results also took a query
	for _, r := range s.Rows {
		t.Requested.count(r.Effect, &t.flows)
		if r.At == nil {
			continue
		}
		if t.Newest == nil {
			t.Newest = r.At
		}
		t.Oldest = r.At
	}
	t.Requested.Flows = t.flows.flows()
}
