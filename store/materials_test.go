package store_test

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
)

// where lists the files in a directory that contain marker.
func where(t *testing.T, dir string, marker []byte) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if err == nil && bytes.Contains(b, marker) {
			found = append(found, d.Name())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// tablesWith lists the tables with a value that contains marker in any common encoding.
func tablesWith(t *testing.T, dir string, marker []byte) []string {
	t.Helper()
	db := raw(t, dir)
	defer func() { _ = db.Close() }()
	var found []string
	names := columns(t, dir)
	for table, all := range names {
		for _, column := range all {
			var n int
			query := fmt.Sprintf(`SELECT count(*) FROM %s WHERE instr(CAST(%s AS BLOB), ?1) > 0
				OR instr(lower(CAST(%s AS TEXT)), lower(hex(?1))) > 0`, table, column, column)
			if err := db.QueryRow(query, marker).Scan(&n); err != nil {
				t.Fatal(err)
			}
			if n > 0 {
				found = append(found, table+"."+column)
			}
		}
	}
	return found
}

func columns(t testing.TB, dir string) map[string][]string {
	t.Helper()
	db := raw(t, dir)
	defer func() { _ = db.Close() }()
	rows, err := db.Query(`SELECT m.name, c.name FROM sqlite_schema AS m, pragma_table_info(m.name) AS c WHERE m.type = 'table'`)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	out := map[string][]string{}
	for rows.Next() {
		var table, column string
		if err := rows.Scan(&table, &column); err != nil {
			t.Fatal(err)
		}
		out[table] = append(out[table], column)
	}
	if err := rows.Err(); err != nil || len(out) < 9 {
		t.Fatalf("%d tables, %v", len(out), err)
	}
	return out
}

// While a review is not final, its bytes and signatures are in one table. Afterwards they are
// nowhere: not in the database, not in its write-ahead log, not in the log's index.
func TestMaterial(t *testing.T) {
	ctx := context.Background()
	const txMarker, signatureMarker = "MARKER-OF-SIGNABLE-BYTES-", "MARKER-OF-A-SIGNATURE-"
	for _, end := range []record.Status{record.Success, record.Failure, record.Expired} {
		t.Run(string(end), func(t *testing.T) {
			dir := filepath.Join(double.Dir(t), "data")
			c := newClock()
			db := open(t, dir, nil, c.Now)
			reader := open(t, dir, nil, c.Now)
			id := create(t, db, c, "r1")
			// Large enough to need overflow pages, unlike real transactions.
			material := sui.NewMaterial([]byte(strings.Repeat(txMarker, 2000)))
			signature := sui.NewSignature([]byte(strings.Repeat(signatureMarker, 500)))
			must[record.Session](t)(db.Change(ctx, id, "built", func(r *record.Row) error {
				r.Materials = []record.Material{{Digest: material.Digest(), Bytes: material, CreatedAt: c.Now()}}
				return bump(r)
			}))
			must[record.Row](t)(db.Release(ctx, id, func(r *record.Row) (record.Release, error) {
				v := release(material.Digest(), "n")
				r.Session.Releases = append(r.Session.Releases, v)
				return v, bump(r)
			}))
			must[record.Session](t)(db.Change(ctx, id, "signed", func(r *record.Row) error {
				r.Materials[0].Signature = signature
				r.Session.Status = record.SignedPendingResult
				r.Session.Execution = &record.Execution{Status: record.SignedPendingResult, TxDigest: material.Digest().String()}
				return bump(r)
			}))
			row := must[record.Row](t)(reader.ReviewRow(ctx, id))
			if len(row.Materials) != 1 || !row.Materials[0].Bytes.Same(material.Bytes()) ||
				!bytes.Equal(row.Materials[0].Signature.Bytes(), signature.Bytes()) || !row.Materials[0].CreatedAt.Equal(c.Now()) {
				t.Fatalf("material is read back differently: %+v", row.Materials)
			}
			if got := tablesWith(t, dir, []byte(txMarker)); len(got) != 1 || got[0] != "materials.bytes" {
				t.Errorf("signable bytes in %v", got)
			}
			if got := tablesWith(t, dir, []byte(signatureMarker)); len(got) != 1 || got[0] != "materials.signature" {
				t.Errorf("a signature in %v", got)
			}
			if len(where(t, dir, []byte(txMarker))) == 0 {
				t.Error("the search does not find what is there")
			}
			must[record.Session](t)(db.Change(ctx, id, "ended", func(r *record.Row) error {
				r.Session.Status = end
				return bump(r)
			}))
			for _, marker := range []string{txMarker, signatureMarker} {
				if got := where(t, dir, []byte(marker)); len(got) > 0 {
					t.Errorf("%s is still in %v", marker, got)
				}
			}
			row = must[record.Row](t)(db.ReviewRow(ctx, id))
			if len(row.Materials) != 0 || len(row.Session.Releases) != 1 {
				t.Errorf("%d materials and %d releases after the end", len(row.Materials), len(row.Session.Releases))
			}
		})
	}
	t.Run("a process that was killed leaves the sweep to the next one", func(t *testing.T) {
		dir := filepath.Join(double.Dir(t), "data")
		c := newClock()
		db := open(t, dir, nil, c.Now)
		id := create(t, db, c, "r1")
		material := sui.NewMaterial([]byte(txMarker))
		must[record.Session](t)(db.Change(ctx, id, "built", func(r *record.Row) error {
			r.Materials = []record.Material{{Digest: material.Digest(), Bytes: material}}
			return bump(r)
		}))
		// Delete the rows without the store, so that the log is not swept.
		alter(t, dir, `PRAGMA secure_delete = 1; DELETE FROM materials`)
		if len(where(t, dir, []byte(txMarker))) == 0 {
			t.Fatal("the log is swept already: this test shows nothing")
		}
		next := open(t, dir, nil, c.Now)
		create(t, next, c, "r2")
		if got := where(t, dir, []byte(txMarker)); len(got) > 0 {
			t.Errorf("still in %v", got)
		}
	})
	t.Run("bytes of a digest never change", func(t *testing.T) {
		db, c := fresh(t)
		id := create(t, db, c, "r1")
		_, law := built(1)
		must[record.Session](t)(db.Change(ctx, id, "built", law))
		_, err := db.Change(ctx, id, "x", func(r *record.Row) error {
			r.Materials[0].Bytes = sui.NewMaterial([]byte{2})
			return bump(r)
		})
		wantFault(t, err, "internal_error")
	})
	t.Run("material keeps the order in which it was built", func(t *testing.T) {
		db, c := fresh(t)
		id := create(t, db, c, "r1")
		for b := range byte(4) {
			_, law := built(b)
			must[record.Session](t)(db.Change(ctx, id, "built", law))
			if b == 2 {
				must[record.Session](t)(db.Change(ctx, id, "dropped", func(r *record.Row) error {
					r.Materials = r.Materials[1:]
					return bump(r)
				}))
			}
		}
		var got []byte
		for _, m := range must[record.Row](t)(db.ReviewRow(ctx, id)).Materials {
			got = append(got, m.Bytes.Bytes()[0])
		}
		if !bytes.Equal(got, []byte{1, 2, 3}) {
			t.Errorf("order %v", got)
		}
	})
}
