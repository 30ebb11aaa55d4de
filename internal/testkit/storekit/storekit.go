// Package storekit makes stores for tests without running every migration each time.
package storekit

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/store"
)

// template is a new store that was closed cleanly: its files and its log id.
type template struct {
	files map[string][]byte
	logID []byte
}

// Make puts the files of a new, cleanly closed store into dir. It does nothing if dir already has a
// store, so a test can call it before every store.Open. Each store gets its own log id. Tests of
// creation and migrations do not use Make.
func Make(t testing.TB, dir string) {
	t.Helper()
	if err := put(dir); err != nil {
		t.Fatalf("make a store in %s: %v", dir, err)
	}
}

func put(dir string) error {
	if entries, err := os.ReadDir(dir); len(entries) > 0 || err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	from, err := made()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	var id [16]byte
	if _, err := rand.Read(id[:]); err != nil {
		return err
	}
	for name, text := range from.files {
		text = bytes.Replace(text, from.logID, []byte(hex.EncodeToString(id[:])), 1)
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// made creates this test process's template.
var made = sync.OnceValues(func() (template, error) {
	none := template{}
	temp, err := os.MkdirTemp("", "sayurintent-store-")
	if err != nil {
		return none, err
	}
	defer func() { _ = os.RemoveAll(temp) }()
	ctx, dir := context.Background(), filepath.Join(temp, "data")
	db, err := store.Open(ctx, store.Config{Dir: dir, Now: func() time.Time { return time.Unix(0, 0) }})
	if err != nil {
		return none, err
	}
	id, err := db.ID(ctx)
	if err = errors.Join(err, db.Close()); err != nil {
		return none, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return none, err
	}
	of := template{files: map[string][]byte{}, logID: []byte(id)}
	found := 0
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return none, err
		}
		of.files[e.Name()] = text
		found += bytes.Count(text, of.logID)
	}
	if found != 1 || len(id) != 32 {
		return none, fmt.Errorf("the log id %q is %d times in the files of a new store", id, found)
	}
	return of, nil
})
