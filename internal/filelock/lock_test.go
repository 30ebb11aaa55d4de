package filelock_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/sayurintent/sayurintent/internal/filelock"
)

// TestTry: which locks two openers of a file can have at once.
func TestTry(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	open := func() *os.File {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = f.Close() })
		return f
	}
	for _, c := range []struct{ first, second, both bool }{
		{false, false, false}, {false, true, false}, {true, false, false}, {true, true, true},
	} {
		first, second := open(), open()
		if won, err := filelock.Try(first, c.first); !won || err != nil {
			t.Fatalf("%+v: the first: %v %v", c, won, err)
		}
		if won, err := filelock.Try(second, c.second); won != c.both || err != nil {
			t.Errorf("%+v: the second: %v %v", c, won, err)
		}
		_ = first.Close()
		if won, err := filelock.Try(second, false); !won || err != nil {
			t.Errorf("%+v: after the first was closed: %v %v", c, won, err)
		}
		_ = second.Close()
	}
}
