// Package listing has the lists that several pages show: pending reviews, bundles and accounts,
// with the names of their addresses.
package listing

import (
	"context"
	"log/slog"
	"time"

	"github.com/sayurintent/sayurintent/internal/account"
	"github.com/sayurintent/sayurintent/internal/book"
	"github.com/sayurintent/sayurintent/review"
	"github.com/sayurintent/sayurintent/review/record"
)

// Lists reads lists. All fields are required.
type Lists struct {
	Accounts *account.Service
	Book     *book.Service
	Reviews  *review.Service
	// Waiting returns pending reviews, the most recently changed first.
	Waiting func(ctx context.Context, now time.Time, limit int) ([]record.Waiting, error)
	Now     func() time.Time
	Log     *slog.Logger
}

// Bundle is a pending request with several transactions.
type Bundle struct {
	ID, Task                      string
	Title, Label, State, Tone, At string
	Done, Steps                   int
	Lines                         []Step // of a running one
	Cancelling, Runs              bool
}

// Step is a step of a bundle, or several equal ones.
type Step struct{ Places, Asked, State string }
