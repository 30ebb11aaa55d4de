package store_test

import (
	"path/filepath"
	"testing"

	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
)

// TestDamagedRequest checks that a review can change even if its request is unreadable, so that a
// signed transaction is settled in any case.
func TestDamagedRequest(t *testing.T) {
	dir, c := filepath.Join(double.Dir(t), "data"), newClock()
	db := open(t, dir, nil, c.Now)
	s := proposed("r1", c)
	if err := db.CreateReview(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	alter(t, dir, `UPDATE requests SET warnings_json = '{}'`)
	db = open(t, dir, nil, c.Now)
	if _, _, err := db.RequestOf(t.Context(), s.ID); err == nil {
		t.Fatal("the row is not damaged")
	}
	if _, err := db.Change(t.Context(), s.ID, "opened", func(r *record.Row) error {
		r.Session.Revision++
		return nil
	}); err != nil {
		t.Error(err)
	}
}
