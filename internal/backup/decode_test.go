package backup_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"testing"

	"github.com/sayurintent/sayurintent/internal/backup"
	"github.com/sayurintent/sayurintent/internal/fault"
)

// FuzzDecode: whatever is read as a backup is limited in size and valid for this program. A backup
// with a changed byte is rejected or still complete.
func FuzzDecode(f *testing.F) {
	const head = `{"format":"say-ur-intent.local-data","version":`
	const text = `,"network":"sui:sandbox","createdAt":"2026-01-01T00:00:00Z","settings":{"allowance":{}},"activeAccount":null,"accounts":[]`
	const present = head + "3" + text + `,"book":[],"ownNames":[{"address":"0x1","title":"a"}],"watched":[]}`
	const earlier = head + "1" + text +
		`,"identities":[],"reviews":[{"id":"a"}],"coins":[],"journal":[{"kind":"review"}],"rows":2}`
	for _, seed := range []string{present, earlier, present[:100], head + `3}`} {
		f.Add([]byte(seed))
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = z.Write([]byte(present))
	_ = z.Close()
	f.Add(packed.Bytes())
	f.Fuzz(func(t *testing.T, b []byte) {
		d, err := backup.Decode(bytes.NewReader(b))
		if err != nil {
			if code := fault.As(err).Code; code != fault.InputInvalid && code != fault.TooLarge {
				t.Errorf("%v", err)
			}
			return
		}
		if d.Format != "say-ur-intent.local-data" || d.Version < 1 || d.Version > 3 || d.Settings == nil ||
			d.Accounts == nil ||
			d.Version > 1 && d.Book == nil || d.Version > 2 && d.Watched == nil {
			t.Errorf("%+v", d)
		}
	})
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
	_, err := backup.Decode(&slow{[]byte(`{"format":"say-ur-intent.local-data","version":1,`)})
	if !fault.Is(err, fault.RequestAborted) {
		t.Errorf("a lost connection is called %v", err)
	}
}
