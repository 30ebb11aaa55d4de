package web_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/sayurintent/sayurintent/internal/sui"
)

type digestVector struct{ name, bytes, digest, commitment string }

// digestVectors returns transactions with digests that another program computed.
func digestVectors(t *testing.T) []digestVector {
	t.Helper()
	b, err := os.ReadFile("../../internal/sui/testdata/transactions.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Vectors []struct {
			Name   string `json:"name"`
			Bytes  string `json:"txBytesBase64"`
			Digest string `json:"digest"`
		} `json:"vectors"`
	}
	if err := json.Unmarshal(b, &file); err != nil {
		t.Fatal(err)
	}
	var out []digestVector
	for _, v := range file.Vectors {
		d, err := sui.ParseDigest(v.Digest)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, digestVector{v.Name, v.Bytes, v.Digest, sui.Commitment(d)})
	}
	if len(out) < 30 {
		t.Fatalf("only %d vectors", len(out))
	}
	return out
}
