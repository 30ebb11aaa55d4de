// Package floorcheck decodes what a transaction does with protocols, to check the product's own result.
// It shares no code with the product: it has its own BCS reader and its own table of the functions in
// the test vectors.
package floorcheck

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
)

// reader reads BCS. Reading past the end returns zeros and sets bad.
type reader struct {
	b   []byte
	bad bool
}

func (r *reader) take(n int) []byte {
	if n < 0 || n > len(r.b) {
		r.bad = true
		return make([]byte, min(max(n, 0), 64))
	}
	out := r.b[:n]
	r.b = r.b[n:]
	return out
}

func (r *reader) byte() byte   { return r.take(1)[0] }
func (r *reader) u16() int     { return int(binary.LittleEndian.Uint16(r.take(2))) }
func (r *reader) id() string   { return "0x" + hex.EncodeToString(r.take(32)) }
func (r *reader) text() string { return string(r.take(r.len())) }

func (r *reader) len() int {
	n := 0
	for shift := 0; shift < 28; shift += 7 {
		c := r.byte()
		n |= int(c&0x7f) << shift
		if c < 0x80 {
			return n
		}
	}
	r.bad = true
	return 0
}

// arg refers to the gas coin (gas), to input at (in), or to result out of command at.
type arg struct {
	gas, in bool
	at, out int
}

func (r *reader) arg() arg {
	switch r.byte() {
	case 0:
		return arg{gas: true}
	case 1:
		return arg{in: true, at: r.u16()}
	case 2:
		return arg{at: r.u16()}
	}
	return arg{at: r.u16(), out: r.u16()}
}

func (r *reader) args() (list []arg) {
	for n := r.len(); n > 0 && !r.bad; n-- {
		list = append(list, r.arg())
	}
	return list
}

// tag reads a type as text.
func (r *reader) tag() string {
	plain := map[byte]string{0: "bool", 1: "u8", 2: "u64", 3: "u128", 4: "address", 8: "u16", 9: "u32", 10: "u256"}
	switch k := r.byte(); k {
	case 6:
		return "vector<" + r.tag() + ">"
	case 7:
		text := r.id() + "::" + r.text() + "::" + r.text()
		for i, n := 0, r.len(); i < n && !r.bad; i++ {
			text += map[bool]string{true: "<", false: ","}[i == 0] + r.tag()
			if i == n-1 {
				text += ">"
			}
		}
		return text
	default:
		return plain[k]
	}
}

// input is a pure value, an owned object or a shared object.
type input struct {
	pure  []byte
	owned string // id
}

func (r *reader) input() (in input) {
	if r.byte() == 0 {
		in.pure = r.take(r.len())
		return in
	}
	switch r.byte() {
	case 1: // shared
		r.id()
		r.take(9)
	default:
		in.owned = r.id()
		r.take(8)
		r.take(r.len())
	}
	return in
}

// command is a command of a kind that the vectors use.
type command struct {
	kind  byte
	pkg   string
	fn    string
	types []string
	args  []arg // of a call or transfer, sources of a merge, amounts of a split
	on    arg   // the recipient, or the coin that is split or merged into
}

func (r *reader) command() (c command) {
	switch c.kind = r.byte(); c.kind {
	case 0:
		c.pkg = r.id()
		c.fn = r.text() + "::" + r.text()
		for n := r.len(); n > 0 && !r.bad; n-- {
			c.types = append(c.types, r.tag())
		}
		c.args = r.args()
	case 1:
		c.args = r.args()
		c.on = r.arg()
	case 2, 3:
		c.on = r.arg()
		c.args = r.args()
	case 5:
		if r.byte() == 1 {
			r.tag()
		}
		c.args = r.args()
	default:
		r.bad = true
	}
	return c
}

// transaction holds the parts of TransactionData that are read.
type transaction struct {
	inputs   []input
	commands []command
	sender   string
}

func read(data []byte) (t transaction, err error) {
	r := &reader{b: data}
	r.take(2) // V1, a programmable transaction
	for n := r.len(); n > 0 && !r.bad; n-- {
		t.inputs = append(t.inputs, r.input())
	}
	for n := r.len(); n > 0 && !r.bad; n-- {
		t.commands = append(t.commands, r.command())
	}
	t.sender = r.id()
	if r.bad {
		return t, errors.New("floorcheck: this is not a transaction of the vectors")
	}
	return t, nil
}
