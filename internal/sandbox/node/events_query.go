package node

import (
	"encoding/binary"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/types/known/fieldmaskpb"

	"github.com/sayurintent/sayurintent/internal/sandbox/ledger"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// message holds the fields of a protobuf message by number: the last value of each numeric field,
// and all values of the others.
type message struct {
	numbers map[protowire.Number]uint64
	lists   map[protowire.Number][][]byte
}

// parseMessage reads a message with only numeric fields and fields of bytes, string or message
// type.
func parseMessage(b []byte) (message, error) {
	m := message{map[protowire.Number]uint64{}, map[protowire.Number][][]byte{}}
	for len(b) > 0 {
		n, kind, used := protowire.ConsumeTag(b)
		if used < 0 {
			return m, ledger.Refuse("the message cannot be read")
		}
		rest, size := b[used:], 0
		switch kind {
		case protowire.VarintType:
			m.numbers[n], size = protowire.ConsumeVarint(rest)
		case protowire.BytesType:
			var v []byte
			v, size = protowire.ConsumeBytes(rest)
			m.lists[n] = append(m.lists[n], v)
		default:
			size = -1
		}
		if size < 0 {
			return m, ledger.Refuse("field %d cannot be read", n)
		}
		b = rest[size:]
	}
	return m, nil
}

// number returns the number in a field, or nil if absent.
func (m message) number(n protowire.Number) *uint64 {
	if v, ok := m.numbers[n]; ok {
		return &v
	}
	return nil
}

// text returns the last value of a field of bytes, string or message type, "" if absent.
func (m message) text(n protowire.Number) string {
	if list := m.lists[n]; len(list) > 0 {
		return string(list[len(list)-1])
	}
	return ""
}

// below returns the last message of a field; an absent one is empty.
func (m message) below(n protowire.Number) (message, error) { return parseMessage([]byte(m.text(n))) }

// position reads a cursor.
func (m message) position(n protowire.Number) (*uint64, error) {
	list := m.lists[n]
	if len(list) == 0 {
		return nil, nil
	}
	if len(list[0]) != 8 {
		return nil, ledger.Refuse("invalid cursor")
	}
	v := binary.BigEndian.Uint64(list[0])
	return &v, nil
}

// parseEventsPage reads a ListEventsRequest.
func parseEventsPage(b []byte) (p eventsPage, err error) {
	q, err := parseMessage(b)
	if err != nil {
		return p, err
	}
	p.start, p.end = q.number(2), q.number(3)
	mask, err := q.below(1)
	if err != nil {
		return p, err
	}
	p.mask = &fieldmaskpb.FieldMask{}
	for _, path := range mask.lists[1] {
		// The sandbox has no JSON values; they are omitted.
		if string(path) != "json" {
			p.mask.Paths = append(p.mask.Paths, string(path))
		}
	}
	options, err := q.below(5)
	if err != nil {
		return p, err
	}
	if p.after, err = options.position(2); err != nil {
		return p, err
	}
	if p.before, err = options.position(3); err != nil {
		return p, err
	}
	limit := uint32(min(options.numbers[1], maxPage))
	p.limit, p.descending = pageSize(&limit), options.numbers[4] == 1
	p.matches = func(ledger.Logged) bool { return true }
	if len(q.lists[4]) > 0 {
		p.matches, err = parseEventFilter(q.lists[4][0])
	}
	return p, err
}

// parseEventFilter reads an EventFilter: any term may match; within a term, all literals must.
func parseEventFilter(b []byte) (func(ledger.Logged) bool, error) {
	filter, err := parseMessage(b)
	if err != nil {
		return nil, err
	}
	var terms [][]func(ledger.Logged) bool
	for _, t := range filter.lists[1] {
		term, err := parseMessage(t)
		if err != nil {
			return nil, err
		}
		var all []func(ledger.Logged) bool
		for _, l := range term.lists[1] {
			literal, err := parseLiteral(l)
			if err != nil {
				return nil, err
			}
			all = append(all, literal)
		}
		if len(all) == 0 {
			return nil, ledger.Refuse("a term of the filter has no literals")
		}
		terms = append(terms, all)
	}
	if len(terms) == 0 {
		return nil, ledger.Refuse("the filter has no terms")
	}
	return func(e ledger.Logged) bool {
		for _, all := range terms {
			holds := true
			for _, literal := range all {
				holds = holds && literal(e)
			}
			if holds {
				return true
			}
		}
		return false
	}, nil
}

// Fields of an EventLiteral.
const (
	literalNegated    = 1
	literalSender     = 2
	literalEmitModule = 3
	literalEventType  = 4
)

// parseLiteral reads a predicate, which may be negated.
func parseLiteral(b []byte) (func(ledger.Logged) bool, error) {
	l, err := parseMessage(b)
	if err != nil {
		return nil, err
	}
	var holds func(ledger.Logged) bool
	for _, n := range []protowire.Number{literalSender, literalEmitModule, literalEventType} {
		if len(l.lists[n]) == 0 {
			continue
		}
		inner, err := l.below(n)
		if err != nil || len(inner.lists[1]) != 1 || holds != nil {
			return nil, ledger.Refuse("a literal of the filter is not one predicate")
		}
		if holds, err = predicate(n, string(inner.lists[1][0])); err != nil {
			return nil, err
		}
	}
	switch {
	case holds == nil:
		return nil, ledger.Refuse("the sandbox filters events by sender, module and type only")
	case l.numbers[literalNegated] != 0:
		return func(e ledger.Logged) bool { return !holds(e) }, nil
	}
	return holds, nil
}

// predicate reads the comparison of a literal. Types and modules may be truncated at "::"; a type
// without parameters matches all of them.
func predicate(n protowire.Number, value string) (func(ledger.Logged) bool, error) {
	head, rest, more := strings.Cut(value, "::")
	a, err := sui.ParseAddress(head)
	if err != nil {
		return nil, ledger.Refuse("invalid address in the filter: %q", head)
	}
	path := a.String()
	if more {
		path += "::" + rest
	}
	switch n {
	case literalSender:
		if more {
			return nil, ledger.Refuse("invalid sender %q", value)
		}
		return func(e ledger.Logged) bool { return e.Sender == a }, nil
	case literalEmitModule:
		return func(e ledger.Logged) bool { return isBelow(e.Package.String()+"::"+e.Module, path) }, nil
	}
	if strings.Contains(path, "<") {
		t, err := sui.ParseTypeTag(value)
		if err != nil {
			return nil, ledger.Refuse("invalid event_type %q", value)
		}
		return func(e ledger.Logged) bool { return e.Type == t.String() }, nil
	}
	return func(e ledger.Logged) bool {
		bare, _, _ := strings.Cut(e.Type, "<")
		return isBelow(bare, path)
	}, nil
}

// isBelow reports whether a name equals path or is below it.
func isBelow(name, path string) bool {
	return name == path || strings.HasPrefix(name, path+"::")
}
