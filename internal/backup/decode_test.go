package backup_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"testing"

	"github.com/sayurintent/sayurintent/internal/backup"
	"github.com/sayurintent/sayurintent/internal/fault"
)

// FuzzDecode: whatever is read as a backup is bounded and is of this program; a
// backup with a byte changed is refused or is still a whole one.
func FuzzDecode(f *testing.F) {
	const text = `{"format":"say-ur-intent.local-data","version":1,"network":"sui:sandbox","createdAt":"2026-01-01T00:00:00Z","settings":{"allowance":{}},` +
		`"activeAccount":null,"accounts":[],"identities":[],"reviews":[],"coins":[],"journal":[{"kind":"review","subject":"a","from":"","to":"x","revision":1,"what":"w","at":"2026-01-01T00:00:00Z"}],"rows":1}`
	f.Add([]byte(text))
	f.Add([]byte(text[:100]))
	f.Add([]byte(`{"format":"say-ur-intent.local-data"}`))
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = z.Write([]byte(text))
	_ = z.Close()
	f.Add(packed.Bytes())
	f.Fuzz(func(t *testing.T, b []byte) {
		d, err := readAll(bytes.NewReader(b))
		if err != nil {
			if code := fault.As(err).Code; code != fault.InputInvalid && code != fault.TooLarge {
				t.Errorf("%v", err)
			}
			return
		}
		if d.head.Format != "say-ur-intent.local-data" || d.head.Version != 1 || d.rows > len(b) {
			t.Errorf("%+v", d)
		}
	})
}

// whole is what a backup says, with the number of its rows.
type whole struct {
	head backup.Head
	rows int
}

func readAll(in io.Reader) (whole, error) {
	var d whole
	err := backup.Decode(in, func(h backup.Head) error { d.head = h; return nil }, func(backup.Row) error { d.rows++; return nil })
	return d, err
}

// slow is a file that the transport loses.
type slow struct{ left []byte }

func (s *slow) Read(b []byte) (int, error) {
	if len(s.left) == 0 {
		return 0, context.DeadlineExceeded
	}
	n := copy(b, s.left)
	s.left = s.left[n:]
	return n, nil
}

func TestTransportIsNotTheFile(t *testing.T) {
	_, err := readAll(&slow{[]byte(`{"format":"say-ur-intent.local-data","version":1,`)})
	if !fault.Is(err, fault.RequestAborted) {
		t.Errorf("a lost connection is called %v", err)
	}
}
