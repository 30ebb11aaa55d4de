// Package history summarizes the reviews on this machine: their number, their progress, and those
// that still wait for the user.
//
// It changes nothing and queries no chain. It knows only reviews on this machine, not what a wallet
// did elsewhere.
package history

import (
	"time"

	"github.com/sayurintent/sayurintent/internal/account"
	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Scope selects the reviews of an account that were prepared at From or later and before To. A zero
// time sets no bound, and Status "" selects any status. An unsigned review whose time has run out
// counts as expired even if its row does not say so yet.
type Scope struct {
	Account  sui.Address
	From, To time.Time
	Status   record.Status
}

// Activity is one review in a list. ExecutionStatus and TxDigest are empty until
// something was signed.
type Activity struct {
	ID              record.ID
	Status          record.Status
	Reason          plan.Reason
	Protocol        string // slug
	Action          string
	Account         sui.Address
	Intent          plan.Intent
	CreatedAt       time.Time
	UpdatedAt       time.Time
	ExecutionStatus record.Status
	TxDigest        string
	Result          string // what was executed did, or "" if a receipt does not say
	FailureReason   record.FailureReason
	Released        bool // a wallet got a transaction of it
	Computations    int  // how often it was computed
	Transitions     int  // how many changes were recorded
}

// Lag is how long a step took, over the reviews that reached it.
type Lag struct {
	Reviews int
	Total   time.Duration
}

// Mean returns the average to the second, and false when no review reached the step.
func (l Lag) Mean() (time.Duration, bool) {
	if l.Reviews == 0 {
		return 0, false
	}
	return (l.Total / time.Duration(l.Reviews)).Round(time.Second), true
}

// Funnel counts reviews by how far they came. Every number counts distinct reviews: a
// repeated step counts once.
type Funnel struct {
	Total           int
	Opened          int // the page was opened
	Connected       int // the recorded account was bound
	Computed        int // a computation ended, whatever it found
	Ready           int // a transaction was ready to be signed at some time
	RefreshRequired int
	Blocked         int
	Signed          int
	Succeeded       int
	Failed          int
	Expired         int // before anything was signed
	Present         map[record.Status]int
	CreatedToSigned Lag
	OpenedToSigned  Lag
}

// Detail is everything that is stored of one review except its transactions. Entries
// are the latest changes, oldest first; Recorded is their total number.
type Detail struct {
	Session  record.Session
	Entries  []events.Entry
	Recorded int
}

// Waiting is one review that is not final.
type Waiting struct {
	ID        record.ID
	Status    record.Status
	Reason    plan.Reason
	Account   sui.Address
	Protocol  string
	Action    string
	Intent    plan.Intent
	UpdatedAt time.Time
	ExpiresAt time.Time
}

// Pending is what waits for the user or for the chain, latest activity first.
type Pending struct {
	Reviews        []Waiting
	MoreReviews    bool
	Identities     []account.Identity
	MoreIdentities bool
}
