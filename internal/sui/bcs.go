package sui

import (
	"encoding/binary"
	"fmt"
	"math"
	"unicode/utf8"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// bcs reads or writes Binary Canonical Serialization. Each type is described once, by a function that
// takes a pointer and works in both directions, so reading and writing cannot diverge.
//
// Reading is strict: numbers, variants and option bytes have a single form, and no length may exceed
// the remaining bytes, so memory stays proportional to the input. After the first error, all operations
// do nothing.
type bcs struct {
	reading bool
	in      []byte // reading: the input
	pos     int    // reading: offset of the next byte
	out     []byte // writing
	err     error
}

// fail records the first error. at is the offset of the invalid value.
func (c *bcs) fail(at int, format string, args ...any) {
	if c.err != nil {
		return
	}
	text := fmt.Sprintf(format, args...)
	if c.reading {
		c.err = fault.New(fault.InputInvalid, "The bytes are malformed at byte %d: %s.", at, text)
	} else {
		c.err = fault.New(fault.InputInvalid, "The value cannot be written as bytes: %s.", text)
	}
}

// finish returns the first error, or an error if bytes are left over.
func (c *bcs) finish() error {
	//mutant:never ./internal/sui TestMalformedTransactions/trailing byte
	if c.err == nil && c.pos != len(c.in) {
		c.fail(c.pos, "%s after the end", count(len(c.in)-c.pos, "byte"))
	}
	return c.err
}

// left returns the number of unread bytes.
func (c *bcs) left() int { return len(c.in) - c.pos }

// take reads n bytes without copying. It returns nil after an error.
func (c *bcs) take(n int, what string) []byte {
	if c.err != nil {
		return nil
	}
	//mutant:never ./internal/sui TestDecodeErrorsNameThePlace/cut
	if n > c.left() {
		c.fail(c.pos, "%s needs %s, and %s left", what, count(n, "byte"), leftText(c.left()))
		return nil
	}
	b := c.in[c.pos : c.pos+n]
	c.pos += n
	return b
}

func leftText(n int) string {
	if n == 1 {
		return "1 byte is"
	}
	return fmt.Sprintf("%d bytes are", n)
}

// count writes a number with its noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func (c *bcs) u8(v *uint8, what string) {
	if !c.reading {
		c.out = append(c.out, *v)
	} else if b := c.take(1, what); b != nil {
		*v = b[0]
	}
}

func (c *bcs) u16(v *uint16, what string) {
	if !c.reading {
		c.out = binary.LittleEndian.AppendUint16(c.out, *v)
	} else if b := c.take(2, what); b != nil {
		*v = binary.LittleEndian.Uint16(b)
	}
}

func (c *bcs) u32(v *uint32, what string) {
	if !c.reading {
		c.out = binary.LittleEndian.AppendUint32(c.out, *v)
	} else if b := c.take(4, what); b != nil {
		*v = binary.LittleEndian.Uint32(b)
	}
}

func (c *bcs) u64(v *uint64, what string) {
	if !c.reading {
		c.out = binary.LittleEndian.AppendUint64(c.out, *v)
	} else if b := c.take(8, what); b != nil {
		*v = binary.LittleEndian.Uint64(b)
	}
}

func (c *bcs) bool(v *bool, what string) {
	at := c.pos
	var b uint8
	if *v {
		b = 1
	}
	c.u8(&b, what)
	//mutant:never ./internal/sui TestMalformedTransactions/bool is 2
	if b > 1 {
		c.fail(at, "%s is %d, but a bool must be 0 or 1", what, b)
		return
	}
	set(c, v, b == 1)
}

// set stores a value that was read. When writing it does nothing, because the value may be shared with
// other goroutines.
func set[T any](c *bcs, to *T, v T) {
	if c.reading {
		*to = v
	}
}

