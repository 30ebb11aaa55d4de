package tool

import (
	"reflect"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// memo caches values by key for the life of the process. It is safe for concurrent use. Errors are
// not cached. Callers must not modify the values.
type memo[K comparable, V any] struct{ kept sync.Map }

func (m *memo[K, V]) get(key K, compute func() (V, error)) (V, error) {
	if v, ok := m.kept.Load(key); ok {
		return v.(V), nil
	}
	v, err := compute()
	if err == nil {
		m.kept.Store(key, v)
	}
	return v, err
}

// The schemas depend only on Go types, so all servers of a process share them.
var (
	objects  memo[objectKey, node]
	compiles memo[compileKey, *jsonschema.Schema]
)

// objectKey identifies the schema of a type down to a number of levels.
type objectKey struct {
	t      reflect.Type
	levels int
}

// compileKey identifies a compiled schema: of arguments, or of answers with or without guidance.
type compileKey struct {
	t              reflect.Type
	answer, guided bool
}
