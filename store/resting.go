package store

import (
	"context"
	"database/sql"
	"slices"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/resting"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// RestingOrders stores the resting orders that the program follows.
type RestingOrders struct{ *engine }

var _ resting.Store = RestingOrders{}

const restingColumns = `account, manager, pool, order_id, is_bid, price, quantity, remaining, expire_ms, held_base, held_quote, seen_at`

const selectResting = `SELECT ` + restingColumns + ` FROM resting_orders`

func (RestingOrders) readAll(ctx context.Context, s *survey) error {
	return checkRows(ctx, s, scanResting, selectResting)
}

// Resting implements resting.Store.
func (db RestingOrders) Resting(ctx context.Context) ([]resting.Order, error) {
	return validRows(ctx, db, nil, scanResting, selectResting+` ORDER BY manager, pool, order_id`)
}

func scanResting(r *sql.Rows, o *resting.Order) error {
	var account, manager []byte
	var bid bool
	var expire, seen int64
	amounts := [5]int64{}
	c := scanColumns(r, "resting_orders", nil, &account, &manager, &o.Pool, &o.ID, &bid, &amounts[0], &amounts[1],
		&amounts[2],
		&expire, &amounts[3], &amounts[4], &seen)
	c.key = o.ID
	c.hash("account", (*[32]byte)(&o.Account), account)
	c.hash("manager", (*[32]byte)(&o.Manager), manager)
	c.text("pool", o.Pool, maxWord)
	c.text("order_id", o.ID, maxWord)
	for i, name := range []string{"price", "quantity", "remaining", "held_base", "held_quote"} {
		c.count(name, amounts[i])
	}
	c.must(amounts[2] <= amounts[1], "the resting quantity exceeds the order")
	o.IsBid, o.Price, o.Quantity, o.Remaining = bid, sui.Raw(amounts[0]), sui.Raw(amounts[1]), sui.Raw(amounts[2])
	o.Held = resting.Pair{Base: sui.Raw(amounts[3]), Quote: sui.Raw(amounts[4])}
	o.ExpireMs, o.SeenAt = uint64(expire), c.time("seen_at", seen)
	return c.err
}

// KeepResting implements resting.Store.
func (db RestingOrders) KeepResting(ctx context.Context, account sui.Address, before, after []resting.Order,
	events []bus.Event) (kept bool, err error) {
	err = db.change(ctx, func(x *tx) error {
		rows, err := validRows(ctx, x, nil, scanResting, selectResting+` WHERE account = ? ORDER BY manager, pool, order_id`,
			account[:])
		if err != nil {
			return err
		}
		// If the rows differ from before, another process has already reported the change.
		//mutant:never ./store TestResting
		if !slices.EqualFunc(rows, before, func(a, b resting.Order) bool {
			return a.Remaining == b.Remaining &&
				a.ID == b.ID
		}) {
			return errUnchanged
		}
		kept = true
		if len(events) == 0 && slices.EqualFunc(rows, after, func(a, b resting.Order) bool {
			a.SeenAt = b.SeenAt
			return a == b
		}) {
			return errUnchanged
		}
		if _, err := x.exec(ctx, `DELETE FROM resting_orders WHERE account = ?`, account[:]); err != nil {
			return err
		}
		for _, o := range after {
			if err := x.one(ctx, `INSERT INTO resting_orders (`+restingColumns+`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
				o.Account[:], o.Manager[:], o.Pool, o.ID, o.IsBid, int64(o.Price), int64(o.Quantity), int64(o.Remaining),
				int64(o.ExpireMs), int64(o.Held.Base), int64(o.Held.Quote), nanoseconds(o.SeenAt)); err != nil {
				return err
			}
		}
		for _, e := range events {
			if _, err := x.append(ctx, e); err != nil {
				return err
			}
		}
		return nil
	})
	return kept && err == nil, err
}
