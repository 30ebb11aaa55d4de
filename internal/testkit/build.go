package testkit

import (
	"testing"

	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review"
)

// Build returns the transaction that a step appends, on coins that were selected.
func Build(t testing.TB, account sui.Address, add func(*review.Builder) error, selections ...review.Selection) sui.Kind {
	t.Helper()
	b := review.NewBuilder(account, selections...)
	if err := add(b); err != nil {
		t.Fatalf("build: %v", err)
	}
	return b.Kind()
}
