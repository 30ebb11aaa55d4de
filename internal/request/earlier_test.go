package request_test

import (
	"bytes"
	"compress/gzip"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/backup"
	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/plans"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/request"
	"github.com/sayurintent/sayurintent/internal/testkit"
)

// earlier returns a back end over the data of the build before requests existed; see
// testdata/earlier.
func earlier(t *testing.T, altered ...string) (w *world, ids map[string]string) {
	t.Helper()
	read := func(name string) []byte {
		text, err := os.ReadFile(filepath.Join("testdata", "earlier", name))
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	if err := json.Unmarshal(read("ids.json"), &ids); err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(read("store.db.gz")))
	if err != nil {
		t.Fatal(err)
	}
	db, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	data := t.TempDir()
	if err := os.Mkdir(filepath.Join(data, "sandbox"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{"say-ur-intent.db": db, "log.json": []byte(`{"state":"clean","seq":92}`)} {
		if err := os.WriteFile(filepath.Join(data, "sandbox", name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, statement := range altered {
		plain, err := sql.Open("sqlite", filepath.Join(data, "sandbox", "say-ur-intent.db"))
		if err == nil {
			_, err = plain.Exec(statement)
			err = errors.Join(err, plain.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	// The clock stands still: no price gets too old on a slow machine.
	now := time.Date(2026, 11, 27, 12, 1, 0, 0, time.UTC)
	w = &world{Harness: testkit.Resume(t, func() time.Time { return now }, data, []byte("earlier"), nil), t: t}
	w.svc = w.service()
	return w, ids
}

// TestEarlier checks that requests in progress before an update continue after it.
func TestEarlier(t *testing.T) {
	t.Run("what was signed is settled", func(t *testing.T) {
		w, ids := earlier(t)
		for _, name := range []string{"done", "first", "pending"} { // on chain, in order
			raw, err := hex.DecodeString(ids[name+"Bytes"])
			signature, other := hex.DecodeString(ids[name+"Signature"])
			if err = errors.Join(err, other); err == nil {
				_, err = w.Node.Execute(t.Context(), raw, signature)
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		s := w.Until(record.ID(ids["pending"]), "it is over", func(s record.Session) bool { return s.Status.Terminal() })
		if s.Status != record.Success || s.Execution.TxDigest != ids["digest"] {
			t.Errorf("%s %+v", s.Status, s.Execution)
		}
	})
	t.Run("what was open is signed", func(t *testing.T) {
		w, ids := earlier(t)
		for _, name := range []string{"open", "several", "group"} {
			s, err := w.Reviews.Get(t.Context(), record.ID(ids[name]))
			if err != nil || s.Status.Terminal() {
				t.Fatalf("%s: %v %s", name, err, s.Status)
			}
		}
		s, err := w.Reviews.Opened(t.Context(), record.ID(ids["open"]))
		if err != nil {
			t.Fatal(err)
		}
		if s = w.Settle(w.Compute(s)); s.Status != record.Success {
			t.Errorf("%s", s.Status)
		}
	})
	t.Run("a bundle that runs goes on", func(t *testing.T) {
		w, ids := earlier(t)
		b := w.sweep(request.ID(ids["running"]))
		if b.State != request.Running || b.Steps[0].State != request.Confirmed {
			t.Fatalf("%s %v", b.State, words(b))
		}
		w.sign(b)
		if b = w.sweep(b.ID); b.State != request.Completed {
			t.Errorf("%s %v", b.State, words(b))
		}
	})
	t.Run("a bundle that waits is approved by the link that was given", func(t *testing.T) {
		w, ids := earlier(t)
		if _, err := w.Passes.Exchange(t.Context(), pagetoken.Bundle, ids["asked"], ids["askedCode"], ""); err != nil {
			t.Error(err)
		}
		if b := w.get(request.ID(ids["asked"])); b.State != request.Asked {
			t.Errorf("%s", b.State)
		}
	})
	t.Run("a plan ends with a sentence, and what it asked for stays", func(t *testing.T) {
		w, ids := earlier(t)
		svc := plans.New(plans.Config{Store: w.Store, Requests: w.svc, Make: w.Reviews, Now: w.Clock.Now})
		defer svc.Close()
		p, err := w.Store.Plan(t.Context(), plans.ID(ids["plan"]))
		if err != nil || len(p.Groups) != 0 {
			t.Fatalf("%v %+v", err, p)
		}
		if _, err = svc.Next(bus.WithConversation(t.Context(), p.Session), p.ID); !fault.Is(err, fault.SessionNotFound) ||
			fault.As(err).Detail.Get("reason") != "plan_ended" {
			t.Errorf("%v", err)
		}
	})
	t.Run("what is open is a request, which follows its review and can be parted", func(t *testing.T) {
		w, ids := earlier(t)
		for name, steps := range map[string]int{"open": 1, "pending": 1, "several": 2, "group": 2} {
			if req := w.of(record.ID(ids[name])); req.State != request.Signing || len(req.Steps) != steps ||
				req.Steps[0].Handed != (name == "pending") {
				t.Errorf("%s: %s %+v", name, req.State, req.Steps)
			}
		}
		w.sign(w.sweep(request.ID(ids["running"])))
		w.sweep(request.ID(ids["running"]))
		parted, err := w.svc.Part(t.Context(), record.ID(ids["several"]), yes)
		if err != nil || parted.State != request.Asked {
			t.Errorf("%v %s", err, parted.State)
		}
		r, err := w.Reviews.Opened(t.Context(), record.ID(ids["group"]))
		if err != nil {
			t.Fatal(err)
		}
		w.Compute(r)
		if _, err := w.Reviews.Outcome(t.Context(), record.ID(ids["group"]), "", record.OutcomeDeclined); err != nil {
			t.Fatal(err)
		}
		if req := w.of(record.ID(ids["group"])); req.State != request.Rejected {
			t.Errorf("%s", req.State)
		}
	})
	t.Run("a second task of a review keeps nothing from opening", func(t *testing.T) {
		w, ids := earlier(t, `CREATE TEMP TABLE twice AS SELECT * FROM tasks WHERE subject LIKE 'review/%';
			UPDATE twice SET id = id || '2'; INSERT INTO tasks SELECT * FROM twice`)
		if req := w.of(record.ID(ids["open"])); req.State != request.Signing || len(req.Steps) != 1 {
			t.Errorf("%s %+v", req.State, req.Steps)
		}
	})
	t.Run("its backup is read", func(t *testing.T) {
		file, err := os.Open(filepath.Join("testdata", "earlier", "backup.gz"))
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		if f, err := backup.Decode(file); err != nil || f.Version != 2 || f.Reviews != 7 || len(f.Accounts) != 1 {
			t.Errorf("%v: %+v", err, f)
		}
	})
}
