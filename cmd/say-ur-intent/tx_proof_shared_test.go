//go:build shared

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/proof"
)

// TestTxVerifyProof verifies a recorded mainnet transaction from the shipped anchor without a node,
// and checks that every forgery of the file is rejected.
func TestTxVerifyProof(t *testing.T) {
	var f struct {
		Checkpoints []struct {
			Summary, Contents []byte
			Certificate       struct {
				Epoch             uint64
				Signature, Bitmap []byte
			}
			Transactions []struct {
				Digest          sui.Digest
				Effects, Events []byte
			}
		}
	}
	b, err := os.ReadFile("../../../shared/vectors/light-client/proof-mainnet-246.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &f); err != nil {
		t.Fatal(err)
	}
	at, tx1 := f.Checkpoints[1], f.Checkpoints[1].Transactions[1]
	file := proof.NewFile(proof.Anchors()[0], f.Checkpoints[0].Summary)
	file.Checkpoint = proof.StepOf(at.Summary, proof.Certificate{
		Epoch: at.Certificate.Epoch, Signature: at.Certificate.Signature, Bitmap: at.Certificate.Bitmap})
	file.Contents, file.Transaction, file.Effects, file.Events = at.Contents, tx1.Digest, tx1.Effects, tx1.Events
	write := func(change func(*proof.File)) string {
		copied := file
		change(&copied)
		b, err := copied.Encode()
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "proof.json")
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	code, out, errs := tx("", "verify", "--proof", write(func(*proof.File) {}))
	t.Log("\n" + out)
	for _, want := range []string{"transaction ZBfXbQbEuZ4CEydBuJATFmDYBhfbr5apPjFfdBLDhKJ\n", "result      succeeded\n",
		"checkpoint  20958462 of epoch 246, 2023-12-15T16:49:12Z\n",
		"anchor      end of epoch 245, checkpoint 20873329, 6jar",
		"ok          proved: "} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in %s", want, out)
		}
	}
	if code != exitOK || errs != "" {
		t.Error(code, errs)
	}
	for want, change := range map[string]func(*proof.File){
		"not those of the signed checkpoint": func(f *proof.File) { f.Effects = append([]byte{0, 1}, f.Effects[2:]...) },
		"that this program does not know":    func(f *proof.File) { f.Anchor.Epoch++ },
		"does not match the checkpoint":      func(f *proof.File) { f.Checkpoint.Signature = f.Start[:48] },
	} {
		code, out, errs := tx("", "verify", "--proof", write(change))
		if code != exitFailed || !strings.Contains(out, want) || strings.Contains(out, "succeeded") || errs != "" {
			t.Errorf("%s: %d %q %q", want, code, out, errs)
		}
	}
}
