package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"time"

	"github.com/sayurintent/sayurintent/internal/account/assets"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// CoinCache caches descriptions of coins.
type CoinCache struct{ *engine }

var _ assets.Cache = CoinCache{}

// The coin types are passed as one JSON text, so that one statement serves any number of coins.
const selectDescriptions = `SELECT chain, coin_type, found, decimals, symbol, name, checked_at FROM coin_metadata
	WHERE chain = ? AND coin_type IN (SELECT value FROM json_each(?)) AND checked_at > ? AND checked_at <= ?`

// Descriptions implements assets.Cache.
func (db CoinCache) Descriptions(ctx context.Context, chain sui.Digest, coins []sui.CoinType,
	since time.Time) ([]assets.Described, error) {
	if len(coins) == 0 {
		return nil, nil
	}
	list, err := json.Marshal(coins)
	if err != nil {
		return nil, failed(err)
	}
	return validRows(ctx, db, nil, scanDescribed, selectDescriptions, chain[:], string(list), nanoseconds(since),
		nanoseconds(db.now()))
}

func scanDescribed(r *sql.Rows, d *assets.Described) error {
	var chain []byte
	return scanCoinRow(r, d, &chain)
}

func (CoinCache) readAll(ctx context.Context, s *survey) error {
	return checkRows(ctx, s, func(r *sql.Rows, d *assets.Described) error {
		var chain []byte
		return scanCoinRow(r, d, &chain)
	}, `SELECT chain, coin_type, found, decimals, symbol, name, checked_at FROM coin_metadata`)
}

// scanCoinRow reads chain, coin_type, found, decimals, symbol, name, checked_at. Readers skip a
// damaged row and query the chain again.
func scanCoinRow(r *sql.Rows, d *assets.Described, chain *[]byte) error {
	var at, found int64
	var named sui.Digest
	coin := ""
	c := scanColumns(r, "coin_metadata", &coin, chain, &coin, &found, &d.Decimals, &d.Symbol, &d.Name, &at)
	c.hash("chain", (*[32]byte)(&named), *chain)
	canonical, err := sui.ParseCoinType(coin)
	c.must(err == nil && string(canonical) == coin, "its coin type is invalid")
	d.Coin, d.Found, d.At = canonical, c.flag("found", found), c.time("checked_at", at)
	c.text("symbol", d.Symbol, maxName)
	c.text("name", d.Name, maxName)
	return c.err
}

// described is a row in the JSON form that upsertDescriptions reads.
type described struct {
	Coin     string `json:"c"`
	Found    int    `json:"f"`
	Decimals uint8  `json:"d"`
	Symbol   string `json:"s"`
	Name     string `json:"n"`
	At       int64  `json:"t,string"` // a string, because JSON numbers lose precision
}

const upsertDescriptions = `INSERT INTO coin_metadata (chain, coin_type, found, decimals, symbol, name, checked_at)
	SELECT ?, value ->> 'c', value ->> 'f', value ->> 'd', value ->> 's', value ->> 'n', CAST(value ->> 't' AS INTEGER)
	FROM json_each(?) WHERE true
	ON CONFLICT (chain, coin_type) DO UPDATE SET found = excluded.found, decimals = excluded.decimals,
		symbol = excluded.symbol, name = excluded.name, checked_at = excluded.checked_at`

// KeepDescriptions implements assets.Cache. It writes no journal entry, because a coin's
// description is not an event of this program.
func (db CoinCache) KeepDescriptions(ctx context.Context, chain sui.Digest, list []assets.Described,
	since time.Time) error {
	rows := make([]described, len(list))
	for i, d := range list {
		rows[i] = described{Coin: string(d.Coin), Decimals: d.Decimals, Symbol: d.Symbol, Name: d.Name, At: nanoseconds(d.At)}
		if d.Found {
			rows[i].Found = 1
		}
	}
	text, err := json.Marshal(rows)
	if err != nil {
		return failed(err)
	}
	return db.change(ctx, func(x *tx) error {
		if _, err := x.exec(ctx, `DELETE FROM coin_metadata WHERE checked_at <= ?`, nanoseconds(since)); err != nil {
			return err
		}
		_, err := x.exec(ctx, upsertDescriptions, chain[:], string(text))
		return err
	})
}
