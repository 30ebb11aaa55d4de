package strictjson

import (
	"encoding"
	"encoding/json"
	"reflect"
	"strings"
	"sync"
)

// shape says which JSON a Go type allows: the names of members, and whether null is allowed. A nil
// shape allows everything.
type shape struct {
	nullable bool
	typ      reflect.Type // struct, slice, array or map; nil if the contents are not checked
}

var (
	jsonUnmarshaler = reflect.TypeFor[json.Unmarshaler]()
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
)

func typeOf[T any](T) *shape { return shapeOf(reflect.TypeFor[T]()) }

func shapeOf(t reflect.Type) *shape {
	s := &shape{}
	for t.Kind() == reflect.Pointer {
		s.nullable, t = true, t.Elem()
	}
	if reflect.PointerTo(t).Implements(jsonUnmarshaler) {
		return nil // the type decodes itself
	}
	if reflect.PointerTo(t).Implements(textUnmarshaler) {
		return s
	}
	switch t.Kind() {
	case reflect.Interface:
		return nil
	case reflect.Slice, reflect.Map:
		s.nullable, s.typ = true, t
	case reflect.Struct, reflect.Array:
		s.typ = t
	}
	return s
}

// member returns the shape of a member. It returns false if the object may not have the member.
func (s *shape) member(key string) (*shape, bool) {
	if s == nil || s.typ == nil {
		return nil, true
	}
	switch s.typ.Kind() {
	case reflect.Map:
		return shapeOf(s.typ.Elem()), true
	case reflect.Struct:
		found, known := shapesOf(s.typ)[key]
		return found, known
	}
	return nil, true
}

// memberShapes caches a map[string]*shape for each struct type.
var memberShapes sync.Map

// shapesOf returns the shapes of a struct's members by JSON name. It caches the result, because
// inspecting all fields for each member took a third of the time for reading a backup.
func shapesOf(t reflect.Type) map[string]*shape {
	if known, ok := memberShapes.Load(t); ok {
		return known.(map[string]*shape)
	}
	shapes := map[string]*shape{}
	for name, field := range members(t) {
		if _, twice := shapes[name]; !twice {
			shapes[name] = shapeOf(field.Type)
		}
	}
	known, _ := memberShapes.LoadOrStore(t, shapes)
	return known.(map[string]*shape)
}

// element returns the shape of an array's elements.
func (s *shape) element() *shape {
	if s == nil || s.typ == nil || (s.typ.Kind() != reflect.Slice && s.typ.Kind() != reflect.Array) {
		return nil
	}
	return shapeOf(s.typ.Elem())
}

// names returns the names of an object's members, in the order of the type.
func (s *shape) names() []string {
	var names []string
	for name := range members(s.typ) {
		names = append(names, name)
	}
	return names
}

// members iterates over the fields of a struct and their JSON names. It includes the fields of
// embedded structs.
func members(t reflect.Type) func(yield func(string, reflect.StructField) bool) {
	return func(yield func(string, reflect.StructField) bool) { walk(t, yield) }
}

func walk(t reflect.Type, yield func(string, reflect.StructField) bool) bool {
	for i := range t.NumField() {
		f := t.Field(i)
		tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		inner := f.Type
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		switch {
		case f.Anonymous && tag == "" && inner.Kind() == reflect.Struct:
			if !walk(inner, yield) {
				return false
			}
		case !f.IsExported() || tag == "-":
		case tag == "":
			if !yield(f.Name, f) {
				return false
			}
		default:
			if !yield(tag, f) {
				return false
			}
		}
	}
	return true
}
