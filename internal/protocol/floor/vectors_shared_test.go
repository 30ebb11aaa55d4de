//go:build shared

package floor

import (
	"bytes"
	"os"
	"testing"
)

// TestVectorsAreAll: the vectors in testdata are all the recorded ones.
func TestVectorsAreAll(t *testing.T) {
	recorded, err := os.ReadFile("../../../../shared/vectors/protocols.json")
	if err != nil {
		t.Fatal(err)
	}
	here, err := os.ReadFile("testdata/protocols.json")
	if err != nil || !bytes.Equal(recorded, here) {
		t.Errorf("testdata/protocols.json differs from the recorded vectors: %v", err)
	}
}
