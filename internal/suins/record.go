package suins

import (
	"encoding/binary"
	"errors"
	"time"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// record is the chain's record of a name.
type record struct {
	nft     sui.ObjectID // the registration that controls the record
	expires uint64       // Unix milliseconds; 0 means that it expires with its parent
	target  sui.Address  // zero if the name has no target
}

var errRecord = errors.New("it is not a record of that name")

// readRecord reads the BCS of a record object: Field{id, Domain, NameRecord{nft_id,
// expiration_timestamp_ms, target_address, data}}. It skips data, which is untrusted text, but
// checks that it ends where the bytes do.
func readRecord(contents []byte, id sui.ObjectID, n Name) (record, error) {
	c := cursor{left: contents}
	key := n.bcs()
	if sui.ObjectID(c.take(32)) != id || string(c.take(uint64(len(key)))) != string(key) {
		return record{}, errRecord
	}
	r := record{nft: sui.ObjectID(c.take(32)), expires: binary.LittleEndian.Uint64(c.take(8))}
	switch c.take(1)[0] {
	case 0:
	case 1:
		r.target = sui.Address(c.take(32))
	default:
		return record{}, errRecord
	}
	for range c.length() {
		for range 2 { // key and value
			c.take(c.length())
		}
		if c.short {
			break
		}
	}
	if c.short || len(c.left) > 0 {
		return record{}, errRecord
	}
	return r, nil
}

// cursor reads bytes in order. Past the end it sets short and returns zeros.
type cursor struct {
	left  []byte
	short bool
}

func (c *cursor) take(n uint64) []byte {
	if c.short || n > uint64(len(c.left)) {
		c.short = true
		return make([]byte, min(n, 32))
	}
	out := c.left[:n]
	c.left = c.left[n:]
	return out
}

// length reads a ULEB128 length.
func (c *cursor) length() uint64 {
	n, size := binary.Uvarint(c.left)
	if size <= 0 || n > uint64(len(c.left)) {
		c.short = true
		return 0
	}
	c.left = c.left[size:]
	return n
}

func (r record) ends() time.Time { return time.UnixMilli(int64(min(r.expires, 1<<53))).UTC() }
