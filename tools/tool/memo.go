package tool

import (
	"reflect"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// memo caches values by key while the process runs. It is safe for concurrent use. Callers must not
// modify the values. Errors are not cached.
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

// Go types do not change, so all servers of this process share the results.
var (
	objects  memo[objectKey, node]
	compiles memo[compileKey, *jsonschema.Schema]
)

// objectKey identifies the schema of a type to a depth of members.
type objectKey struct {
	t      reflect.Type
	levels int
}

// compileKey identifies the compiled schema of arguments, or of answers with or without guidance.
type compileKey struct {
	t              reflect.Type
	answer, guided bool
}
