package graphql

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strconv"
	"time"
)

// reply is one value of an answer: raw JSON, an object, or a list. The zero
// reply is null.
type reply struct {
	raw    json.RawMessage
	object *object
	list   []reply
	isList bool
}

// object is a value of a named type. A field is computed when it is requested.
type object struct {
	typ    string
	fields map[string]field
}

// field computes a value from the arguments of its selection.
type field func(args map[string]json.RawMessage) (reply, error)

// fixed returns a field without arguments.
func fixed(r reply) field {
	return func(map[string]json.RawMessage) (reply, error) { return r, nil }
}

// typed returns an object of a schema type, with its name for __typename and fragments.
func typed(typ string, fields map[string]field) reply {
	return reply{object: &object{typ, fields}}
}

// text returns a JSON string. Strings that need no escapes, as most here, take a fast path.
func text(s string) reply {
	for _, c := range []byte(s) {
		if c < ' ' || c > '~' || c == '"' || c == '\\' {
			b, _ := json.Marshal(s)
			return reply{raw: b}
		}
	}
	return reply{raw: json.RawMessage(`"` + s + `"`)}
}

// number returns an Int or a UInt53, which the service writes as a JSON number.
func number(n uint64) reply { return reply{raw: strconv.AppendUint(nil, n, 10)} }
func boolean(v bool) reply  { return reply{raw: strconv.AppendBool(nil, v)} }
func list(l []reply) reply  { return reply{list: l, isList: true} }

// dateTime returns a DateTime.
func dateTime(t time.Time) reply {
	return text(t.UTC().Truncate(time.Millisecond).Format("2006-01-02T15:04:05.000Z"))
}

// write writes the JSON of a reply, limited to the selected fields.
func (r reply) write(out *bytes.Buffer, fields []selection) error {
	switch {
	case r.object != nil:
		if len(fields) == 0 {
			return badQuery("Field of type \"" + r.object.typ + "\" must have a selection of subfields")
		}
		out.WriteByte('{')
		first := true
		if err := r.object.write(out, fields, &first); err != nil {
			return err
		}
		out.WriteByte('}')
	case r.isList:
		out.WriteByte('[')
		for i, item := range r.list {
			if i > 0 {
				out.WriteByte(',')
			}
			if err := item.write(out, fields); err != nil {
				return err
			}
		}
		out.WriteByte(']')
	case r.raw == nil:
		out.WriteString("null")
	default:
		out.Write(r.raw)
	}
	return nil
}

// write writes the selected fields of an object, including those of matching fragments.
func (o *object) write(out *bytes.Buffer, fields []selection, first *bool) error {
	for _, s := range fields {
		if s.on != "" {
			if s.on == o.typ {
				if err := o.write(out, s.fields, first); err != nil {
					return err
				}
			}
			continue
		}
		value := text(o.typ)
		if s.name != "__typename" {
			field, ok := o.fields[s.name]
			if !ok {
				return &queryError{"Unknown field \"" + s.name + "\" on type \"" + o.typ +
					"\", or one that the sandbox does not have.", "GRAPHQL_VALIDATION_FAILED"}
			}
			var err error
			if value, err = field(s.args); err != nil {
				return err
			}
		}
		if !*first {
			out.WriteByte(',')
		}
		*first = false
		out.WriteString(strconv.Quote(s.key) + ":")
		if err := value.write(out, s.fields); err != nil {
			return err
		}
	}
	return nil
}

// argument reads one argument; if it is absent or null, into keeps its value.
func argument[T any](args map[string]json.RawMessage, name string, into *T) error {
	raw, ok := args[name]
	if !ok {
		return nil
	}
	if json.Unmarshal(raw, into) != nil {
		return badInput("Invalid value for argument \"" + name + "\"")
	}
	return nil
}

// Page sizes, as on mainnet.
const (
	defaultPage    = 20
	maxPage        = 50
	maxObjectPage  = 1024
	maxMultiGet    = 200
	cursorOfPlaces = "at:"
)

// window is the part of a list on one page: the items with indexes from to to-1. places are the
// items' own ascending numbers. Cursors contain them, so they stay valid when a list grows or
// another query lists it.
type window struct {
	places   []int
	from, to int
}

// counted returns the places of a list whose items are numbered from 0.
func counted(total int) []int {
	places := make([]int, total)
	for i := range places {
		places[i] = i
	}
	return places
}

// pageOf reads the page that the four arguments of a connection request. most is the maximum page
// size.
func pageOf(args map[string]json.RawMessage, places []int, most int) (window, error) {
	var first, last *int
	var after, before *string
	for _, err := range []error{
		argument(args, "first", &first), argument(args, "last", &last), argument(args, "after", &after), argument(args,
			"before", &before),
	} {
		if err != nil {
			return window{}, err
		}
	}
	if first != nil && last != nil {
		return window{}, badInput("Cannot provide both first and last")
	}
	size := defaultPage
	for _, n := range []*int{first, last} {
		if n != nil {
			size = *n
		}
	}
	if size < 0 || size > most {
		return window{}, badInput("Page size of " + strconv.Itoa(size) + " exceeds max of " + strconv.Itoa(most))
	}
	w := window{places, 0, len(places)}
	if after != nil {
		at, err := placeOf(*after)
		if err != nil {
			return window{}, err
		}
		w.from, _ = slices.BinarySearch(places, at+1)
	}
	if before != nil {
		at, err := placeOf(*before)
		if err != nil {
			return window{}, err
		}
		w.to, _ = slices.BinarySearch(places, at)
	}
	w.to = max(w.from, w.to)
	if last != nil {
		w.from = max(w.from, w.to-size)
	} else {
		w.to = min(w.to, w.from+size)
	}
	return w, nil
}

// cursorOf returns an opaque cursor for a place in a list.
func cursorOf(at int) string {
	return base64.StdEncoding.EncodeToString([]byte(cursorOfPlaces + strconv.Itoa(at)))
}

// placeOf reads a cursor from cursorOf and rejects any other text.
func placeOf(cursor string) (int, error) {
	b, err := base64.StdEncoding.DecodeString(cursor)
	rest, ok := bytes.CutPrefix(b, []byte(cursorOfPlaces))
	at, notNumber := strconv.Atoi(string(rest))
	if err != nil || !ok || notNumber != nil || at < 0 {
		return 0, badInput("Failed to decode cursor")
	}
	return at, nil
}

// connection returns a page of a list whose items are numbered from 0.
func connection(typ string, total, most int, node func(int) reply) field {
	return func(args map[string]json.RawMessage) (reply, error) {
		w, err := pageOf(args, counted(total), most)
		if err != nil {
			return reply{}, err
		}
		return w.reply(typ, node), nil
	}
}

// reply returns the page; node returns the item at a place.
func (w window) reply(typ string, node func(int) reply) reply {
	var nodes []reply
	info := map[string]field{
		"hasPreviousPage": fixed(boolean(w.from > 0)), "hasNextPage": fixed(boolean(w.to < len(w.places))),
		"startCursor": fixed(reply{}), "endCursor": fixed(reply{}),
	}
	for _, at := range w.places[w.from:w.to] {
		nodes = append(nodes, node(at))
	}
	if w.to > w.from {
		info["startCursor"], info["endCursor"] = fixed(text(cursorOf(w.places[w.from]))),
			fixed(text(cursorOf(w.places[w.to-1])))
	}
	return typed(typ, map[string]field{"nodes": fixed(list(nodes)), "pageInfo": fixed(typed("PageInfo", info))})
}
