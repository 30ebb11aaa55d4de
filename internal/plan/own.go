package plan

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/sayurintent/sayurintent/internal/strictjson"
)

// Field is a field of an intent that only the actions of one protocol take. Their adapters declare
// it in Meta; tools describe it to AI clients and check its form, and the platform carries it in
// Intent.Own without knowing it.
type Field struct {
	Name  string // in JSON, as in "validator"
	About string // for AI clients
	// Pattern is a regular expression for values of up to Max characters, and Rule is the same in
	// words, to complete the sentence "x must be …".
	Pattern, Rule string
	Max           int
}

// AddressField returns a field for a complete address or object id. The adapter checks it.
func AddressField(name, about string) Field {
	return Field{Name: name, About: about, Pattern: `^[^\s]+$`, Rule: "0x and 64 hexadecimal digits", Max: 80}
}

// Own holds fields of an intent by their JSON names. In JSON they are members of the intent. Copies
// of an intent share the map, so it is replaced and never changed.
type Own map[string]string

// EncodeWith encodes v as a JSON object, with the fields of o as further members.
func EncodeWith[T any](v T, o Own) ([]byte, error) {
	rest, err := json.Marshal(v)
	if err != nil || len(o) == 0 {
		return rest, err
	}
	own, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	if len(rest) > len("{}") {
		own[0] = ','
	}
	return append(rest[:len(rest)-1], own...), nil
}

// DecodeWith strictly decodes a T from an object and returns the string members that T does not
// have.
func DecodeWith[T any](text []byte) (v T, own Own, err error) {
	all, err := strictjson.Decode[map[string]json.RawMessage](text)
	if err != nil {
		return v, nil, err
	}
	known := membersOf(reflect.TypeFor[T]())
	for name, value := range all {
		if slices.Contains(known, name) || len(value) == 0 || value[0] != '"' {
			continue
		}
		if own == nil {
			own = Own{}
		}
		if own[name], err = strictjson.Decode[string](value); err != nil {
			return v, nil, err
		}
		delete(all, name)
	}
	if len(own) > 0 {
		if text, err = json.Marshal(all); err != nil {
			return v, nil, err
		}
	}
	v, err = strictjson.Decode[T](text)
	return v, own, err
}

// membersOf returns the JSON names of a struct's fields.
func membersOf(t reflect.Type) (names []string) {
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		names = append(names, name)
	}
	return names
}

// bare is an Intent whose JSON form omits the fields in Own.
type bare Intent

// MarshalJSON implements json.Marshaler.
func (i Intent) MarshalJSON() ([]byte, error) { return EncodeWith(bare(i), i.Own) }

// UnmarshalJSON implements json.Unmarshaler. It is strict, except that unknown string members go to
// Own; the adapter refuses those that it does not declare.
func (i *Intent) UnmarshalJSON(text []byte) error {
	b, own, err := DecodeWith[bare](text)
	if err == nil {
		*i = Intent(b)
		i.Own = own
	}
	return err
}
