//go:build shared

package sui

import (
	"testing"

	"github.com/sayurintent/sayurintent/internal/testkit/long"
)

// TestEveryBitOfRealTransactions is TestEveryBit for transactions from mainnet. A size limit saves
// time.
func TestEveryBitOfRealTransactions(t *testing.T) {
	long.Skip(t, "it decodes every change of real transactions")
	var corpus [][]byte
	for _, r := range realTransactions(t) {
		if r.Bytes <= 700 {
			corpus = append(corpus, unbase64(t, r.TransactionDataBcs))
		}
	}
	if len(corpus) < 30 {
		t.Fatalf("only %d transactions", len(corpus))
	}
	flipAll(t, corpus)
}
