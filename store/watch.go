package store

import (
	"context"
	"database/sql"
	"slices"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/watch"
)

// WatchLists stores the coins that the user watches for each account.
type WatchLists struct{ *engine }

var _ watch.Store = WatchLists{}

const selectWatched = `SELECT account, coin_type, ticker, decimals, source, logo, price_id, added_at FROM watched`

func (WatchLists) readAll(ctx context.Context, s *survey) error {
	return checkRows(ctx, s, scanWatched, selectWatched)
}

// Watched implements watch.Store. The native coin comes first, then the others in the order they
// were added.
func (db WatchLists) Watched(ctx context.Context, account sui.Address) (all []watch.Coin, err error) {
	err = db.snapshot(ctx, func(r rower) (err error) {
		all, err = watchedOf(ctx, r, account)
		return err
	})
	return all, err
}

func watchedOf(ctx context.Context, r rower, account sui.Address) ([]watch.Coin, error) {
	return validRows(ctx, r, nil, scanWatched, selectWatched+
		` WHERE account = ? ORDER BY coin_type <> ?, added_at, coin_type`,
		account[:], string(sui.SUI))
}

// WatchedTypes lists the coin types that an account watches.
func (db WatchLists) WatchedTypes(ctx context.Context, account sui.Address) ([]sui.CoinType, error) {
	list, err := db.Watched(ctx, account)
	var types []sui.CoinType
	for _, c := range list {
		types = append(types, c.Type)
	}
	return types, err
}

func scanWatched(r *sql.Rows, w *watch.Coin) error {
	var account []byte
	var added int64
	key := ""
	c := scanColumns(r, "watched", &key, &account, &w.Type, &w.Ticker, &w.Decimals, &w.Source, &w.Logo, &w.PriceID, &added)
	c.key = string(w.Type)
	c.hash("account", (*[32]byte)(&w.Account), account)
	t, err := sui.ParseCoinType(string(w.Type))
	c.must(err == nil && t == w.Type, "its coin type is invalid")
	c.must(slices.Contains([]watch.Source{watch.FromChain, watch.FromRegistry, watch.Unverified}, w.Source),
		"its source is unknown")
	c.text("ticker", w.Ticker, 4*watch.MostTicker)
	c.text("logo", w.Logo, 4*watch.MostLogo)
	c.text("price_id", w.PriceID, 4*watch.MostPrice)
	w.AddedAt = c.time("added_at", added)
	return c.err
}

// ChangeWatched implements watch.Store.
func (db WatchLists) ChangeWatched(ctx context.Context, account sui.Address,
	transition func([]watch.Coin) (watch.Change, error)) error {
	return db.change(ctx, func(x *tx) error { return changeWatched(ctx, x, account, transition) })
}

// ChangeWatched implements watch.Changer.
func (x *tx) ChangeWatched(ctx context.Context, account sui.Address, transition func([]watch.Coin) (watch.Change,
	error)) error {
	return done(changeWatched(ctx, x, account, transition))
}

func changeWatched(ctx context.Context, x *tx, account sui.Address, transition func([]watch.Coin) (watch.Change,
	error)) error {
	all, err := watchedOf(ctx, x, account)
	if err != nil {
		return err
	}
	change, err := transition(all)
	if err != nil {
		return err
	}
	if change.Empty() {
		return errUnchanged
	}
	for _, w := range change.Put {
		w.Account = account
		if err := putWatched(ctx, x, w); err != nil {
			return err
		}
	}
	for _, t := range change.Drop {
		if _, err := x.exec(ctx, `DELETE FROM watched WHERE account = ? AND coin_type = ?`, account[:],
			string(t)); err != nil {
			return err
		}
	}
	return changedWatched(ctx, x)
}

func putWatched(ctx context.Context, x *tx, w watch.Coin) error {
	return x.one(ctx,
		`INSERT OR REPLACE INTO watched (account, coin_type, ticker, decimals, source, logo, price_id, added_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?)`, w.Account[:], string(w.Type), w.Ticker, w.Decimals, string(w.Source), w.Logo,
		w.PriceID, nanoseconds(w.AddedAt))
}

// changedWatched records a change of watched coins and notifies pages.
func changedWatched(ctx context.Context, x *tx) error {
	if err := x.record(ctx, events.Entry{Kind: events.Coins, What: "changed"}); err != nil {
		return err
	}
	return showModified(ctx, x, events.Coins, "coins")
}

// showModified notifies pages that one of the user's lists changed.
func showModified(ctx context.Context, x *tx, kind events.Kind, area string) error {
	shown, err := bus.Display(bus.Modified{Areas: []string{area}})
	if err != nil {
		return err
	}
	e, err := bus.NewEvent(x.session, string(kind)+"/", shown)
	if err != nil {
		return err
	}
	_, err = x.append(ctx, e)
	return err
}
