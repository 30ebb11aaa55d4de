package tool

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Shape is a type's schema in addition to its Go kind. Rule describes Pattern in words that
// complete the sentence "x must be …".
type Shape struct {
	Enum      []string
	Pattern   string
	Rule      string
	MinLength int
	MaxLength int
	Minimum   *int64
	Maximum   *int64
}

// Shaped is a type that declares its constraints: an enumeration, a text format, or a range of
// numbers.
type Shaped interface{ Shape() Shape }

// Valued is a type that is an enumeration.
type Valued interface{ Values() []string }

// JSON types of a node.
const (
	object  = "object"
	array   = "array"
	text    = "string"
	integer = "integer"
	boolean = "boolean"
)

// Extended is a struct that writes its own JSON: its fields, and further texts beside them.
type Extended interface{ Members() []Member }

// Member is an optional text of an Extended struct.
type Member struct {
	Name, About string
	Shape       Shape
}

// node is a schema of one type and its contents.
type node struct {
	kind   string
	about  string
	shape  Shape
	props  []prop // for an object
	items  *node  // for an array
	values *node  // for an object with arbitrary member names
	preset json.RawMessage
	null   bool // null is a separate value
	hidden bool // omitted from listed schemas
	brief  bool // described well enough by its name or another tool, so listed schemas omit its description or members
}

// prop is one member of an object.
type prop struct {
	name     string
	required bool
	node     node
}

func (n *node) prop(name string) (*node, bool) {
	for i := range n.props {
		if n.props[i].name == name {
			return &n.props[i].node, true
		}
	}
	return nil, false
}

func (n *node) names() []string {
	var names []string
	for _, p := range n.props {
		names = append(names, p.name)
	}
	return names
}

var (
	shapedType = reflect.TypeFor[Shaped]()
	valuedType = reflect.TypeFor[Valued]()
	textType   = reflect.TypeFor[encoding.TextMarshaler]()
	jsonType   = reflect.TypeFor[json.Marshaler]()
	moreType   = reflect.TypeFor[Extended]()
	timeType   = reflect.TypeFor[time.Time]()
)

// objectOf derives the schema of arguments or of an answer from a Go type, to a depth of members;
// deeper objects have no members. It returns an error for types whose JSON is unknown,
// floating-point numbers, recursive types, and types that are not objects. A list of the type that
// contains it, such as the steps of an intent, is a list of objects without members.
func objectOf(t reflect.Type, levels int) (node, error) {
	return objects.get(objectKey{t, levels}, func() (node, error) {
		n, err := reader{levels: levels}.read(t)
		if err == nil && n.kind != object {
			err = fmt.Errorf("%s is not an object", t)
		}
		return n, err
	})
}

// reader tracks the structs that contain the current one, and the remaining depth.
type reader struct {
	inside []reflect.Type
	levels int
}

func (r reader) read(t reflect.Type) (node, error) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	shape := shapeOf(t)
	switch {
	case t == timeType, t.Implements(textType), reflect.PointerTo(t).Implements(textType):
		return node{kind: text, shape: shape}, nil
	case t.Implements(moreType):
		return r.extended(t)
	case t.Implements(jsonType), reflect.PointerTo(t).Implements(jsonType):
		return node{}, fmt.Errorf("%s writes its own JSON", t)
	}
	switch t.Kind() {
	case reflect.String:
		return node{kind: text, shape: shape}, nil
	case reflect.Bool:
		return node{kind: boolean}, nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return node{kind: integer, shape: shape}, nil
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return node{}, fmt.Errorf("%s is bytes", t)
		}
		if slices.Contains(r.inside, t.Elem()) {
			return node{kind: array, items: &node{kind: object}}, nil
		}
		items, err := r.read(t.Elem())
		return node{kind: array, items: &items}, err
	case reflect.Map:
		if r.levels == 0 {
			return node{kind: object}, nil
		}
		r.levels--
		values, err := r.read(t.Elem())
		return node{kind: object, values: &values}, err
	case reflect.Struct:
		return r.object(t)
	}
	return node{}, fmt.Errorf("%s has no schema", t)
}

