package lies

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Kinds of lies. Any other value is used literally.
const (
	Zero    = "zero"    // 0, false, or an address or bytes of zeros
	One     = "one"     // 1, or only the first element
	Most    = "most"    // the largest value, or a very long text or list
	Sign    = "sign"    // the opposite sign or boolean, the complement, or one character changed
	Absent  = "absent"  // left out
	Empty   = "empty"   // present but empty
	Doubled = "doubled" // twice the value, or reported twice
	Swapped = "swapped" // exchanged with a neighbor of the same kind
)

// Words lists the kinds of lies.
func Words() []string { return []string{Zero, One, Most, Sign, Absent, Empty, Doubled, Swapped} }

// WordsFor lists the lies that apply to a kind of field.
func WordsFor(k Kind) []string {
	switch k {
	case Message:
		return []string{Absent, Empty, Swapped}
	case List:
		return []string{One, Most, Absent, Doubled, Swapped}
	case Number:
		return []string{Zero, One, Most, Sign, Absent, Doubled, Swapped}
	case Truth:
		return []string{Sign, Absent}
	case Window:
		return []string{Zero, Most, Doubled, Swapped}
	case Null:
		return []string{Absent}
	}
	return Words()
}

// Lengths beyond any text or list that is read in full.
const (
	longText = 70_000
	longList = 1_200
)

// change applies a lie to every place below root that matches its field, which is a pattern here.
// It returns the number of places changed.
func change(root *node, told []Lie) int {
	if len(told) == 0 {
		return 0
	}
	changed := 0
	var dropped []place
	for _, p := range places(root) {
		for _, l := range told {
			switch {
			case !matches(l.Field, p.path):
			case l.Value == Absent:
				dropped = append(dropped, p)
			case p.lie(l.Value):
				changed++
			}
		}
	}
	for _, p := range dropped {
		p.parent.parts = slices.DeleteFunc(p.parent.parts, func(n *node) bool { return n == p.node })
	}
	return changed + len(dropped)
}

// lie changes one place. It returns false if the value stays the same.
func (p place) lie(value string) bool {
	if value == Swapped {
		return p.swap()
	}
	n := p.node
	switch p.kind {
	case Message:
		had := len(n.parts) > 0
		n.parts = nil
		return value == Empty && had
	case List:
		return n.lieList(value)
	case Number:
		return n.lieNumber(value)
	case Truth:
		was := n.value
		n.value = map[string]uint64{Zero: 0, One: 1, Most: 1, Sign: 1 - min(n.value, 1), "true": 1, "false": 0}[value]
		return n.value != was
	case Text:
		was := n.text
		n.text = lieText(n.text, value)
		return n.text != was
	case Bytes:
		was := n.bytes
		n.bytes = lieBytes(n.bytes, value)
		return !bytes.Equal(n.bytes, was)
	case Window:
		return p.lieWindow(value)
	}
	return false
}

func (n *node) lieList(value string) bool {
	was := len(n.parts)
	switch value {
	case One:
		n.parts = n.parts[:min(was, 1)]
	case Absent, Empty, Zero:
		n.parts = nil
	case Doubled:
		n.parts = append(slices.Clone(n.parts), n.parts...)
	case Most:
		for was > 0 && len(n.parts) < longList {
			n.parts = append(n.parts, n.parts[:was]...)
		}
	}
	return len(n.parts) != was
}

func (n *node) lieNumber(value string) bool {
	if n.text != "" { // from JSON
		was := n.text
		n.text = lieText(n.text, value)
		return n.text != was
	}
	was := n.value
	switch value {
	case Zero:
		n.value = 0
	case One:
		n.value = 1
	case Most:
		if n.value = math.MaxUint64; n.signed {
			n.value = math.MaxInt64
		}
	case Sign:
		if n.value = ^n.value; n.signed {
			n.value++ // two's complement: minus the value
		}
	case Doubled:
		n.value *= 2
	default:
		if v, err := strconv.ParseUint(value, 10, 64); err == nil {
			n.value = v
		} else if v, err := strconv.ParseInt(value, 10, 64); err == nil {
			n.value = uint64(v)
		}
	}
	return n.value != was
}

var (
	decimal = regexp.MustCompile(`^-?\d+$`)
	hexText = regexp.MustCompile(`^0x[0-9a-fA-F]+$`)
	base58  = regexp.MustCompile(`^[1-9A-HJ-NP-Za-km-z]{32,46}$`)
)

