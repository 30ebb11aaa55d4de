package web

import (
	"context"
	"fmt"
	"time"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// quietRequests is how many requests in ten minutes are not worth a word.
const quietRequests = 2

// Nth counts an account's requests in the ten minutes up to the one made at a given time.
type Nth func(ctx context.Context, account sui.Address, at time.Time) (int, error)

// words says which request for an account in ten minutes one is, "" where there were
// few.
func (count Nth) words(ctx context.Context, account sui.Address, at time.Time) (string, error) {
	if account.IsZero() {
		return "", nil
	}
	n, err := count(ctx, account, at)
	if err != nil || n <= quietRequests {
		return "", err
	}
	return fmt.Sprintf("This is the %d%s request in ten minutes for this account.", n, ordinal(n)), nil
}

// ordinal returns the ending of an ordinal number.
func ordinal(n int) string {
	if tens := n % 100; tens < 11 || tens > 13 {
		switch n % 10 {
		case 1:
			return "st"
		case 2:
			return "nd"
		case 3:
			return "rd"
		}
	}
	return "th"
}
