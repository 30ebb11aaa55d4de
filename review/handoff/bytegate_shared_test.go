//go:build shared

package handoff_test

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"testing"

	"github.com/sayurintent/sayurintent/internal/testkit/long"
)

// The same over transactions that real wallets signed.
func TestByteGateOfRealTransactions(t *testing.T) {
	long.Skip(t, "it changes every bit of many transactions")
	b, err := os.ReadFile("../../../shared/data/real-transactions.json")
	if err != nil {
		t.Fatal(err)
	}
	var f struct {
		Transactions []struct{ TransactionDataBcs string }
	}
	if err := json.Unmarshal(b, &f); err != nil {
		t.Fatal(err)
	}
	var corpus [][]byte
	for _, r := range f.Transactions {
		raw, err := base64.StdEncoding.DecodeString(r.TransactionDataBcs)
		if err != nil {
			t.Fatal(err)
		}
		if len(raw) <= 700 {
			corpus = append(corpus, raw)
		}
	}
	if len(corpus) < 30 {
		t.Fatalf("only %d transactions", len(corpus))
	}
	gate(t, corpus)
}
