package testkit

import (
	"testing"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Build returns a transaction with the commands that add appends, using the selected coins.
func Build(t testing.TB, account sui.Address, add func(*plan.Builder) error, selections ...plan.Selection) sui.Kind {
	t.Helper()
	b := plan.NewBuilder(account, selections...)
	if err := add(b); err != nil {
		t.Fatalf("build: %v", err)
	}
	return b.Kind()
}
