package screen

import (
	"cmp"
	"encoding"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// Field is one text of a document, with the path that names it as JSON would.
// Name marks a text that names or explains something and has no place for
// encoded data: a member with the tag screen:"name". Joined marks the texts that
// the items of a list have in one member, put together.
type Field struct {
	Path, Text   string
	Name, Joined bool
}

// most returns the number of consecutive encoded characters that is too many.
func (f Field) most() int {
	if f.Name {
		return 52 // an address of TON has 48
	}
	return 160
}

// Fields lists every text of a value, in order: strings, and other types that encode as strings,
// such as addresses, in structs, lists and maps. The same member of a list's items is joined into
// one more field, to find what is spread over them. Members that JSON omits are not part of the
// document.
func Fields[D any](name string, document D) []Field {
	var all []Field
	walk(Field{Path: name}, reflect.ValueOf(document), &all)
	return all
}

var textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()

// walk lists the texts of a value. at has the path so far.
func walk(at Field, v reflect.Value, all *[]Field) {
	add := func(text string) { *all = append(*all, Field{Path: at.Path, Text: text, Name: at.Name}) }
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
		var joined []Field
		for i := range v.Len() {
			item, first := at.under(fmt.Sprintf("[%d]", i)), len(*all)
			walk(item, v.Index(i), all)
			for _, f := range (*all)[first:] {
				joined = join(joined, f, at.Path, strings.TrimPrefix(f.Path, item.Path))
			}
		}
		*all = append(*all, joined...)
	case reflect.Map:
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		for _, key := range keys {
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

// join adds a text of an item of the list at a path to those that other items have
// in the same member. Keys that are wrapped are put together only from a list of
// texts; between others is a sign that no key has.
func join(joined []Field, f Field, path, member string) []Field {
	between := "\n"
	if member != "" {
		path, between = path+"[]"+member, "\n;\n"
	}
	if f.Joined {
		return joined
	}
	for i := range joined {
		if joined[i].Path == path {
			joined[i].Text += between + f.Text
			return joined
		}
	}
	return append(joined, Field{Path: path, Text: f.Text, Name: f.Name, Joined: true})
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
