package store_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/backup"
	"github.com/sayurintent/sayurintent/internal/book"
	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/hashchain"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/request"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/store"
)

// exported exports a store's record, and returns the file and the result of its verification.
func exported(t testing.TB, db *store.DB, names bool) (file []byte, entries []hashchain.Entry, r *hashchain.Report) {
	t.Helper()
	var b bytes.Buffer
	if err := hashchain.Export(t.Context(), db, &b, time.Unix(0, 0), names); err != nil {
		t.Fatal(err)
	}
	r, err := hashchain.Verify(bytes.NewReader(b.Bytes()), func(text []byte) {
		e, _, err := hashchain.Read(text)
		if err != nil {
			t.Error(err)
		}
		entries = append(entries, e)
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), entries, r
}

func recordedWhats(entries []hashchain.Entry) (all []string) {
	for _, e := range entries {
		all = append(all, e.What)
	}
	return all
}

// TestRecordOfReview checks that a review leaves an entry for each event, with the digest of its
// bytes and the hash that a hardware wallet shows.
func TestRecordOfReview(t *testing.T) {
	db, c := fresh(t)
	id := create(t, db, c, "r1")
	digest, build := built(5)
	change := func(what string, do func(*record.Row) error) {
		t.Helper()
		if _, err := db.Change(t.Context(), id, what, do); err != nil {
			t.Fatal(err)
		}
	}
	change("built", build)
	if _, err := db.Release(t.Context(), id, func(r *record.Row) (record.Release, error) {
		v := release(digest, "n")
		v.Accepted = []string{"price:12.4"}
		r.Session.Releases = append(r.Session.Releases, v)
		return v, bump(r)
	}); err != nil {
		t.Fatal(err)
	}
	change("seen", bump)
	change("answered", func(r *record.Row) error {
		r.Session.Releases[0].Outcome = record.OutcomeDisconnected
		return bump(r)
	})
	change("signed", func(r *record.Row) error {
		r.Session.Releases[0].SignedAt = c.Now()
		r.Session.Execution = &record.Execution{Status: record.SignedPendingResult, TxDigest: digest.String()}
		return bump(r)
	})
	change("settled", func(r *record.Row) error {
		s := &r.Session
		s.Status = record.Success
		s.Execution.Status = record.Success
		s.Execution.Receipt = &record.Receipt{TxDigest: digest.String(), OK: true, Epoch: 7}
		s.Execution.Proved = &record.Proof{State: record.Reported, Reason: "it was late."}
		return bump(r)
	})
	change("proof", func(r *record.Row) error {
		r.Session.Execution.Proved = &record.Proof{State: record.Proved, Epoch: 7, Checkpoint: 9, Effects: sui.Digest{1},
			Certified: sui.Digest{2}}
		return bump(r)
	})
	_, entries, report := exported(t, db, false)
	want := []string{"begun", "asked", "released", "answered", "answered", "settled", "ended", "decided", "proved"}
	if got := recordedWhats(entries); !slices.Equal(got, want) || !report.OK() {
		t.Fatalf("entries %q, want %q; %+v", got, want, report.Problems)
	}
	hash := sui.NewMaterial([]byte{5, 5, 5}).SigningHash().String()
	for i, parts := range map[int][]string{
		2: {`"request":"r1"`, `"digest":"` + digest.String(), `"signingHash":"` + hash, `"accepted":["price:12.4"]`,
			`"facts":{"sender":"0x`},
		3: {`"answer":"signing_disconnected"`}, 4: {`"answer":"signed"`}, 5: {`"success":true`, `"epoch":"7"`},
		6: {`"status":"success"`}, 8: {`"effects":"` + sui.Digest{1}.String(), `"checkpointDigest":"` +
			sui.Digest{2}.String()},
	} {
		for _, part := range parts {
			if !strings.Contains(string(entries[i].About), part) {
				t.Errorf("entry %d lacks %s: %s", i+1, part, entries[i].About)
			}
		}
	}
}

// TestRecordNames checks that an export contains names only on request.
func TestRecordNames(t *testing.T) {
	db, c := fresh(t)
	s := proposed("r1", c)
	to := sui.MustAddress("0xb0b")
	s.Intent = plan.Intent{Type: "transfer", Recipient: to.String(), RecipientName: "bob.sui", Asked: "Pay bob.sui"}
	if err := db.ChangeBook(t.Context(), func([]book.Entry) (book.Change, error) {
		return book.Change{Add: []book.Entry{{ID: "e1", Title: "Bobby Tables", Chain: "Sui", Address: to.String(),
			Source: book.Agent, CreatedAt: c.Now()}}}, nil
	}); err != nil {
		t.Fatal(err)
	}
	if err := db.CreateReview(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	file, entries, report := exported(t, db, false)
	if bytes.Contains(file, []byte("bob.sui")) || bytes.Contains(file, []byte("Bobby")) || !report.OK() ||
		report.Names != 0 {
		t.Errorf("names in %s", file)
	}
	if len(entries[1].Names) != 2 || !bytes.Contains(entries[1].About, []byte(to.String())) {
		t.Errorf("asked: %s %v", entries[1].About, entries[1].Names)
	}
	file, _, report = exported(t, db, true)
	if !bytes.Contains(file, []byte(`"bob.sui"`)) || !bytes.Contains(file, []byte(`"Bobby Tables"`)) || !report.OK() ||
		report.Names != 2 {
		t.Errorf("disclosed: %+v\n%s", report, file)
	}
}

// TestRecordStays checks that trimming keeps all entries, and that erasing or importing data starts
// a new chain.
func TestRecordStays(t *testing.T) {
	db, c := fresh(t)
	create(t, db, c, "r1")
	c.Advance(365 * 24 * time.Hour)
	for range 3 {
		if err := db.Trim(t.Context(), bus.Policy{}); err != nil {
			t.Fatal(err)
		}
	}
	_, entries, report := exported(t, db, false)
	if got := recordedWhats(entries); !slices.Equal(got, []string{"begun", "asked"}) || !report.OK() {
		t.Fatalf("after trimming: %q %+v", got, report.Problems)
	}
	if err := db.Replace(t.Context(), func(d backup.Data) (backup.Data, error) { return d, nil }); err != nil {
		t.Fatal(err)
	}
	create(t, db, c, "r2")
	_, entries, report = exported(t, db, false)
	if got := recordedWhats(entries); !slices.Equal(got, []string{"begun", "asked", "begun", "asked"}) || !report.OK() ||
		len(report.Chains) != 2 {
		t.Fatalf("after a restore: %q %+v", got, report.Problems)
	}
	if about := string(entries[2].About); !strings.Contains(about, `"reason":"restored"`) || !strings.Contains(about,
		report.Chains[0].Hash.String()) {
		t.Errorf("the new chain: %s", about)
	}
	if err := db.Erase(t.Context(), "page", func([]record.ID) error { return nil }); err != nil {
		t.Fatal(err)
	}
	create(t, db, c, "r3")
	_, entries, report = exported(t, db, true)
	if got := recordedWhats(entries); !slices.Equal(got, []string{"begun", "asked"}) || !report.OK() {
		t.Fatalf("after a reset: %q %+v", got, report.Problems)
	}
	if string(entries[0].About) != `{"reason":"reset"}` {
		t.Errorf("after a reset: %s", entries[0].About)
	}
}

// TestRecordDamaged checks that an entry edited in the store is reported and does not prevent
// further entries.
func TestRecordDamaged(t *testing.T) {
	dir := filepath.Join(double.Dir(t), "data")
	c := newClock()
	db := open(t, dir, nil, c.Now)
	for i := range 4 {
		create(t, db, c, fmt.Sprintf("r%d", i))
	}
	alter(t, dir, `UPDATE log SET payload_json = replace(payload_json, '"r1"', '"r9"') WHERE type = 'record.entry' AND payload_json LIKE '%"r1"%'`)
	_, _, report := exported(t, db, false)
	if report.OK() || report.Problems[0].Text != "entry 4 does not follow the previous entry: one of them was replaced" {
		t.Errorf("a changed entry: %+v", report.Problems)
	}
	alter(t, dir, `UPDATE log SET payload_json = '{}' WHERE seq = (SELECT max(seq) FROM log WHERE type = 'record.entry')`)
	create(t, db, c, "r8")
	_, entries, _ := exported(t, db, false)
	if last := entries[len(entries)-2]; last.What != "begun" || string(last.About) != `{"reason":"damaged"}` {
		t.Errorf("after a last entry that cannot be read: %+v", last)
	}
}

// signedHead returns a signature of a head, as made by a wallet.
func signedHead(h hashchain.Head) hashchain.Signature {
	key := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	public := key.Public().(ed25519.PublicKey)
	s := hashchain.Signature{Message: hashchain.Statement{Head: h, Account: sui.PublicKeyAddress(sui.SchemeEd25519,
		public), At: time.Unix(0, 0)}.Message()}
	digest := sui.Hash([]byte{3, 0, 0}, append([]byte{byte(len(s.Message))&0x7f | 0x80, byte(len(s.Message) >> 7)},
		s.Message...))
	raw := slices.Concat([]byte{sui.SchemeEd25519}, ed25519.Sign(key, digest[:]), public)
	s.Signature = base64.StdEncoding.EncodeToString(raw)
	return s
}

func TestRecordSigned(t *testing.T) {
	db, c := fresh(t)
	if _, ok, err := db.RecordHead(t.Context()); ok || err != nil {
		t.Error("a new store has a record", err)
	}
	create(t, db, c, "r1")
	head, ok, err := db.RecordHead(t.Context())
	if !ok || err != nil || head.Number != 2 {
		t.Fatal(head, ok, err)
	}
	may := func(context.Context) error { return nil }
	another := head
	another.Hash[0]++
	_, err = db.SignRecord(t.Context(), signedHead(another), may)
	wantFault(t, err, fault.InvalidSessionTransition)
	_, err = db.SignRecord(t.Context(), signedHead(head), func(context.Context) error {
		return fault.New(fault.Blocked,
			"No.")
	})
	wantFault(t, err, fault.Blocked)
	if st, err := db.SignRecord(t.Context(), signedHead(head), may); err != nil || st.Head != head {
		t.Fatal(st, err)
	}
	create(t, db, c, "r2")
	file, _, report := exported(t, db, false)
	if !report.OK() || report.Chains[0].Signed == nil || report.Chains[0].Signed.Number != 2 ||
		report.Chains[0].Number != 3 {
		t.Errorf("%+v", report)
	}
	lines := slices.Collect(bytes.Lines(file))
	cut, err := hashchain.Verify(bytes.NewReader(slices.Concat(slices.Delete(lines, 2, 4)...)), nil)
	if err != nil || cut.OK() || !strings.HasPrefix(cut.Problems[0].Text, "entries 2 to 2 are missing: 0x") {
		t.Errorf("a cut tail: %+v", cut.Problems)
	}
}

// Entries that two processes write form one chain. Two handles on one file represent the processes.
func TestRecordOfTwoProcesses(t *testing.T) {
	dir := filepath.Join(double.Dir(t), "data")
	c := newClock()
	handles := []*store.DB{open(t, dir, nil, c.Now), open(t, dir, nil, c.Now)}
	const workers, each = 4, 25
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := range each {
				s := proposed(fmt.Sprintf("r%d-%d", w, i), c)
				if _, err := handles[w%2].CreateRequest(context.Background(), request.Drafted{Review: &s}); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	if _, _, report := exported(t, handles[0], false); !report.OK() || report.Entries != workers*each+1 ||
		len(report.Chains) != 1 {
		t.Errorf("%d entries in %d chains: %+v", report.Entries, len(report.Chains), report.Problems)
	}
}

// A killed process leaves a complete record, with an entry for each release that it committed and
// for no other.
func TestRecordKilled(t *testing.T) {
	dir := filepath.Join(double.Dir(t), "data")
	c := newClock()
	db := open(t, dir, nil, c.Now)
	id := create(t, db, c, "r1")
	for round := range 3 {
		p := start(t, "writer", dir)
		for range 12 + 7*round {
			p.line(t)
		}
		_ = p.Process.Kill()
		_ = p.Wait() // it was killed
		_, entries, report := exported(t, db, false)
		if !report.OK() {
			t.Fatalf("%+v", report.Problems)
		}
		released := 0
		for _, e := range entries {
			if e.What == record.EntryReleased {
				released++
			}
		}
		if s := must[record.Session](t)(db.Review(t.Context(), id)); released != len(s.Releases) || released == 0 {
			t.Fatalf("%d entries for %d releases", released, len(s.Releases))
		}
	}
}

// BenchmarkRecordExport exports and verifies a record of 1,000 requests.
func BenchmarkRecordExport(b *testing.B) {
	db, c := fresh(b)
	for i := range 1000 {
		create(b, db, c, fmt.Sprintf("r%d", i))
	}
	var size int
	b.Run("export", func(b *testing.B) {
		for b.Loop() {
			var out bytes.Buffer
			if err := hashchain.Export(b.Context(), db, &out, time.Unix(0, 0), false); err != nil {
				b.Fatal(err)
			}
			size = out.Len()
		}
		b.ReportMetric(float64(size), "bytes")
	})
	b.Run("verify", func(b *testing.B) {
		file, _, _ := exported(b, db, false)
		for b.Loop() {
			if r, err := hashchain.Verify(bytes.NewReader(file), nil); err != nil || !r.OK() {
				b.Fatal(err, r.Problems)
			}
		}
	})
}
