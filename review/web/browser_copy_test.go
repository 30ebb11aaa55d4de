package web_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/backup"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/review/record"
)

// wholeCopy are the rows of a copy.
type wholeCopy struct {
	reviews []record.Session
	coins   []backup.Coin
	journal []backup.Entry
}

func readCopy(t *testing.T, file []byte) wholeCopy {
	t.Helper()
	var c wholeCopy
	err := backup.Decode(bytes.NewReader(file), func(backup.Head) error { return nil }, func(row backup.Row) error {
		switch v := row.(type) {
		case backup.Review:
			c.reviews = append(c.reviews, v.Session)
		case backup.Coin:
			c.coins = append(c.coins, v)
		case backup.Entry:
			c.journal = append(c.journal, v)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// manyRows packs a copy of 100,000 rows.
func manyRows() []byte {
	const reviews, coins, journal = 1000, 4000, 95000
	var file bytes.Buffer
	out := gzip.NewWriter(&file)
	at := time.Now().UTC().Add(-time.Hour).Format(time.RFC3339Nano)
	row := func(i int, format string, values ...any) {
		if i > 0 {
			_, _ = io.WriteString(out, ",")
		}
		fmt.Fprintf(out, format, values...)
	}
	fmt.Fprintf(out, `{"format":"say-ur-intent.local-data","version":1,"network":"sui:sandbox","createdAt":%q,`+
		`"settings":{"allowance":{}},"activeAccount":null,"accounts":[],"identities":[],"reviews":[`, at)
	for i := range reviews {
		row(i, `{"id":"many%04d","network":"sui:sandbox","account":"0x%064x","protocol":"deep","action":"swap",`+
			`"intent":{"type":"swap","from":{"symbol":"SUI","amount":"1"},"to":{"symbol":"USDC"}},"status":"expired","revision":3,`+
			`"state":{"checks":[]},"createdAt":%[3]q,"updatedAt":%[3]q,"expiresAt":%[3]q}`, i, 7, at)
	}
	_, _ = io.WriteString(out, `],"coins":[`)
	for i := range coins {
		row(i, `{"chain":"4oQ4jbXe2DeeyBYpqKfkqrQmf7DEXDmvn8Vb9NpYg7gS","coinType":"0x%064x::coin::COIN","found":true,"decimals":9,"symbol":"C","name":"Coin","checkedAt":%q}`, i+1, at)
	}
	_, _ = io.WriteString(out, `],"journal":[`)
	for i := range journal {
		row(i, `{"kind":"review","subject":"many%04d","from":"wallet_connected","to":"ready_for_wallet_review","revision":%d,"what":"computed","at":%q}`, i%reviews, i, at)
	}
	fmt.Fprintf(out, `],"rows":%d}`, reviews+coins+journal)
	_ = out.Close()
	return file.Bytes()
}

// TestBrowserLargeCopy takes a copy of a large store with the page, forgets
// everything, and puts the copy in: the rows are the same.
func TestBrowserLargeCopy(t *testing.T) {
	inBrowser(t)
	if slower > 1 {
		t.Skip("100,000 rows take minutes with the race detector; smaller copies go through it in the other tests")
	}
	r := newRig(t, nil)
	token := r.token(pagetoken.Settings, settingsID)
	staged := r.stageAs(token, "application/gzip", manyRows())
	if done := r.settingsCall(token, "import", fields{"id": staged.text("id"), "endpoints": false, "limits": false, "accounts": false}); done.text("done") != "true" {
		t.Fatalf("%s then %s", staged.body, done.body)
	}
	b := newBrowser(t)
	saved := t.TempDir()
	b.open(r.link(pagetoken.Home, pagetoken.HomeSubject))
	t.Run("R004-461 home leads to the settings", func(t *testing.T) {
		b.t = t
		b.waitText("Open the settings")
		b.pictures(screenshotDir(t), "home-settings")
		b.click(`[data-action="settings"]`)
		b.waitText("What may be spent, and with whom")
	})
	b.saveTo(saved)
	var copied string
	var want wholeCopy
	t.Run("R004-466 the copy is taken, packed", func(t *testing.T) {
		b.t = t
		b.click(`[data-action="export"]`)
		b.waitText("Your browser has the copy")
		copied = savedFile(t, saved, "*.json.gz")
		file, err := os.ReadFile(copied)
		if err != nil || len(file) > backup.MostImport {
			t.Fatalf("%d bytes, %v", len(file), err)
		}
		want = readCopy(t, file)
	})
	present := func() wholeCopy {
		var file bytes.Buffer
		if err := r.backup().Export(t.Context(), &file); err != nil {
			t.Fatal(err)
		}
		return readCopy(t, file.Bytes())
	}
	putIn := func(t *testing.T, file string) wholeCopy {
		t.Helper()
		b.t = t
		b.fill("#typed", backup.ResetWords+"\r")
		b.waitText("All local data is forgotten")
		if left := present(); len(left.reviews)+len(left.coins) > 0 {
			t.Fatalf("%d reviews and %d coins are left", len(left.reviews), len(left.coins))
		}
		b.choose("#copy", file)
		b.waitText("Replace what is here")
		b.click(`[data-answer="import"] [data-part="yes"]`)
		b.waitText("The copy took the place of all local data")
		return present()
	}
	same := func(t *testing.T, got wholeCopy) {
		t.Helper()
		n, marks := len(want.journal), len(want.reviews)
		first := len(got.journal) - marks - n
		if marks != 1000 || len(want.coins) != 4000 || first < 1 || first > 3 || !reflect.DeepEqual(want.reviews, got.reviews) ||
			!reflect.DeepEqual(want.coins, got.coins) || !reflect.DeepEqual(want.journal, got.journal[first:first+n]) {
			t.Errorf("%d reviews, %d coins and %d journal rows came back as %d, %d and %d",
				marks, len(want.coins), n, len(got.reviews), len(got.coins), len(got.journal))
		}
	}
	t.Run("R004-467 all rows come back", func(t *testing.T) { same(t, putIn(t, copied)) })
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
			err = os.WriteFile(plain, text, 0o600)
		}
		if err != nil || len(text) < backup.MostImport {
			t.Fatalf("%d bytes, %v", len(text), err)
		}
		same(t, putIn(t, plain))
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
		b.waitText("damaged in what follows its end")
	})
	b.t = t
	if said := b.complaints(); len(said) > 0 {
		t.Error(said)
	}
}

// TestBrowserHeavyCopy: a copy that could not be put in again is taken only
// when the person wants it all the same.
func TestBrowserHeavyCopy(t *testing.T) {
	inBrowser(t)
	r := newRig(t, nil)
	s, materials := sample(t, record.Success)
	s.CreatedAt = time.Now().Add(72 * time.Hour)
	r.put(s, materials)
	b := newBrowser(t)
	saved := t.TempDir()
	b.open(r.link(pagetoken.Settings, settingsID))
	b.waitText("What may be spent, and with whom")
	b.saveTo(saved)
	t.Run("R004-466 it says so before anything is taken", func(t *testing.T) {
		b.t = t
		b.click(`[data-action="export"]`)
		b.waitText("but not be put in again")
		b.pictures(screenshotDir(t), "settings-heavy")
		b.click(`[data-answer="export"] [data-part="no"]`)
		b.waitText("Nothing was changed")
		if files, err := filepath.Glob(filepath.Join(saved, "*")); err != nil || len(files) > 0 {
			t.Errorf("%v, %v", files, err)
		}
	})
	t.Run("it is taken all the same", func(t *testing.T) {
		b.t = t
		b.click(`[data-action="export"]`)
		b.waitText("Take it all the same")
		b.click(`[data-answer="export"] [data-part="yes"]`)
		b.waitText("Your browser has the copy")
		if file := savedFile(t, saved, "*.json.gz"); !strings.Contains(file, "say-ur-intent-") {
			t.Error(file)
		}
	})
	b.t = t
	if said := b.complaints(); len(said) > 0 {
		t.Error(said)
	}
}