func (r reader) object(t reflect.Type) (node, error) {
	for _, outer := range r.inside {
		if outer == t {
			return node{}, fmt.Errorf("%s contains itself", t)
		}
	}
	if r.levels == 0 {
		return node{kind: object}, nil
	}
	r.inside = append(append(make([]reflect.Type, 0, len(r.inside)+1), r.inside...), t)
	n := node{kind: object, props: make([]prop, 0, t.NumField())}
	for i := range t.NumField() {
		f := t.Field(i)
		tag, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous && tag == "" && f.Type.Kind() == reflect.Struct {
			inner, err := r.object(f.Type)
			if err != nil {
				return node{}, err
			}
			n.props = append(n.props, inner.props...)
			continue
		}
		if !f.IsExported() || tag == "-" {
			continue
		}
		p, err := r.member(f, tag, options)
		if err != nil {
			return node{}, err
		}
		n.props = append(n.props, p)
	}
	return n, nil
}

func (r reader) extended(t reflect.Type) (node, error) {
	n, err := r.object(t)
	if err != nil || r.levels == 0 {
		return n, err
	}
	for _, m := range reflect.Zero(t).Interface().(Extended).Members() {
		n.props = append(n.props, prop{m.Name, false, node{kind: text, about: m.About, shape: m.Shape}})
	}
	return n, nil
}

// shapeOf returns a type's own constraints. It looks for the method first, because most types have
// none and a value of a large type is expensive.
func shapeOf(t reflect.Type) (shape Shape) {
	if t.NumMethod() == 0 {
		return shape
	}
	switch {
	case t.Implements(shapedType):
		shape = reflect.Zero(t).Interface().(Shaped).Shape()
	case t.Implements(valuedType):
		shape.Enum = reflect.Zero(t).Interface().(Valued).Values()
	}
	return shape
}

func (r reader) member(f reflect.StructField, tag, options string) (prop, error) {
	if tag == "" {
		tag = f.Name
	}
	r.levels--
	n, err := r.read(f.Type)
	if err != nil {
		return prop{}, fmt.Errorf("%s: %w", tag, err)
	}
	optional := false
	for option := range strings.SplitSeq(options, ",") {
		optional = optional || option == "omitempty" || option == "omitzero"
		if option == "string" {
			n.kind = text
		}
	}
	n.about = f.Tag.Get("description")
	_, n.null = f.Tag.Lookup("null")
	_, n.brief = f.Tag.Lookup("brief")
	_, n.hidden = f.Tag.Lookup("hidden")
	if preset, ok := f.Tag.Lookup("default"); ok {
		n.preset, optional = json.RawMessage(preset), true
		if n.kind == text {
			n.preset = json.RawMessage(strconv.Quote(preset))
		}
	}
	return prop{tag, !optional, n}, nil
}

// use is the purpose of a schema.
type use uint8

const (
	checking use = iota // check answers: no descriptions
	judging             // check arguments: all constraints, and no other members
	listing             // for models: as short as possible
)

// listedDepth is the number of levels that a listed schema describes and closes. Below, names are
// enough; values are still checked everywhere.
const listedDepth = 2

// write appends the schema as compact JSON, with members in the order of the Go type. Objects below
// depth have no members; level is n's own depth.
func (n *node) write(b []byte, depth, level int, why use) []byte {
	if n.null {
		// Several clients support only a single type, so null is a separate alternative.
		plain := *n
		plain.null = false
		b = plain.write(append(b, `{"anyOf":[`...), depth, level, why)
		return append(b, `,{"type":"null"}]}`...)
	}
	b = append(append(append(b, `{"type":"`...), n.kind...), '"')
	if n.about != "" && (why == judging || why == listing && level <= listedDepth && !(n.brief && n.leaf())) {
		b = member(b, "description", n.about)
	}
	shape := n.shape
	if why == listing {
		shape = Shape{Enum: shape.Enum, Maximum: shape.Maximum}
	}
	b = shape.write(b)
	if n.preset != nil && (why != listing || !slices.Contains([]string{"false", "0", `""`}, string(n.preset))) {
		b = append(append(b, `,"default":`...), n.preset...)
	}
	switch {
	case n.brief && why == listing:
		if n.items != nil {
			b = append(append(append(b, `,"items":{"type":"`...), n.items.kind...), `"}`...)
		}
	case n.items != nil:
		b = append(b, `,"items":`...)
		b = n.items.write(b, depth, level, why)
	case n.values != nil && depth > 0:
		b = append(b, `,"additionalProperties":`...)
		b = n.values.write(b, depth-1, level+1, why)
	case n.kind == object && n.values == nil && depth > 0:
		b = n.writeProps(b, depth, level, why)
	}
	return append(b, '}')
}

