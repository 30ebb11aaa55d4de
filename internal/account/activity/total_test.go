package activity_test

import (
	"errors"
	"testing"

	"github.com/sayurintent/sayurintent/internal/account/activity"
)

// TestScanPages scans to the end of a window, stops at its number of pages with a cursor that
// continues, and stops when the listener says so.
func TestScanPages(t *testing.T) {
	scan := func(h *house, q activity.Query, pages int) (activity.Total, int) {
		t.Helper()
		heard := 0
		total, err := h.ScanPages(t.Context(), whole(q), pages, func(activity.Total) error { heard++; return nil })
		if err != nil {
			t.Fatal(err)
		}
		return total, heard
	}
	h := open(t, chainOf(330))
	h.connect(alice)
	all, heard := scan(h, activity.Query{From: num(0)}, 20)
	if all.Rows != 330 || all.Stored != 330 || all.Cursor != "" || !is(all.Complete, true) || heard != 4 {
		t.Errorf("%d rows, %d stored, %q, %v, heard %d", all.Rows, all.Stored, all.Cursor, all.Complete, heard)
	}
	if all.Requested.Sent != 330 || !all.Newest.Equal(at(329)) || !all.Oldest.Equal(at(0)) {
		t.Error(all.Requested.Sent, all.Newest, all.Oldest)
	}
	// The same rows in two parts have the same sums.
	first, _ := scan(h, activity.Query{From: num(0)}, 3)
	if first.Cursor == "" || first.Pages > 4 || first.Rows == 0 {
		t.Fatalf("%+v", first)
	}
	rest, _ := scan(h, activity.Query{From: num(0), Cursor: first.Cursor}, 20)
	if first.Rows+rest.Rows != 330 || rest.Cursor != "" {
		t.Errorf("%d and %d rows", first.Rows, rest.Rows)
	}
	if got, want := all.Requested.Flows[0].Count, first.Requested.Flows[0].Count+
		rest.Requested.Flows[0].Count; got != want {
		t.Errorf("%d changes, and %d in two parts", got, want)
	}
	enough := errors.New("enough")
	if _, err := h.ScanPages(t.Context(), whole(activity.Query{}), 20,
		func(activity.Total) error { return enough }); !errors.Is(err, enough) {
		t.Error(err)
	}
}
