// Package strictjson reads JSON that can be understood in only one way: a single value in valid
// UTF-8, without duplicate, unknown or misspelled members, without null in place of a value, and
// with limited nesting. Encode writes JSON for programs and agents to read.
//
// The package does not limit the size of the input and does not check values. That is left to
// callers.
package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// MaxDepth limits the nesting of arrays and objects.
const MaxDepth = 32

// ErrTooDeep is the cause of the error for input that is nested too deeply.
var ErrTooDeep = errors.New("strictjson: too deep")

// Value is a JSON value: its text, its nesting depth, and its tree of maps, slices and scalars, in
// which numbers are json.Number. Tree is nil if no value was read.
type Value struct {
	Raw   []byte
	Tree  any
	Depth int
}

// Read reads the next value from d, with at most limit levels of nesting. It does not set Raw. It
// relies on the Decoder, which rejects duplicate names and invalid UTF-8 by default.
func Read(d *jsontext.Decoder, limit int) (Value, error) {
	w := walker{d: d, build: true, limit: limit}
	tree, err := w.value(nil, "", 0)
	return Value{Tree: tree, Depth: w.deepest}, err
}

// Tree checks data like Check, and returns its tree.
func Tree(data []byte) (Value, error) {
	tree, err := read(data, nil, true)
	return Value{Raw: data, Tree: tree}, err
}

// Decode decodes data, which must be a single JSON value, into a T. The names of members must match
// T's json tags exactly. Decode rejects unknown and duplicate members, and null except for a
// pointer, slice or map. A missing member leaves the field zero. Errors are fault.InputInvalid and
// name the member.
func Decode[T any](data []byte) (T, error) {
	var value T
	if err := check(data, typeOf(value)); err != nil {
		return value, err
	}
	if err := json.Unmarshal(data, &value); err != nil {
		var zero T
		return zero, explain(err)
	}
	return value, nil
}

// Encode returns v as JSON on one line. Unlike json.Marshal, it does not escape <, > and &, because
// the text is not part of a page.
func Encode[T any](v T) ([]byte, error) {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, fault.Wrap(err, fault.InternalError, "A value cannot be encoded as JSON.")
	}
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), nil
}

// Check is like Decode without a type.
func Check(data []byte) error { return check(data, nil) }

func check(data []byte, s *shape) error {
	_, err := read(data, s, false)
	return err
}

func read(data []byte, s *shape, build bool) (any, error) {
	w := walker{d: jsontext.NewDecoder(bytes.NewBuffer(data)), build: build, limit: MaxDepth}
	value, err := w.value(s, "", 0)
	if err != nil {
		return nil, diagnose(data, err)
	}
	//mutant:never ./internal/strictjson TestRefusals/two values
	if _, err := w.d.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, fault.New(fault.InputInvalid, "The JSON has data after its end: send exactly one value.")
	}
	return value, nil
}

// diagnose returns why data was rejected. It first checks for the two errors that concern the whole
// text.
func diagnose(data []byte, err error) error {
	twice := jsontext.AllowDuplicateNames(true)
	switch text := jsontext.Value(data); {
	//mutant:never ./internal/strictjson TestRefusals/bad UTF-8
	case !utf8.Valid(data):
		return fault.New(fault.InputInvalid, "The JSON is not valid UTF-8.")
	//mutant:never ./internal/strictjson TestRefusals/high surrogate alone
	case text.IsValid(twice, jsontext.AllowInvalidUTF8(true)) && !text.IsValid(twice):
		return fault.New(fault.InputInvalid, "The JSON has half of a surrogate pair in a string.")
	}
	return explain(err)
}

// walker compares tokens with a shape. If build is set, it also builds the value.
type walker struct {
	d       *jsontext.Decoder
	build   bool
	limit   int // maximum nesting levels
	deepest int
}

func (w *walker) value(s *shape, path string, depth int) (any, error) {
	token, err := w.d.ReadToken()
	if err != nil {
		return nil, err
	}
	switch kind := token.Kind(); kind {
	case 'n':
		if s != nil && !s.nullable {
			return nil, fault.New(fault.InputInvalid, "%s is null; omit it or set a value.", name(path))
		}
		return nil, nil
	case '{', '[':
		//mutant:never ./internal/strictjson TestRefusals/deep
		if depth >= w.limit {
			return nil, fault.Wrap(ErrTooDeep, fault.InputInvalid, "The JSON nests deeper than %d levels.", w.limit)
		}
		w.deepest = max(w.deepest, depth+1)
		if kind == '{' {
			return w.object(s, path, depth+1)
		}
		return w.array(s, path, depth+1)
	default:
		return w.scalar(token), nil
	}
}

func (w *walker) scalar(token jsontext.Token) any {
	switch {
	case !w.build:
		return nil
	case token.Kind() == '"':
		return token.String()
	case token.Kind() == '0':
		return json.Number(token.String())
	}
	return token.Bool()
}

func (w *walker) object(s *shape, path string, depth int) (any, error) {
	var members map[string]any
	if w.build {
		members = map[string]any{}
	}
	for w.d.PeekKind() != '}' {
		token, err := w.d.ReadToken()
		//mutant:never ./internal/strictjson TestRefusals/duplicate
		if syntax := new(jsontext.SyntacticError); errors.Is(err, jsontext.ErrDuplicateName) && errors.As(err, &syntax) {
			return nil, fault.Wrap(err, fault.InputInvalid, "%s appears twice.",
				name(join(path, syntax.JSONPointer.LastToken())))
		}
		if err != nil {
			return nil, err
		}
		key := token.String()
		at := join(path, key)
		member, known := s.member(key)
		if !known {
			return nil, fault.New(fault.InputInvalid, "%s is not known. Known: %s.",
				name(at), strings.Join(s.names(), ", "))
		}
		value, err := w.value(member, at, depth)
		if err != nil {
			return nil, err
		}
		if w.build {
			members[key] = value
		}
	}
	_, err := w.d.ReadToken()
	return members, err
}

func (w *walker) array(s *shape, path string, depth int) (any, error) {
	elements := []any{}
	for w.d.PeekKind() != ']' {
		value, err := w.value(s.element(), path, depth)
		if err != nil {
			return nil, err
		}
		if w.build {
			elements = append(elements, value)
		}
	}
	_, err := w.d.ReadToken()
	return elements, err
}

// explain rewords an error of the standard decoder, without names of Go types.
func explain(err error) error {
	var known *fault.Error
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &wrong):
		return fault.New(fault.InputInvalid, "%s has the wrong type: it is a JSON %s.", name(wrong.Field), wrong.Value)
	}
	return fault.Wrap(err, fault.InputInvalid, "The JSON is malformed or cut off.")
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

func name(path string) string {
	if path == "" {
		return "The value"
	}
	if len(path) > 120 {
		path = path[:120]
		for !utf8.ValidString(path) {
			path = path[:len(path)-1]
		}
		path += "…"
	}
	return `"` + path + `"`
}
