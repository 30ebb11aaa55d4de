package stdio

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// member is one member of an object: its decoded name and its raw value.
type member struct {
	name string
	raw  []byte
}

// text is one JSON value as seen from outside: its first byte and, of an
// object, the members. Slices point into the scanned bytes.
type text struct {
	first   byte
	members []member
	// defect says in words what makes the text ambiguous or excessive although
	// it is JSON: a duplicate member, half a surrogate pair, too deep nesting.
	defect string
}

// scan reads exactly one JSON value from data without recursion, so that no
// nesting can exhaust the stack. An error means that data is no JSON; a defect
// leaves the members usable, so that a refusal can still name its id.
func scan(data []byte, depth int) (text, error) {
	s := scanner{data: data, depth: depth}
	s.space()
	if s.pos == len(data) {
		return text{}, fmt.Errorf("it is empty")
	}
	s.out.first = data[s.pos]
	for {
		s.space()
		if len(s.open) == 1 {
			s.start = s.pos
		}
		opened, err := s.value()
		if err != nil {
			return s.out, err
		}
		if opened {
			continue
		}
		done, err := s.after()
		if err != nil || done {
			return s.out, err
		}
	}
}

type scanner struct {
	data  []byte
	pos   int
	depth int
	open  []byte  // the kinds of the open containers, outermost first
	level []level // one per open container, as far as the depth allows
	names [][]byte
	start int // where the present value of the outermost object begins
	out   text
}

// level is what is remembered of an open container: where its names start in
// scanner.names and, for many names, a set of them.
type level struct {
	first int
	many  map[string]struct{}
}

// few is the number of names up to which comparing one by one is cheaper than a set.
const few = 16

func (s *scanner) malformed(what string) error {
	return fmt.Errorf("%s at byte %d", what, s.pos)
}

func (s *scanner) defect(format string, args ...any) {
	if s.out.defect == "" {
		s.out.defect = fmt.Sprintf(format, args...)
	}
}

func (s *scanner) space() {
	for s.pos < len(s.data) {
		switch s.data[s.pos] {
		case ' ', '\t', '\n', '\r':
			s.pos++
		default:
			return
		}
	}
}

// value reads a scalar or an empty container whole; of any other container it
// reads the opening, and of an object the first name too.
func (s *scanner) value() (opened bool, err error) {
	if s.pos == len(s.data) {
		return false, s.malformed("the text ends too early")
	}
	switch c := s.data[s.pos]; c {
	case '{', '[':
		return s.container(c)
	case '"':
		_, err := s.quoted()
		return false, err
	case 't':
		return false, s.literal("true")
	case 'f':
		return false, s.literal("false")
	case 'n':
		return false, s.literal("null")
	default:
		return false, s.number()
	}
}

func (s *scanner) container(kind byte) (opened bool, err error) {
	s.pos++
	s.open = append(s.open, kind)
	if len(s.open) <= s.depth {
		s.level = append(s.level, level{first: len(s.names)})
	} else {
		s.defect("It nests deeper than %d levels.", s.depth)
	}
	s.space()
	if s.pos < len(s.data) && s.data[s.pos] == kind+2 { // '{'+2 is '}', '['+2 is ']'
		s.pos++
		s.close()
		return false, nil
	}
	if kind == '{' {
		return true, s.name()
	}
	return true, nil
}

func (s *scanner) close() {
	if len(s.open) == len(s.level) {
		top := len(s.level) - 1
		s.names = s.names[:s.level[top].first]
		s.level = s.level[:top]
	}
	s.open = s.open[:len(s.open)-1]
}

// after reads what follows a value, up to the start of the next one.
func (s *scanner) after() (done bool, err error) {
	for {
		if len(s.open) == 1 && s.open[0] == '{' && len(s.out.members) > 0 {
			s.out.members[len(s.out.members)-1].raw = s.data[s.start:s.pos]
		}
		s.space()
		if len(s.open) == 0 {
			if s.pos < len(s.data) {
				return true, s.malformed("something follows the value")
			}
			return true, nil
		}
		if s.pos == len(s.data) {
			return false, s.malformed("the text ends too early")
		}
		kind := s.open[len(s.open)-1]
		switch c := s.data[s.pos]; {
		case c == ',':
			s.pos++
			if kind == '{' {
				return false, s.name()
			}
			return false, nil
		case c == kind+2:
			s.pos++
			s.close()
		default:
			return false, s.malformed("an unexpected character stands")
		}
	}
}

