package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/proof"
	"github.com/sayurintent/sayurintent/internal/testkit"
)

// savedProof returns the proof file of a swap on a sandbox.
func savedProof(t *testing.T) []byte {
	t.Helper()
	h := testkit.Start(t, time.Now, nil)
	_, s := h.Send(h.Ready(testkit.Swap("10", "SUI", "USDC")))
	var err error
	done := func(s record.Session) bool { return s.Status == record.Success }
	if s, _, err = h.Reviews.Wait(context.Background(), s.ID, 2*time.Minute, done); err != nil || !done(s) {
		t.Fatal(s.Status, err)
	}
	digest, err := sui.ParseDigest(s.Execution.TxDigest)
	if err != nil {
		t.Fatal(err)
	}
	f, err := h.Prover.File(context.Background(), digest)
	if err != nil {
		t.Fatal(err)
	}
	b, err := f.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func verifyProof(t *testing.T, b []byte) (int, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "proof.json")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, errs := line("tx", "verify", "--proof", path)
	return code, out + errs
}

func TestSavedProofIsChecked(t *testing.T) {
	code, text := verifyProof(t, savedProof(t))
	if code != exitOK || !strings.Contains(text, "proved on a sandbox") || strings.Contains(text, "Sui's voting power") {
		t.Errorf("%d\n%s", code, text)
	}
}

// TestSandboxProofIsNoneOfMainnet checks that a sandbox's proof never passes as another chain's,
// because the keys of a sandbox's validators are public.
func TestSandboxProofIsNoneOfMainnet(t *testing.T) {
	f, err := proof.ReadFile(savedProof(t))
	if err != nil {
		t.Fatal(err)
	}
	f.Chain = proof.Anchors()[0].Chain
	b, err := f.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if code, text := verifyProof(t, b); code != exitFailed || strings.Contains(text, "ok ") {
		t.Errorf("%d\n%s", code, text)
	}
}