// leaf reports whether a value has no parts.
func (n *node) leaf() bool { return n.kind != object && n.kind != array }

func (n *node) writeProps(b []byte, depth, level int, why use) []byte {
	b = append(b, `,"properties":{`...)
	var required []string
	for i := range n.props {
		p := &n.props[i]
		if why == listing && p.node.hidden {
			continue
		}
		if b[len(b)-1] != '{' {
			b = append(b, ',')
		}
		b = append(append(append(b, '"'), p.name...), `":`...)
		b = p.node.write(b, depth-1, level+1, why)
		if p.required {
			required = append(required, p.name)
		}
	}
	b = append(b, '}')
	if len(required) > 0 {
		b = list(b, "required", required)
	}
	if why == judging {
		b = append(b, `,"additionalProperties":false`...)
	}
	return b
}

func (s Shape) write(b []byte) []byte {
	if len(s.Enum) > 0 {
		b = list(b, "enum", s.Enum)
	}
	if s.Pattern != "" {
		b = member(b, "pattern", s.Pattern)
	}
	for _, bound := range []struct {
		name  string
		value *int64
	}{
		{"minLength", positive(s.MinLength)}, {"maxLength", positive(s.MaxLength)},
		{"minimum", s.Minimum}, {"maximum", s.Maximum},
	} {
		if bound.value != nil {
			b = append(append(append(b, `,"`...), bound.name...), `":`...)
			b = strconv.AppendInt(b, *bound.value, 10)
		}
	}
	return b
}

func positive(n int) *int64 {
	if n == 0 {
		return nil
	}
	v := int64(n)
	return &v
}

// Between returns the inclusive range of an integer.
func Between(least, most int64) Shape { return Shape{Minimum: &least, Maximum: &most} }

// AtLeast returns the minimum of an integer.
func AtLeast(least int64) Shape { return Shape{Minimum: &least} }

func member(b []byte, name, value string) []byte {
	quoted, err := compact(value)
	if err != nil {
		panic(err) // a string always marshals
	}
	return append(append(append(append(b, `,"`...), name...), `":`...), quoted...)
}

func list(b []byte, name string, values []string) []byte {
	quoted, err := compact(values)
	if err != nil {
		panic(err) // strings always marshal
	}
	return append(append(append(append(b, `,"`...), name...), `":`...), quoted...)
}

// InputSchema returns the advertised schema of the arguments with every member. It omits formats of
// texts and descriptions of nested members, which are in WholeInputSchema.
func (t Tool) InputSchema() json.RawMessage { return t.in.schema(maxDepth, listing) }

// WholeInputSchema returns the complete, closed schema that arguments are checked against.
func (t Tool) WholeInputSchema() json.RawMessage { return t.in.schema(maxDepth, judging) }

// maxDepth is deeper than any declared type.
const maxDepth = 99

// ListedOutputSchema returns the advertised schema of an answer, which is only the envelope. The
// rest is in WholeOutputSchema and the reference, because models do not read output schemas.
func (t Tool) ListedOutputSchema() json.RawMessage { return t.enveloped(t.out).schema(1, checking) }

// outputDepth is the number of levels that are checked in answers: the envelope's and those of
// data.
const outputDepth = 2

// OutputSchema returns the schema that answers are checked against before they are sent.
func (t Tool) OutputSchema() json.RawMessage { return t.enveloped(t.out).schema(outputDepth, checking) }

// WholeOutputSchema returns the complete schema of an answer. It panics if Lint reports a nested
// type without a schema.
func (t Tool) WholeOutputSchema() json.RawMessage {
	return t.enveloped(t.whole()).schema(maxDepth, checking)
}

// enveloped returns the schema of an envelope around data.
func (t Tool) enveloped(data node) *node {
	if len(t.Cases) > 0 {
		data.props = append(slices.Clip(data.props), prop{"userAnswerUse", false, node{kind: object}})
	}
	return &node{kind: object, props: []prop{{"ok", true, node{kind: boolean}}, {"data", true, data}}}
}

// schema is n as compact JSON in a slice without spare capacity.
func (n *node) schema(depth int, why use) json.RawMessage {
	return bytes.Clone(n.write(make([]byte, 0, usualSchema), depth, 0, why))
}

// usualSchema is the size of most schemas.
const usualSchema = 2 << 10
