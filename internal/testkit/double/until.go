package double

import (
	"testing"
	"time"
)

// Patience is how long a test waits for a condition. Waits end as soon as it is true. The limit is for
// overloaded machines.
const Patience = 45 * time.Second

// Until polls a condition that no event announces. It fails the test if the condition does not become
// true.
func Until(t testing.TB, what string, ok func() bool) {
	t.Helper()
	if !Await(ok) {
		t.Fatalf("never: %s", what)
	}
}

// Next receives from c, and fails the test if nothing arrives.
func Next[T any](t testing.TB, what string, c <-chan T) T {
	t.Helper()
	late := time.NewTimer(Patience)
	defer late.Stop()
	select {
	case v := <-c:
		return v
	case <-late.C:
		t.Fatalf("never: %s", what)
	}
	panic("unreachable")
}

// Await waits up to Patience for ok and reports whether it became true. Tests use Until; Await is for
// helpers that return errors.
func Await(ok func() bool) bool {
	end := time.NewTimer(Patience)
	defer end.Stop()
	for pause := time.Millisecond; !ok(); pause = min(2*pause, 20*time.Millisecond) {
		select {
		case <-end.C:
			return false
		case <-time.After(pause):
		}
	}
	return true
}
