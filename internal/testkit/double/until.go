package double

import (
	"testing"
	"time"
)

// Patience is how long a test waits for what must come. Waits end as soon as it is
// there; the time is for a machine that does many other things at once.
const Patience = 45 * time.Second

// Until waits for what no event announces, and ends the test where it never comes.
func Until(t testing.TB, what string, ok func() bool) {
	t.Helper()
	if !Await(ok) {
		t.Fatalf("never: %s", what)
	}
}

// Next receives from c, and ends the test where nothing comes.
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

// Await waits until ok holds, for at most Patience, and reports whether it does. Until
// is for tests; Await is for what they call that returns an error.
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
