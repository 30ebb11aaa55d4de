package activity

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// A cursor records where a scan stopped. It consists of a version, a hash of the query, the
// narrowed window, the last row, whether the rows so far were stored, the provider's token, and a
// checksum. It is valid only for the same query.
const (
	cursorVersion = 1
	markSize      = 8
	cursorHead    = 1 + markSize + 4*8 + 1
	maxCursor     = 4096
)

// Flags of a cursor.
const (
	cursorStored = 1 << iota // the rows so far were stored
	cursorFrom               // the window has a lower checkpoint
	cursorTo                 // the window has an upper checkpoint
)

// place is the position at which a scan continues. The zero value is the beginning.
type place struct {
	from, to *uint64 // the window in checkpoints
	last     uint64  // checkpoint of the last row
	lastAt   int64   // time of the last row, in ms
	stored   bool
	token    string // the provider's token
}

func (q Query) mark() []byte {
	text := fmt.Sprintf("%s|%s|%s|%s|%s|%d|%d", q.Account, q.Relationship, q.Function, number(q.From), number(q.To),
		milli(q.Since), milli(q.Until))
	sum := sui.Hash([]byte(text))
	return sum[:markSize]
}

func number(n *uint64) string {
	if n == nil {
		return ""
	}
	return fmt.Sprint(*n)
}

func (p place) cursor(q Query) string {
	b := append([]byte{cursorVersion}, q.mark()...)
	var flags byte
	if p.stored {
		flags |= cursorStored
	}
	word := func(n *uint64, flag byte) uint64 {
		if n == nil {
			return 0
		}
		flags |= flag
		return *n
	}
	from, to := word(p.from, cursorFrom), word(p.to, cursorTo)
	for _, n := range []uint64{from, to, p.last, uint64(p.lastAt)} {
		b = binary.BigEndian.AppendUint64(b, n)
	}
	b = append(append(b, flags), p.token...)
	sum := sui.Hash(b)
	return base64.RawURLEncoding.EncodeToString(append(b, sum[:markSize]...))
}

// place decodes the query's cursor. It returns fault.InputInvalid if the cursor is malformed or
// belongs to another query.
func (q Query) place() (place, error) {
	if q.Cursor == "" {
		return place{}, nil
	}
	b, err := base64.RawURLEncoding.DecodeString(q.Cursor)
	if err != nil || len(q.Cursor) > maxCursor || len(b) <= cursorHead+markSize || b[0] != cursorVersion {
		return place{}, foreign()
	}
	body := b[:len(b)-markSize]
	if sum := sui.Hash(body); !bytes.Equal(sum[:markSize], b[len(body):]) {
		return place{}, foreign()
	}
	if !bytes.Equal(body[1:1+markSize], q.mark()) {
		return place{},
			bad("cursor", "The cursor belongs to another scan. Pass on the same account, relationship, function and "+
				"bounds with it, or leave it out to start over.")
	}
	n := func(i int) uint64 { return binary.BigEndian.Uint64(body[1+markSize+8*i:]) }
	flags := body[cursorHead-1]
	p := place{last: n(2), lastAt: int64(n(3)), stored: flags&cursorStored != 0, token: string(body[cursorHead:])}
	if flags&cursorFrom != 0 {
		from := n(0)
		p.from = &from
	}
	if flags&cursorTo != 0 {
		to := n(1)
		p.to = &to
	}
	return p, nil
}

func foreign() error {
	return bad("cursor",
		"This cursor is not from this tool. Pass continuationCursor unchanged, or omit it to start over.")
}
