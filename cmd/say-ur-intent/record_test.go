package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/hashchain"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui/proof"
	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/internal/testkit/long"
)

// TestRecord checks that verification uses only the proofs in the record's folder, and reports
// changes to the record and to the proofs.
func TestRecord(t *testing.T) {
	long.Skip(t, "it waits for a proof")
	h := testkit.Start(t, time.Now, nil)
	_, s := h.Send(h.Ready(testkit.Swap("10", "SUI", "USDC")))
	proved := func(s record.Session) bool { return s.Execution.Proof().State == record.Proved }
	s, _, err := h.Reviews.Wait(context.Background(), s.ID, 2*time.Minute, proved)
	if err != nil || !proved(s) {
		t.Fatal(s.Status, err)
	}
	path := filepath.Join(t.TempDir(), "record.txt")
	to := &recordFiles{path: path}
	a := &app{db: h.Store, setup: &setup{now: time.Now}, external: external{proofs: h.Prover}}
	if err := a.sendRecord(t.Context(), false, to.take); err != nil || !to.done || to.proofs != 1 || len(to.problems) > 0 {
		t.Fatalf("%+v %v", to, err)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	proofFile := proofPath(path, s.Execution.TxDigest)
	saved, err := os.ReadFile(proofFile)
	if err != nil {
		t.Fatal(err)
	}
	put := func(path string, b []byte) {
		t.Helper()
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	verified := func(want int, says string, args ...string) {
		t.Helper()
		code, out, errs := line(append([]string{"record", "verify", path}, args...)...)
		if code != want || !strings.Contains(out+errs, says) {
			t.Errorf("%d, want %d and %q\n%s%s", code, want, says, out, errs)
		}
	}
	head, _, err := h.Store.RecordHead(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	verified(exitOK, "none changed, missing or reordered")
	verified(exitOK, "proofs from a sandbox, a test chain without real value: 1")
	verified(exitOK, "no wallet signed this chain")
	verified(exitOK, "is in the record", "--head", head.Hash.String())
	verified(exitFailed, "FAILED      entry 00", "--head", strings.Repeat("0", 64))
	verified(exitBadInput, "64 lower-case hexadecimal digits", "--head", "x")
	put(path, bytes.Replace(file, []byte(`"USDC"`), []byte(`"USDT"`), 1))
	verified(exitFailed, "was changed")
	put(path, file)
	put(proofFile, bytes.Replace(saved, []byte(`"effects": "`), []byte(`"effects": "AAAA`), 1))
	verified(exitFailed, "FAILED      proof of "+s.Execution.TxDigest)
	put(proofFile, savedProof(t))
	verified(exitFailed, "it does not prove what the entry states")
	if err := os.Remove(proofFile); err != nil {
		t.Fatal(err)
	}
	verified(exitOK, "proofs missing from this folder: 1")
}

// TestRecordOfAnotherChain executes a transaction on a sandbox, whose validators' keys are public,
// and writes a record that attributes it to mainnet, as an attacker would. The proof must not
// count.
func TestRecordOfAnotherChain(t *testing.T) {
	long.Skip(t, "it waits for a proof")
	b := savedProof(t)
	f, err := proof.ReadFile(b)
	if err != nil {
		t.Fatal(err)
	}
	proved, err := f.Verify(knownAnchors(f.Chain))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		chain string
		code  int
		says  string
	}{
		"its own chain":    {f.Chain.String(), exitOK, "proofs from a sandbox"},
		"another chain":    {proof.Anchors()[0].Chain.String(), exitFailed, "it is from a different chain"},
		"no chain is told": {"", exitOK, "proofs from a sandbox"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "record.txt")
			first, err := hashchain.Begin(hashchain.Beginning{Reason: "first"}, time.Now(), rand.Reader)
			links := []hashchain.Link{first}
			add := func(what string, about map[string]string) {
				if err == nil {
					var l hashchain.Link
					l, err = links[len(links)-1].Append(hashchain.Draft{What: what, About: about}, time.Now(), rand.Reader)
					links = append(links, l)
				}
			}
			if c.chain != "" {
				add(record.EntryReleased, map[string]string{"digest": proved.Transaction.String(), "chainId": c.chain})
			}
			add(record.EntryProved, map[string]string{"digest": proved.Transaction.String(),
				"effects": proved.EffectsDigest.String(), "checkpointDigest": proved.Checkpoint.Digest.String()})
			var file bytes.Buffer
			w, errs := hashchain.NewWriter(&file, time.Now())
			for _, l := range links {
				errs = errors.Join(errs, w.Entry(l.Text))
			}
			if err := errors.Join(err, errs, w.End(), os.WriteFile(path, file.Bytes(), 0o600),
				os.WriteFile(proofPath(path, proved.Transaction.String()), b, 0o600)); err != nil {
				t.Fatal(err)
			}
			code, out, said := line("record", "verify", path)
			if code != c.code || !strings.Contains(out+said, c.says) || strings.Contains(out, "validators signed") {
				t.Errorf("%d, want %d and %q\n%s%s", code, c.code, c.says, out, said)
			}
		})
	}
}

// TestRecordExport checks that the server is started to export the record.
func TestRecordExport(t *testing.T) {
	long.Skip(t, "it starts programs")
	t.Parallel()
	dir := shelter(t)
	path := filepath.Join(t.TempDir(), "mine.txt")
	c := exec.Command(program(t), "record", "export", "--network", "sandbox", path)
	c.Env = append(os.Environ(), asProgram+"=1", dataDirVariable+"="+dir)
	out, err := c.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "Record: "+path) {
		t.Fatalf("%v\n%s", err, out)
	}
	if code, out, errs := line("record", "verify", path); code != exitOK || !strings.Contains(out, "entries: 0, none") {
		t.Errorf("%d\n%s%s", code, out, errs)
	}
	left, err := filepath.Glob(filepath.Join(filepath.Dir(path), ".record-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("files are left: %v %v", left, err)
	}
}
