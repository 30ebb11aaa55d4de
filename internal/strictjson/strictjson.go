// Package strictjson reads JSON that can mean only one thing: one value, valid
// UTF-8, no duplicate or unknown or differently spelled members, no null where
// a value belongs, and bounded depth.
//
// It does not bound the size of its input and knows nothing of what the values
// mean; its callers do.
package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// MaxDepth is how deep arrays and objects may nest.
const MaxDepth = 32

// Decode reads data, which must be exactly one JSON value, into a T. Members
// must be spelled exactly as T's json tags; members T does not have, duplicate
// members, and null for anything but a pointer, slice or map are refused. A
// member that is absent leaves its field zero. Errors are fault.InputInvalid
// and name the member.
func Decode[T any](data []byte) (T, error) {
	var value T
	if err := check(data, typeOf(value)); err != nil {
		return value, err
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&value); err != nil {
		var zero T
		return zero, explain(err)
	}
	return value, nil
}

// Check reads data as Decode does, without a shape to compare it to.
func Check(data []byte) error { return check(data, nil) }

func check(data []byte, s *shape) error {
	//mutant:never ./internal/strictjson TestRefusals/bad UTF-8
	if !utf8.Valid(data) {
		return fault.New(fault.InputInvalid, "The JSON is not valid UTF-8.")
	}
	//mutant:never ./internal/strictjson TestRefusals/high surrogate alone
	if loneSurrogate(data) {
		return fault.New(fault.InputInvalid, "The JSON has half of a surrogate pair in a string.")
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	w := walker{d: d}
	if err := w.value(s, "", 0); err != nil {
		return explain(err)
	}
	//mutant:never ./internal/strictjson TestRefusals/two values
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return fault.New(fault.InputInvalid, "The JSON goes on after its end: send exactly one value.")
	}
	return nil
}

// walker checks a stream of tokens against a shape, before anything is stored.
type walker struct{ d *json.Decoder }

func (w walker) value(s *shape, path string, depth int) error {
	token, err := w.d.Token()
	if err != nil {
		return err
	}
	switch token {
	case nil:
		if s != nil && !s.nullable {
			return fault.New(fault.InputInvalid, "%s is null; leave it out or give a value.", name(path))
		}
		return nil
	case json.Delim('{'), json.Delim('['):
		//mutant:never ./internal/strictjson TestRefusals/deep
		if depth >= MaxDepth {
			return fault.New(fault.InputInvalid, "The JSON nests deeper than %d levels.", MaxDepth)
		}
		if token == json.Delim('{') {
			return w.object(s, path, depth+1)
		}
		return w.array(s, path, depth+1)
	}
	return nil
}

func (w walker) object(s *shape, path string, depth int) error {
	seen := map[string]bool{}
	for w.d.More() {
		token, err := w.d.Token()
		if err != nil {
			return err
		}
		key, ok := token.(string)
		if !ok {
			return fault.New(fault.InputInvalid, "The JSON is malformed.")
		}
		at := join(path, key)
		if seen[key] {
			return fault.New(fault.InputInvalid, "%s is given twice.", name(at))
		}
		seen[key] = true
		member, known := s.member(key)
		if !known {
			return fault.New(fault.InputInvalid, "%s is not known here. Known are: %s.",
				name(at), strings.Join(s.names(), ", "))
		}
		if err := w.value(member, at, depth); err != nil {
			return err
		}
	}
	_, err := w.d.Token()
	return err
}

func (w walker) array(s *shape, path string, depth int) error {
	for w.d.More() {
		if err := w.value(s.element(), path, depth); err != nil {
			return err
		}
	}
	_, err := w.d.Token()
	return err
}

// loneSurrogate reports an escape of half a surrogate pair, which the standard
// decoder would silently replace.
func loneSurrogate(data []byte) bool {
	for i := 0; i < len(data); i++ {
		if data[i] != '\\' {
			continue
		}
		i++ // the escaped byte
		high, ok := unicodeEscape(data, i)
		if !ok {
			continue
		}
		i += 4
		switch {
		case high >= 0xdc00 && high <= 0xdfff:
			return true
		case high >= 0xd800 && high <= 0xdbff:
			if i+2 >= len(data) || data[i+1] != '\\' {
				return true
			}
			low, ok := unicodeEscape(data, i+2)
			if !ok || low < 0xdc00 || low > 0xdfff {
				return true
			}
			i += 6
		}
	}
	return false
}

// unicodeEscape reads the uXXXX that starts at i.
func unicodeEscape(data []byte, i int) (rune, bool) {
	if i+4 >= len(data) || data[i] != 'u' {
		return 0, false
	}
	var r rune
	for _, c := range data[i+1 : i+5] {
		digit := strings.IndexByte("0123456789abcdef", c|0x20)
		if digit < 0 {
			return 0, false
		}
		r = r<<4 | rune(digit)
	}
	return r, true
}

// explain turns an error of the standard decoder into a sentence without Go's
// type names.
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