// uleb reads or writes a length or variant number: ULEB128 of at most 32 bits in its shortest form. of
// and what name the value in errors. They are joined only on error, to keep successful reads cheap.
func (c *bcs) uleb(v *uint32, of, what string) {
	if !c.reading {
		c.out = binary.AppendUvarint(c.out, uint64(*v))
		return
	}
	at, value := c.pos, uint64(0)
	for shift := 0; ; shift += 7 {
		if c.left() == 0 {
			c.take(1, of+what)
		}
		b := c.take(1, what)
		if b == nil {
			return
		}
		value |= uint64(b[0]&0x7f) << shift
		//mutant:never ./internal/sui TestULEB128
		if shift == 28 && (b[0] > 0x0f) {
			c.fail(at, "%s%s does not fit 32 bits", of, what)
			return
		}
		if b[0] < 0x80 {
			//mutant:never ./internal/sui TestMalformedTransactions/noncanonical uleb inputs
			if b[0] == 0 && shift > 0 {
				c.fail(at, "%s%s is not encoded in its shortest form", of, what)
				return
			}
			*v = uint32(value)
			return
		}
	}
}

// length reads or writes the number of items that follow. least is the minimum size of an item in
// bytes (at least 1).
func (c *bcs) length(n, least int, what string) int {
	at, v := c.pos, uint32(n)
	if !c.reading && (n < 0 || n > math.MaxInt32) {
		c.fail(at, "%s is too long", what)
		return 0
	}
	c.uleb(&v, "the length of ", what)
	if c.err != nil {
		return 0
	}
	//mutant:never ./internal/sui TestMemoryIsBoundedByTheInput
	if c.reading && int64(v)*int64(least) > int64(c.left()) {
		c.fail(at, "%s has a claimed length of %d, but only %s left", what, v, leftText(c.left()))
		return 0
	}
	return int(v)
}

// variant reads or writes the number of an enum case. v is the number to write; it returns the
// number read or written. names lists the known cases in order.
func (c *bcs) variant(v uint32, what string, names ...string) uint32 {
	at := c.pos
	c.uleb(&v, "the variant of ", what)
	//mutant:never ./internal/sui TestMalformedTransactions/kind variant 200
	if c.err == nil && int64(v) >= int64(len(names)) {
		c.unknown(at, what, v)
	}
	if c.err != nil {
		return 0
	}
	return v
}

// fixed reads or writes an array of a known length, such as an address.
func (c *bcs) fixed(v []byte, what string) {
	if !c.reading {
		c.out = append(c.out, v...)
	} else if b := c.take(len(v), what); b != nil {
		copy(v, b)
	}
}

// bytes reads or writes a byte vector. Read bytes are a copy; an empty vector reads as nil.
func (c *bcs) bytes(v *[]byte, what string) {
	n := c.length(len(*v), 1, what)
	if !c.reading {
		c.out = append(c.out, *v...)
	} else if b := c.take(n, what); len(b) > 0 {
		*v = append([]byte(nil), b...)
	}
}

// text reads or writes a UTF-8 string.
func (c *bcs) text(v *string, what string) {
	at, b := c.pos, []byte(*v)
	c.bytes(&b, what)
	if c.err == nil && !utf8.Valid(b) {
		c.fail(at, "%s is not UTF-8", what)
		return
	}
	set(c, v, string(b))
}

// vector reads or writes a length and that many items. least is the minimum size of an item in bytes.
// An empty vector reads as nil.
func vector[T any](c *bcs, v *[]T, least int, what string, item func(*T)) {
	n := c.length(len(*v), least, what)
	if c.reading && n > 0 {
		*v = make([]T, n)
	}
	for i := 0; i < n && c.err == nil; i++ {
		item(&(*v)[i])
	}
}

// option reads or writes a zero byte for a nil pointer, or a one byte and the value.
func option[T any](c *bcs, v **T, what string, item func(*T)) {
	at := c.pos
	var tag uint8
	if *v != nil {
		tag = 1
	}
	if c.reading && c.left() == 0 {
		c.take(1, "the option byte of "+what)
	}
	c.u8(&tag, what)
	//mutant:never ./internal/sui TestStrictParts
	if tag > 1 {
		c.fail(at, "the option byte of %s is %d, but must be 0 or 1", what, tag)
	}
	if c.err != nil || tag == 0 {
		return
	}
	if c.reading {
		*v = new(T)
	}
	item(*v)
}
