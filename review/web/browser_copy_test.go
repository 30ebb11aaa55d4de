package web_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/backup"
	"github.com/sayurintent/sayurintent/internal/book"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
)

func readCopy(t *testing.T, file []byte) backup.File {
	t.Helper()
	f, err := backup.Decode(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	f.CreatedAt = time.Time{}
	return f
}

// TestBrowserCopy exports a backup on the page, deletes everything, and imports the backup. The
// lists are the same as before.
func TestBrowserCopy(t *testing.T) {
	inBrowser(t)
	r := newRig(t, nil)
	names := book.NewService(r.db, time.Now)
	for from := range 10 {
		var asked []book.Target
		for i := range 100 {
			asked = append(asked, book.Target{Title: fmt.Sprintf("Person %d", 100*from+i), Address: fmt.Sprintf("0x7e%062x",
				0x1000+100*from+i), Chain: "Sui"})
		}
		if _, err := names.Add(t.Context(), book.Agent, asked); err != nil {
			t.Fatal(err)
		}
	}
	b := newBrowser(t)
	saved := t.TempDir()
	b.open(r.link(pagetoken.Home, pagetoken.HomeSubject))
	t.Run("R004-461 home leads to the settings", func(t *testing.T) {
		b.t = t
		b.waitText("Connect a wallet to start")
		b.pictures(screenshotDir(t), "home-settings")
		b.click(`nav a[href="/settings"]`)
		b.waitText("Spending limits")
	})
	b.saveTo(saved)
	var copied string
	var want backup.File
	t.Run("R004-466 the copy is taken, packed", func(t *testing.T) {
		b.t = t
		b.unfold("data", "copy")
		b.click(`[data-action="export"]`)
		b.waitText("Your browser has the backup")
		copied = savedFile(t, saved, "*.json.gz")
		file, err := os.ReadFile(copied)
		if err != nil {
			t.Fatal(err)
		}
		want = readCopy(t, file)
	})
	present := func() backup.File {
		file, err := r.backup().Export(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return readCopy(t, file)
	}
	putIn := func(t *testing.T, file string) {
		t.Helper()
		b.t = t
		b.unfold("data", "reset")
		b.unfold("data", "import")
		b.fill("#typed", backup.ResetWords+"\r")
		b.waitText("All local data is erased")
		if left := present(); len(left.Book) > 0 {
			t.Fatalf("%d names are left", len(left.Book))
		}
		b.choose("#copy", file)
		b.waitText("Restore this backup")
		b.click(`[data-answer="import"] [data-part="yes"]`)
		b.waitText("The backup was imported")
		if got := present(); len(got.Book) != 1000 || !reflect.DeepEqual(want, got) {
			t.Errorf("%d names came back as %d", len(want.Book), len(got.Book))
		}
	}
	t.Run("R004-467 all rows come back", func(t *testing.T) { putIn(t, copied) })
	t.Run("R004-467 so they do from a large file that is not packed", func(t *testing.T) {
		file, err := os.ReadFile(copied)
		if err != nil {
			t.Fatal(err)
		}
		z, err := gzip.NewReader(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(z)
		plain := filepath.Join(saved, "plain.json")
		if err == nil {
			err = os.WriteFile(plain, append(text, bytes.Repeat([]byte(" "), backup.MostImport)...), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		putIn(t, plain)
	})
	t.Run("a file with something behind it says so", func(t *testing.T) {
		b.t = t
		file, err := os.ReadFile(copied)
		longer := filepath.Join(saved, "longer.json.gz")
		if err == nil {
			err = os.WriteFile(longer, append(file, "more"...), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		b.choose("#copy", longer)
		b.waitText("damaged in the data after its end")
	})
	b.t = t
	if said := b.complaints(); len(said) > 0 {
		t.Error(said)
	}
}
