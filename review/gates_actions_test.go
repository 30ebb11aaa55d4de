package review_test

import (
	"slices"
	"testing"
)

// named returns one of the actions that a harness was prepared for.
func named(t *testing.T, acts []act, name string) act {
	t.Helper()
	i := slices.IndexFunc(acts, func(a act) bool { return a.name == name })
	if i < 0 {
		t.Fatalf("no action %q", name)
	}
	return acts[i]
}
