package screen

import (
	"cmp"
	"encoding"
	"fmt"
	"reflect"
	"strings"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// Field is one text of a document, with the path that names it as JSON would.
// Name marks a text that names or explains something and has no place for
// encoded data: a member with the tag screen:"name".
type Field struct {
	Path, Text string
	Name       bool
}

// most is how many encoded characters in a row are too many.
func (f Field) most() int {
	if f.Name {
		return 48
	}
	return 160
}

// Fields lists every text of a value, in its order: strings and what is written
// as one, such as addresses, in structs, lists and maps. A list of texts is one
// more field, of all its lines, for what is spread over them. Members that JSON
// leaves out are no part of the document.
func Fields[D any](name string, document D) []Field {
	var all []Field
	walk(Field{Path: name}, reflect.ValueOf(document), &all)
	return all
}

var textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()

// walk lists the texts of a value. at has the path so far.
func walk(at Field, v reflect.Value, all *[]Field) {
	add := func(text string) { *all = append(*all, Field{at.Path, text, at.Name}) }
	switch {
	case !v.IsValid(), v.Kind() == reflect.Pointer && v.IsNil():
		return
	case v.Kind() == reflect.String:
		add(v.String())
		return
	case v.Type().Implements(textMarshaler) && v.CanInterface():
		if text, err := v.Interface().(encoding.TextMarshaler).MarshalText(); err == nil && !v.IsZero() {
			add(string(text))
		}
		return
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		walk(at, v.Elem(), all)
	case reflect.Slice, reflect.Array:
		var lines []string
		for i := range v.Len() {
			walk(at.under(fmt.Sprintf("[%d]", i)), v.Index(i), all)
			if v.Index(i).Kind() == reflect.String {
				lines = append(lines, v.Index(i).String())
			}
		}
		if len(lines) > 0 {
			add(strings.Join(lines, "\n"))
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			walk(at.under(fmt.Sprintf(".%v", key)), v.MapIndex(key), all)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if !f.IsExported() || name == "-" {
				continue
			}
			inner := at.under("." + cmp.Or(name, f.Name))
			if name == "" && f.Anonymous {
				inner = at
			}
			inner.Name = f.Tag.Get("screen") == "name"
			walk(inner, v.Field(i), all)
		}
	}
}

func (f Field) under(more string) Field {
	f.Path += more
	return f
}

// refers lists the addresses that are fields of a document.
func refers(fields []Field) []sui.Address {
	var all []sui.Address
	for _, f := range fields {
		if a, err := sui.ParseAddress(f.Text); err == nil && len(all) < mostSeeds {
			all = append(all, a)
		}
	}
	return all
}
