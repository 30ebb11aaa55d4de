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

// Field is one text of a document. Path names it as in JSON. Name is set for members with the tag
// screen:"name", which hold names or explanations and never encoded data. Joined is set if the text
// is the concatenation of one member of all items of a list.
type Field struct {
	Path, Text   string
	Name, Joined bool
}

// most returns the number of consecutive encoded characters at which a text is rejected.
func (f Field) most() int {
	if f.Name {
		return 52 // a TON address has 48
	}
	return 160
}

// Fields lists all texts of a document in order. These are strings, and values that are encoded as
// strings, in structs, lists and maps. For each member of a list's items it adds a field that joins
// their texts, to find a secret that is split across items. It skips what JSON omits.
func Fields[D any](name string, document D) []Field {
	var all []Field
	walk(Field{Path: name}, reflect.ValueOf(document), &all)
	return all
}

var textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()

// walk adds the texts of v to all. at holds the path to v.
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

// join appends a text to the joined field of its member. Texts of a plain list are joined by a line
// break only, because a wrapped key may be split that way. Other texts are joined by a character
// that no key contains.
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

// refers returns the texts of a document that are addresses.
func refers(fields []Field) []sui.Address {
	var all []sui.Address
	for _, f := range fields {
		if a, err := sui.ParseAddress(f.Text); err == nil && len(all) < mostSeeds {
			all = append(all, a)
		}
	}
	return all
}
