package store

import (
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// A row that this program cannot have written is quarantined. Reading it by key returns an error
// with the row and the reason, and lists skip it. The row itself is not changed, and doctor reports
// it.

// Damage describes a quarantined row.
type Damage struct {
	Table  string
	Row    string // its key, or "" if the key is unreadable
	Reason string // a clause without a period
}

// damagedRow returns the error about a damaged row.
func damagedRow(table, row, format string, args ...any) *fault.Error {
	row = shownKey(row)
	named := "A stored record"
	if row != "" {
		named = "The stored record " + row
	}
	reason := fault.New(fault.InternalError, format, args...).Text
	return fault.New(fault.InternalError,
		"%s of %s is damaged and set aside: %s. Nothing else is affected. Prepare or connect again; say-ur-intent "+
			"doctor lists what is damaged.", named, strings.ReplaceAll(table, "_", " "), reason).
		With("store", "damaged_row").With("table", table).With("row", row).With("reason", reason)
}

// shownKey returns a key in printable form, because a damaged key may contain anything.
func shownKey(key string) string {
	for _, c := range key {
		if c < '!' || c > '~' {
			return "0x" + hex.EncodeToString([]byte(key[:min(len(key), 32)]))
		}
	}
	return key[:min(len(key), 100)]
}

// damageOf returns the damage that an error reports, or false if the error is not about a single
// row.
func damageOf(err error) (Damage, bool) {
	var f *fault.Error
	if !errors.As(err, &f) || f.Detail.Get("store") != "damaged_row" {
		return Damage{}, false
	}
	return Damage{f.Detail.Get("table"), f.Detail.Get("row"), f.Detail.Get("reason")}, true
}

// columns validates the columns of one row. It keeps the first error, which names the table and the
// key.
type columns struct {
	table, key string
	err        error
}

// scanColumns reads one row. SQLite enforces column types; in a file edited to evade that, a value
// of the wrong type is reported as damage.
func scanColumns(r *sql.Rows, table string, key *string, into ...any) *columns {
	c := &columns{table: table}
	err := r.Scan(into...)
	if key != nil {
		c.key = *key
	}
	if err != nil {
		_, column, _ := strings.Cut(err.Error(), "name ")
		column, _, _ = strings.Cut(column, ":")
		c.wrong("its column %s has a value of the wrong type", strings.Trim(column, `"`))
	}
	return c
}

// wrong records an error, unless there already is one.
func (c *columns) wrong(format string, args ...any) {
	if c.err == nil {
		c.err = damagedRow(c.table, c.key, format, args...)
	}
}

// must records an error if a condition is false.
func (c *columns) must(holds bool, format string, args ...any) {
	if !holds {
		c.wrong(format, args...)
	}
}

// text checks that a text is valid UTF-8 and has at most limit bytes.
func (c *columns) text(what, s string, limit int) {
	c.must(len(s) <= limit && utf8.ValidString(s), "%s is not a text of at most %d bytes", what, limit)
}

// lastTime is later than every valid stored time.
var lastTime = time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano()

// time decodes a value written by nanoseconds.
func (c *columns) time(what string, n int64) time.Time {
	c.must(n >= 0 && n < lastTime, "%s is not a valid time", what)
	return timeOf(n)
}

// hash copies a 32-byte value.
func (c *columns) hash(what string, to *[32]byte, from []byte) {
	if len(from) != len(to) {
		c.wrong("%s has %d bytes instead of %d", what, len(from), len(to))
		return
	}
	copy(to[:], from)
}

func (c *columns) digest(what string, to *sui.Digest, from []byte) {
	c.hash(what, (*[32]byte)(to), from)
	c.must(!to.IsZero(), "%s is empty", what)
}

// flag decodes 0 or 1.
func (c *columns) flag(what string, n int64) bool {
	c.must(n == 0 || n == 1, "%s is neither yes nor no", what)
	return n == 1
}

// count checks that a number is neither negative nor too large.
func (c *columns) count(what string, n int64) {
	c.must(n >= 0 && n <= 1<<53, "%s is out of range", what)
}

// validRows runs a query and returns the valid rows. If aside is not nil, it is called for each
// damaged row.
func validRows[T any](ctx context.Context, r rower, aside func(Damage), scan func(*sql.Rows, *T) error, query string,
	args ...any) ([]T, error) {
	rows, err := r.rows(ctx, query, args...)
	if err != nil {
		return nil, failed(err)
	}
	defer func() { _ = rows.Close() }()
	var out []T
	for rows.Next() {
		var v T
		err := scan(rows, &v)
		if d, one := damageOf(err); one {
			if aside != nil {
				aside(d)
			}
			continue
		}
		if err != nil {
			return nil, failed(err)
		}
		out = append(out, v)
	}
	if err := rows.Err(); err != nil {
		return nil, failed(err)
	}
	return out, nil
}

// clamped converts an aggregate to an integer. Damaged rows can make it exceed the range.
func clamped(f float64) int64 {
	switch {
	case math.IsNaN(f):
		return 0
	case f >= math.MaxInt64:
		return math.MaxInt64
	case f <= math.MinInt64:
		return math.MinInt64
	}
	return int64(f)
}
