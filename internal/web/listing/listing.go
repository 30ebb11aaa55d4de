// Package listing reads the lists that several pages show: pending reviews, bundles and accounts,
// with the names of their addresses.
package listing

import (
	"context"
	"log/slog"
	"time"

	"github.com/sayurintent/sayurintent/internal/account"
	"github.com/sayurintent/sayurintent/internal/book"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
)

// Reviews reads and prepares reviews. review.Service implements it.
type Reviews interface {
	Get(ctx context.Context, id record.ID) (record.Session, error)
	PrepareLooking(ctx context.Context, in plan.Intent) (record.Session, record.Looked, error)
}

// Lists reads lists. All fields are required.
type Lists struct {
	Accounts *account.Service
	Book     *book.Service
	Reviews  Reviews
	// Waiting returns pending reviews, the most recently changed first.
	Waiting func(ctx context.Context, now time.Time, limit int) ([]record.Waiting, error)
	// Past returns finished reviews, latest first, after skipping the first skip of them.
	Past func(ctx context.Context, now time.Time, skip, limit int) ([]record.ID, error)
	// Bundles returns pending requests with several transactions.
	Bundles func(ctx context.Context) ([]Bundle, error)
	// Orders returns the waiting orders, in their last known state.
	Orders func(ctx context.Context) ([]Order, error)
	// Headline returns the headline of a review, which states what it does.
	Headline func(record.Session) string
	Now      func() time.Time
	Log      *slog.Logger
}

// Bundle is a pending request with several transactions.
type Bundle struct {
	ID, Task                      string
	Title, Label, State, Tone, At string
	Done, Steps                   int
	Lines                         []Step // steps, if it is running
	Cancelling, Runs              bool
	Needs                         bool     // the user has to approve it or sign its next step
	Reviews                       []string // reviews of its steps
}

// Step is a step of a bundle, or several equal steps.
type Step struct{ Places, Asked, State string }
