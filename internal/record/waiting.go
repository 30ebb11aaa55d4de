package record

import (
	"time"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Waiting is one row in the list of reviews that are not final. It is read without the review's
// evidence, so that listing is cheap. What a user may do is decided when the review is opened.
type Waiting struct {
	ID         ID
	Status     Status
	Reason     plan.Reason
	Intent     plan.Intent
	Account    sui.Address
	WalletName string
	Released   bool // a transaction was released and is not proved dead
	Open       bool // a tab has the right to act on it
	Linked     bool // a link to it was not opened yet
	CreatedAt  time.Time
	// BuildExpiresAt is when an unreleased transaction is withdrawn; zero if there is none.
	BuildExpiresAt time.Time
	ExpiresAt      time.Time // for a review without a release
}
