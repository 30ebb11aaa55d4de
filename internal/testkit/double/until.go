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
	pause := time.Millisecond
	for end := time.Now().Add(Patience); !ok(); pause = min(2*pause, 20*time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
		time.Sleep(pause)
	}
}