// lieText changes a text. Numbers stay numbers, and addresses stay addresses.
func lieText(was, value string) string {
	switch value {
	case Empty:
		return ""
	case Zero, One, Most, Sign, Doubled:
	default:
		return value
	}
	switch {
	case decimal.MatchString(was):
		n, _ := new(big.Int).SetString(was, 10)
		return map[string]string{Zero: "0", One: "1", Most: "18446744073709551615", Sign: new(big.Int).Neg(n).String(),
			Doubled: new(big.Int).Lsh(n, 1).String()}[value]
	case hexText.MatchString(was) && len(was) > 12:
		digits := len(was) - 2
		return map[string]string{Zero: "0x" + strings.Repeat("0", digits), One: "0x" + strings.Repeat("0", digits-1) + "1",
			Most: "0x" + strings.Repeat("f", digits), Sign: other(was), Doubled: was + was[2:]}[value]
	case base58.MatchString(was):
		return map[string]string{Zero: strings.Repeat("1", 32), One: strings.Repeat("1", 31) + "2", Most: strings.Repeat("z",
			44),
			Sign: other(was), Doubled: was + was}[value]
	}
	return map[string]string{Zero: "0", One: "1", Most: strings.Repeat("A", longText), Sign: other(was), Doubled: was +
		was}[value]
}

// other changes the middle character of a text.
func other(s string) string {
	if s == "" {
		return "?"
	}
	at, by := len(s)/2, byte('2')
	if s[at] == by {
		by = '3'
	}
	return s[:at] + string(by) + s[at+1:]
}

func lieBytes(was []byte, value string) []byte {
	out := make([]byte, len(was))
	switch value {
	case Zero:
	case One:
		if len(out) > 0 {
			out[0] = 1
		}
	case Most, Sign:
		for i := range out {
			if out[i] = 0xff; value == Sign {
				out[i] = ^was[i]
			}
		}
	case Empty:
		return nil
	case Doubled:
		return append(slices.Clone(was), was...)
	default:
		if b, err := hex.DecodeString(strings.TrimPrefix(value, "0x")); err == nil {
			return b
		}
		return []byte(value)
	}
	return out
}

// lieWindow changes up to eight bytes as one number.
func (p place) lieWindow(value string) bool {
	var word [windowSize]byte
	end := min(p.offset+windowSize, len(p.node.bytes))
	copy(word[:], p.node.bytes[p.offset:end])
	n := node{value: binary.LittleEndian.Uint64(word[:])}
	n.lieNumber(value)
	binary.LittleEndian.PutUint64(word[:], n.value)
	was := p.node.bytes
	p.node.bytes = slices.Clone(was)
	copy(p.node.bytes[p.offset:end], word[:])
	return !bytes.Equal(p.node.bytes, was)
}

// swap exchanges a value with its next neighbor of the same kind, or reverses a list.
func (p place) swap() bool {
	n := p.node
	switch p.kind {
	case List:
		slices.Reverse(n.parts)
		return len(n.parts) > 1
	case Window:
		return p.swapWindow()
	}
	at := slices.Index(p.parent.parts, n)
	for _, o := range slices.Concat(p.parent.parts[at+1:], p.parent.parts[:at]) {
		if o.kind != n.kind || o.wire != n.wire || n.kind == Message && p.parent.kind != List && !alike(n, o) {
			continue
		}
		n.parts, o.parts = o.parts, n.parts
		n.value, o.value = o.value, n.value
		n.text, o.text = o.text, n.text
		n.bytes, o.bytes = o.bytes, n.bytes
		return true
	}
	return false
}

// alike reports whether two messages have a field in common, so that they can be exchanged.
func alike(a, b *node) bool {
	return slices.ContainsFunc(a.parts, func(n *node) bool {
		return slices.ContainsFunc(b.parts, func(o *node) bool { return n.name == o.name && n.number == o.number })
	})
}

func (p place) swapWindow() bool {
	b := slices.Clone(p.node.bytes)
	end := p.offset + 2*windowSize
	if end > len(b) {
		return false
	}
	first, second := slices.Clone(b[p.offset:p.offset+windowSize]), b[p.offset+windowSize:end]
	if bytes.Equal(first, second) {
		return false
	}
	copy(b[p.offset:], second)
	copy(b[p.offset+windowSize:], first)
	p.node.bytes = b
	return true
}
