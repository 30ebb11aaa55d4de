package store

import (
	"bytes"
	"context"
	"os"
	"testing"
	"time"
)

// A header of which half is of the header before is not noted: with such a note the
// store's own log would be refused after a kill.
func TestHalfAHeader(t *testing.T) {
	db, err := Open(context.Background(), Config{Dir: t.TempDir() + "/data", Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	log, err := os.ReadFile(db.place.in(walName))
	if err != nil {
		t.Fatal(err)
	}
	if got, ok := wholeHeader(bytes.NewReader(log)); !ok || got != db.noted {
		t.Fatalf("%+v %v, the note is %+v", got, ok, db.noted)
	}
	for at := range 32 {
		torn := bytes.Clone(log[:32])
		torn[at] ^= 0x10
		if got, ok := wholeHeader(bytes.NewReader(torn)); ok {
			t.Errorf("byte %d of another header: %+v", at, got)
		}
	}
}
