// Package screentest tests entry points with a text in each field of a document.
package screentest

import (
	"cmp"
	"encoding"
	"reflect"
	"strings"
	"testing"
)

// Each puts text into one text field of a document after the other, and calls try with each
// document and the path of the field. It first fills the document and calls valid to make it
// acceptable. Fields that allow only an address or another fixed form get address. Fields that
// allow neither are skipped. The test fails if fewer than least fields were tried.
func Each[D any](t *testing.T, name, text, address string, least int, valid func(*D), try func(path string, d D)) {
	t.Helper()
	var d D
	root := reflect.ValueOf(&d).Elem()
	fill(root, nil)
	valid(&d)
	tried := 0
	leaves(name, root, func(path string, v reflect.Value) {
		before := reflect.New(v.Type()).Elem()
		before.Set(v)
		defer v.Set(before)
		if v.Kind() == reflect.String {
			v.SetString(text)
		} else if v.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(address)) != nil {
			return
		}
		tried++
		try(path, d)
	})
	if tried < least {
		t.Errorf("%s has %d places for a text, not %d", name, tried, least)
	}
}

// fill sets every pointer and adds one item to every list. within contains the enclosing types. A
// recursive type is filled at most twice.
func fill(v reflect.Value, within []reflect.Type) {
	n := 0
	for _, t := range within {
		if t == v.Type() {
			n++
		}
	}
	if n > 1 {
		return
	}
	within = append(within[:len(within):len(within)], v.Type())
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), within)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), within)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				fill(v.Field(i), within)
			}
		}
	}
}

func leaves(path string, v reflect.Value, leaf func(string, reflect.Value)) {
	_, text := v.Addr().Interface().(encoding.TextUnmarshaler)
	switch {
	case v.Kind() == reflect.String, text:
		leaf(path, v)
	case v.Kind() == reflect.Pointer && !v.IsNil():
		leaves(path, v.Elem(), leaf)
	case v.Kind() == reflect.Slice:
		for i := range v.Len() {
			leaves(path+"[0]", v.Index(i), leaf)
		}
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if f.IsExported() && name != "-" {
				leaves(path+"."+cmp.Or(name, f.Name), v.Field(i), leaf)
			}
		}
	}
}