// name reads a member's name and the colon after it.
func (s *scanner) name() error {
	s.space()
	if s.pos == len(s.data) || s.data[s.pos] != '"' {
		return s.malformed("a member's name is missing")
	}
	raw, err := s.quoted()
	if err != nil {
		return err
	}
	name := raw[1 : len(raw)-1]
	if bytes.IndexByte(name, '\\') >= 0 {
		var decoded string
		if err := json.Unmarshal(raw, &decoded); err != nil {
			return s.malformed("a member's name is malformed")
		}
		name = []byte(decoded)
	}
	if len(s.open) == len(s.level) {
		s.remember(name)
	}
	if len(s.open) == 1 {
		s.out.members = append(s.out.members, member{name: string(name)})
	}
	s.space()
	if s.pos == len(s.data) || s.data[s.pos] != ':' {
		return s.malformed("a colon is missing")
	}
	s.pos++
	return nil
}

func (s *scanner) remember(name []byte) {
	l := &s.level[len(s.level)-1]
	known := s.names[l.first:]
	if l.many == nil && len(known) >= few {
		l.many = make(map[string]struct{}, 2*few)
		for _, k := range known {
			l.many[string(k)] = struct{}{}
		}
	}
	if l.many != nil {
		if _, twice := l.many[string(name)]; twice {
			s.defect("The member %.40q is given twice.", name)
		}
		l.many[string(name)] = struct{}{}
		return
	}
	for _, k := range known {
		if bytes.Equal(k, name) {
			s.defect("The member %.40q is given twice.", name)
		}
	}
	s.names = append(s.names, name)
}

func (s *scanner) literal(word string) error {
	if len(s.data)-s.pos < len(word) || string(s.data[s.pos:s.pos+len(word)]) != word {
		return s.malformed("an unknown word stands")
	}
	s.pos += len(word)
	return nil
}

func (s *scanner) digits() bool {
	from := s.pos
	for s.pos < len(s.data) && '0' <= s.data[s.pos] && s.data[s.pos] <= '9' {
		s.pos++
	}
	return s.pos > from
}

func (s *scanner) is(chars string) bool {
	return s.pos < len(s.data) && bytes.IndexByte([]byte(chars), s.data[s.pos]) >= 0
}

func (s *scanner) number() error {
	if s.is("-") {
		s.pos++
	}
	zero := s.is("0")
	from := s.pos
	if !s.digits() || (zero && s.pos > from+1) {
		return s.malformed("an unexpected character stands")
	}
	if s.is(".") {
		s.pos++
		if !s.digits() {
			return s.malformed("a number is malformed")
		}
	}
	if s.is("eE") {
		s.pos++
		if s.is("+-") {
			s.pos++
		}
		if !s.digits() {
			return s.malformed("a number is malformed")
		}
	}
	return nil
}

// quoted reads a string and gives it with its quotes, escapes left as they are.
func (s *scanner) quoted() ([]byte, error) {
	from := s.pos
	s.pos++
	for s.pos < len(s.data) {
		switch c := s.data[s.pos]; {
		case c == '"':
			s.pos++
			return s.data[from:s.pos], nil
		case c == '\\':
			if err := s.escape(); err != nil {
				return nil, err
			}
		case c < 0x20:
			return nil, s.malformed("a raw control character stands")
		case c < utf8.RuneSelf:
			s.pos++
		default:
			r, size := utf8.DecodeRune(s.data[s.pos:])
			if r == utf8.RuneError && size == 1 {
				return nil, s.malformed("invalid UTF-8 stands")
			}
			s.pos += size
		}
	}
	return nil, s.malformed("a string does not end")
}

func (s *scanner) escape() error {
	if len(s.data)-s.pos < 2 {
		return s.malformed("a string does not end")
	}
	switch s.data[s.pos+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		s.pos += 2
		return nil
	case 'u':
	default:
		return s.malformed("an unknown escape stands")
	}
	unit, ok := s.unit(s.pos)
	if !ok {
		return s.malformed("an unknown escape stands")
	}
	s.pos += 6
	switch {
	case 0xdc00 <= unit && unit <= 0xdfff:
		s.defect("A string holds half of a surrogate pair.")
	case 0xd800 <= unit && unit <= 0xdbff:
		low, ok := s.unit(s.pos)
		if !ok || low < 0xdc00 || low > 0xdfff {
			s.defect("A string holds half of a surrogate pair.")
			return nil
		}
		s.pos += 6
	}
	return nil
}

// unit gives the UTF-16 unit of the \u escape at pos, and whether there is one.
func (s *scanner) unit(pos int) (rune, bool) {
	if len(s.data)-pos < 6 || s.data[pos] != '\\' || s.data[pos+1] != 'u' {
		return 0, false
	}
	var unit rune
	for _, c := range s.data[pos+2 : pos+6] {
		switch {
		case '0' <= c && c <= '9':
			unit = unit<<4 | rune(c-'0')
		case 'a' <= c && c <= 'f':
			unit = unit<<4 | rune(c-'a'+10)
		case 'A' <= c && c <= 'F':
			unit = unit<<4 | rune(c-'A'+10)
		default:
			return 0, false
		}
	}
	return unit, true
}
