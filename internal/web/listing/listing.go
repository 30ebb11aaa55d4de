// Package listing has the lists that several pages show: pending reviews, bundles and accounts,
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
	// Past returns reviews that are over, latest first, without the first skip of them.
	Past func(ctx context.Context, now time.Time, skip, limit int) ([]record.ID, error)
	// Bundles returns pending requests with several transactions.
	Bundles func(ctx context.Context) ([]Bundle, error)
	// Orders returns the orders that wait for the market, as they were seen last.
	Orders func(ctx context.Context) ([]Order, error)
	// Deed returns what a review does, as its headline says it.
	Deed func(record.Session) string
	Now  func() time.Time
	Log  *slog.Logger
}

// Bundle is a pending request with several transactions.
type Bundle struct {
	ID, Task                      string
	Title, Label, State, Tone, At string
	Done, Steps                   int
	Lines                         []Step // of a running one
	Cancelling, Runs              bool
	Needs                         bool     // the user has to approve it, or to sign its next step
	Reviews                       []string // of its steps
}

// Step is a step of a bundle, or several equal ones.
type Step struct{ Places, Asked, State string }
