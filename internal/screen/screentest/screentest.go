// Package screentest puts text into every text field of a document, to test entry points.
package screentest

import (
	"cmp"
	"encoding"
	"reflect"
	"strings"
	"testing"
)

// Each fills a document of a type, calls valid to make it acceptable, and then tries it with text
// in each of its text fields in turn, reporting the path as screen.Fields would. address is used
// where only an address or another fixed form fits; fields that accept neither are skipped. It
// fails if there are fewer fields than least.
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

// fill sets every pointer and adds one entry to every list; within contains the types around v,
// each at most twice, for recursive types.
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
