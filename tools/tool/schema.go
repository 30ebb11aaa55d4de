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

	"github.com/sayurintent/sayurintent/internal/strictjson"
)

// Shape holds a type's constraints that do not follow from its Go kind. Rule describes Pattern in
// words that complete the sentence "x must be …".
type Shape struct {
	Enum      []string
	Pattern   string
	Rule      string
	MinLength int
	MaxLength int
	Minimum   *int64
	Maximum   *int64
}

// Shaped is implemented by types that declare their constraints: an enumeration, a text format or a
// range of numbers.
type Shaped interface{ Shape() Shape }

// Valued is implemented by types that are enumerations.
type Valued interface{ Values() []string }

// JSON types of a node.
const (
	object  = "object"
	array   = "array"
	text    = "string"
	integer = "integer"
	boolean = "boolean"
)

// Extended is implemented by structs that encode themselves as JSON: their fields and further
// string members.
type Extended interface{ Members() []Member }

// Member is an optional string member of an Extended struct.
type Member struct {
	Name, About string
	Shape       Shape
}

// node is the schema of a type.
type node struct {
	kind   string
	about  string
	shape  Shape
	props  []prop // of an object
	items  *node  // elements of an array
	values *node  // values of an object with arbitrary member names
	preset json.RawMessage
	null   bool // the value can also be null
	hidden bool // omitted from listed schemas
	brief  bool // its name or another tool describes it well enough, so listed schemas omit its description or members
}

// prop is one member of an object's schema.
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

// objectOf derives the schema of arguments or of an answer from a Go type. Objects below the given
// number of levels have no members. In a list of the type that contains the list, such as the steps
// of an intent, the elements are objects without members. objectOf returns an error if t is not an
// object or contains floating-point numbers, other recursion, or types whose JSON form is unknown.
func objectOf(t reflect.Type, levels int) (node, error) {
	return objects.get(objectKey{t, levels}, func() (node, error) {
		n, err := reader{levels: levels}.read(t)
		if err == nil && n.kind != object {
			err = fmt.Errorf("%s is not an object", t)
		}
		return n, err
	})
}

// reader holds the structs that contain the current one, and the number of levels left.
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

// shapeOf returns the constraints that a type declares. It checks for methods first, because most
// types have none, and creating a value of a large type is expensive.
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

// use is what a schema is used for.
type use uint8

const (
	checking use = iota // validates answers: no descriptions
	judging             // validates arguments: all constraints, and no unknown members
	listing             // listed for models: as short as possible
)

// listedDepth is the number of levels with descriptions in a listed schema. Deeper members are
// listed by name only, but are still validated.
const listedDepth = 2

// write appends the schema as compact JSON, with members in the order of the Go type. Objects more
// than depth levels below n have no members. level is the level of n itself.
func (n *node) write(b []byte, depth, level int, why use) []byte {
	if n.null {
		// Several clients support only one type per schema, so null is a separate alternative.
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

// leaf reports whether n is neither an object nor an array.
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

// Between returns the shape of an integer from least to most, inclusive.
func Between(least, most int64) Shape { return Shape{Minimum: &least, Maximum: &most} }

// AtLeast returns the shape of an integer that is at least least.
func AtLeast(least int64) Shape { return Shape{Minimum: &least} }

func member(b []byte, name, value string) []byte {
	quoted, err := strictjson.Encode(value)
	if err != nil {
		panic(err) // unreachable: a string can always be encoded
	}
	return append(append(append(append(b, `,"`...), name...), `":`...), quoted...)
}

func list(b []byte, name string, values []string) []byte {
	quoted, err := strictjson.Encode(values)
	if err != nil {
		panic(err) // unreachable: strings can always be encoded
	}
	return append(append(append(append(b, `,"`...), name...), `":`...), quoted...)
}

// InputSchema returns the advertised schema of the arguments with all members. It omits text
// formats and the descriptions of nested members, which WholeInputSchema contains.
func (t Tool) InputSchema() json.RawMessage { return t.in.schema(maxDepth, listing) }

// WholeInputSchema returns the complete schema that validates arguments. It allows no unknown
// members.
func (t Tool) WholeInputSchema() json.RawMessage { return t.in.schema(maxDepth, judging) }

// maxDepth is deeper than any declared type.
const maxDepth = 99

// ListedOutputSchema returns the advertised schema of an answer, which covers only the envelope.
// Models do not read output schemas; WholeOutputSchema and the reference contain the rest.
func (t Tool) ListedOutputSchema() json.RawMessage { return t.enveloped(t.out).schema(1, checking) }

// outputDepth is the number of levels that are validated in answers: the envelope and the members
// of data.
const outputDepth = 2

// OutputSchema returns the schema that validates answers before they are sent.
func (t Tool) OutputSchema() json.RawMessage { return t.enveloped(t.out).schema(outputDepth, checking) }

// WholeOutputSchema returns the complete schema of an answer. It panics if a nested type has no
// schema, which Lint reports.
func (t Tool) WholeOutputSchema() json.RawMessage {
	return t.enveloped(t.whole()).schema(maxDepth, checking)
}

// enveloped returns the schema of the envelope that contains data.
func (t Tool) enveloped(data node) *node {
	if len(t.Cases) > 0 {
		data.props = append(slices.Clip(data.props), prop{"userAnswerUse", false, node{kind: object}})
	}
	return &node{kind: object, props: []prop{{"ok", true, node{kind: boolean}}, {"data", true, data}}}
}

// schema returns n as compact JSON.
func (n *node) schema(depth int, why use) json.RawMessage {
	return bytes.Clone(n.write(make([]byte, 0, usualSchema), depth, 0, why))
}

// usualSchema is the capacity in bytes for most schemas.
const usualSchema = 2 << 10
