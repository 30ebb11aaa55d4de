package sui

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"os"
	"testing"
)

// transactionVector is one entry of testdata/transactions.json.
type transactionVector struct {
	Name            string
	TransactionData json.RawMessage
	TxBytesBase64   string
	TxBytesHex      string
	KindBytesBase64 string
	Digest          string
	PureInputs      []struct{ Type, BytesHex string }
	Signatures      []struct{ Role, Scheme, Address, SignatureBase64 string }
}

func transactionVectors(tb testing.TB) []transactionVector {
	tb.Helper()
	var f struct{ Vectors []transactionVector }
	readJSON(tb, "testdata/transactions.json", &f)
	if len(f.Vectors) != 34 {
		tb.Fatalf("there are %d transaction vectors, want 34", len(f.Vectors))
	}
	return f.Vectors
}

// transactionNamed returns the bytes of one vector.
func transactionNamed(tb testing.TB, name string) []byte {
	tb.Helper()
	for _, v := range transactionVectors(tb) {
		if v.Name == name {
			return unbase64(tb, v.TxBytesBase64)
		}
	}
	tb.Fatalf("there is no vector %s", name)
	return nil
}

func readJSON(tb testing.TB, path string, v any) {
	tb.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	if err := json.Unmarshal(b, v); err != nil {
		tb.Fatalf("%s: %v", path, err)
	}
}

func unbase64(tb testing.TB, s string) []byte {
	tb.Helper()
	b, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

func unhex(tb testing.TB, s string) []byte {
	tb.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}
