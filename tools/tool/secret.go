package tool

import (
	"fmt"
	"reflect"

	"github.com/sayurintent/sayurintent/internal/screen"
)

// secret marks types whose values never leave the process.
type secret interface{ Secret() }

var secretType = reflect.TypeFor[secret]()

// secretIn returns the path from t to a secret type that it contains, or "".
func secretIn(t reflect.Type) string { return secretAt(t, t.String(), map[reflect.Type]bool{}) }

func secretAt(t reflect.Type, path string, seen map[reflect.Type]bool) string {
	if t.Implements(secretType) || reflect.PointerTo(t).Implements(secretType) {
		return path
	}
	if seen[t] {
		return ""
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array:
		return secretAt(t.Elem(), path, seen)
	case reflect.Map:
		if p := secretAt(t.Key(), path+"[key]", seen); p != "" {
			return p
		}
		return secretAt(t.Elem(), path, seen)
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			if f.Tag.Get("json") == "-" {
				continue
			}
			if p := secretAt(f.Type, path+"."+f.Name, seen); p != "" {
				return p
			}
		}
	}
	return ""
}

// scan returns an error if an answer contains a forbidden member name at any level.
func scan(value any) error {
	if name := screen.ForbiddenMember(value); name != "" {
		return fmt.Errorf("the answer has a member %q", name)
	}
	return nil
}
