package store_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/actions"
	"github.com/sayurintent/sayurintent/internal/book"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
)

// The changes that an action makes and its result are stored in one transaction.
func TestActIsWhole(t *testing.T) {
	c := newClock()
	db := open(t, filepath.Join(double.Dir(t), "data"), nil, c.Now)
	names := book.NewService(db, c.Now)
	ctx := t.Context()
	row := func(id string) *actions.Row {
		return &actions.Row{Caller: "key/a", ID: id, Type: "add_address_book", Digest: [32]byte{1}, Ticket: "t" + id,
			Result: json.RawMessage(`{}`), At: c.Now()}
	}
	broken := errors.New("broken")
	for i, after := range []error{nil, broken} {
		err := db.Act(ctx, "key/a", fmt.Sprint(i), func(tx actions.Tx, before *actions.Row) (*actions.Row, error) {
			_, err := names.AddIn(ctx, tx, book.Agent, []book.Target{{Title: "A", Address: "0x7" + strings.Repeat("2", 63),
				Chain: "Sui"}})
			if err == nil {
				err = after
			}
			return row(fmt.Sprint(i)), err
		})
		if !errors.Is(err, after) {
			t.Fatal(err)
		}
		all, err := names.List(ctx, "", "")
		got, other := db.Action(ctx, "key/a", fmt.Sprint(i))
		if err != nil || other != nil || len(all) != 1 || (got != nil) != (after == nil) {
			t.Errorf("%d: %d entries, %+v, %v, %v", i, len(all), got, err, other)
		}
	}
	t.Run("ids are known for some time and not for ever", func(t *testing.T) {
		c.Advance(actions.Kept)
		if err := db.Act(ctx, "key/a", "new", func(actions.Tx, *actions.Row) (*actions.Row, error) {
			return row("new"),
				nil
		}); err != nil {
			t.Fatal(err)
		}
		if got, err := db.Action(ctx, "key/a", "0"); err != nil || got != nil {
			t.Error(got, err)
		}
	})
}
