package tool

import (
	"reflect"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// memo caches what a key determines, for the life of the process. It is safe for concurrent use;
// callers must not change the values. Errors are not cached.
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

// Go types do not change, so every server of this process shares what was read from them.
var (
	objects  memo[objectKey, node]
	compiles memo[compileKey, *jsonschema.Schema]
)

// objectKey names the schema of a type, so many levels of members deep.
type objectKey struct {
	t      reflect.Type
	levels int
}

// compileKey names the compiled schema of arguments, or of answers with or without guidance.
type compileKey struct {
	t              reflect.Type
	answer, guided bool
}
