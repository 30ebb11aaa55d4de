package bytecode

import (
	"encoding/binary"
	"fmt"
)

// Error says why bytes are not a valid module. Status is the chain's name for the reason
// (move_core_types::vm_status::StatusCode).
type Error struct{ Status, Text string }

func (e *Error) Error() string { return e.Status + ": " + e.Text }

func bad(status, format string, args ...any) *Error {
	return &Error{Status: status, Text: fmt.Sprintf(format, args...)}
}

const (
	malformed   = "MALFORMED"
	outOfBounds = "INDEX_OUT_OF_BOUNDS"
	badHeader   = "BAD_HEADER_TABLE"
)

// cursor reads bytes in order. After the first error every read returns zero, so it is enough to
// check err once per row.
type cursor struct {
	b   []byte
	err *Error
}

func (c *cursor) more() bool { return c.err == nil && len(c.b) > 0 }

func (c *cursor) fail(e *Error) {
	if c.err == nil {
		c.err = e
	}
	c.b = nil
}

func (c *cursor) take(n uint64) []byte {
	if n > uint64(len(c.b)) {
		c.fail(bad(malformed, "ends too early"))
		return nil
	}
	out := c.b[:n]
	c.b = c.b[n:]
	return out
}

func (c *cursor) u8() byte {
	if b := c.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (c *cursor) u32() uint32 {
	if b := c.take(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

// uleb reads a number in ULEB128. Like the chain, it accepts only the shortest encoding.
func (c *cursor) uleb() uint64 {
	v, n := binary.Uvarint(c.b)
	if n <= 0 || n > 1 && c.b[n-1] == 0 {
		c.fail(bad(malformed, "bad number"))
		return 0
	}
	c.b = c.b[n:]
	return v
}

// index reads an index or count. All of these fit into 16 bits.
func (c *cursor) index() int {
	v := c.uleb()
	if v > 0xffff {
		c.fail(bad(malformed, "a number beyond 65535"))
		return 0
	}
	return int(v)
}
