package door

import "testing"

func TestVersion(t *testing.T) {
	if got := Version("1.2.3+gabc"); got != "1.2.3+gabc" {
		t.Errorf("a stamped version became %s", got)
	}
	if got := Version(Unstamped); got != Unstamped {
		t.Errorf("a test, of which the Go command records no version, has %s", got)
	}
}
