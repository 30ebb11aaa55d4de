package record

import (
	"time"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Waiting is one line of the list of reviews that are not final. It is read without
// the review's evidence, so that a list stays cheap; the review itself decides what
// may be done when it is opened.
type Waiting struct {
	ID         ID
	Status     Status
	Reason     plan.Reason
	Intent     plan.Intent
	Account    sui.Address
	WalletName string
	Released   bool // bytes were released, and nothing proves them dead
	Open       bool // a tab has the right to act on it
	Linked     bool // a link that was not opened yet
	CreatedAt  time.Time
	// BuildExpiresAt is when a transaction that was not released is taken back, zero if there is
	// none.
	BuildExpiresAt time.Time
	ExpiresAt      time.Time // of a review without a release
}
