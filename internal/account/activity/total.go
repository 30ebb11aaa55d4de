package activity

import (
	"context"
	"time"
)

// Total is the sum of the pages of one scan, newest first.
type Total struct {
	Requested      Requested
	Rows           int
	Newest, Oldest *time.Time
	Stored         int    // rows stored on this computer
	Skipped        int    // rows that were not stored
	Reason         string // why rows of the last part were not stored
	Pages          int    // requests to the provider
	Cursor         string // where to continue, or "" at the end
	Complete       *bool  // Scan.Complete of the last part

	flows tally
}

// ScanPages scans until the end, or until pages provider pages have been read. It calls told after
// each part; an error from it ends the scan. If a part fails, the rows of earlier parts remain
// stored.
func (s *Service) ScanPages(ctx context.Context, q Query, pages int, report func(Total) error) (Total, error) {
	q.Limit = MostRows
	total := Total{Requested: Requested{Account: q.Account, Completeness: Complete, Flows: []Flow{}}}
	for total.Pages < pages {
		part, err := s.Scan(ctx, q)
		if err != nil {
			return total, err
		}
		total.add(part)
		if err := report(total); err != nil {
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
	t.Pages += max(s.Pages, 1) // a part without results also took a request
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
