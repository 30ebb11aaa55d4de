// Package history summarizes the reviews on this machine: how many there are, how far they came, and
// which still wait for the user. It changes nothing and queries no chain, so it does not know what a
// wallet did elsewhere.
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

// Activity is one review in a list. ExecutionStatus and TxDigest are empty until the user signed
// something.
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
	Result          string // what the executed transaction did; "" if no receipt says
	FailureReason   record.FailureReason
	Released        bool // a wallet received one of its transactions
	Computations    int  // number of computations
	Transitions     int  // number of recorded changes
}

// Lag is the total time that reviews took to reach a step.
type Lag struct {
	Reviews int
	Total   time.Duration
}

// Mean returns the average, rounded to the second, or false if no review reached the step.
func (l Lag) Mean() (time.Duration, bool) {
	if l.Reviews == 0 {
		return 0, false
	}
	return (l.Total / time.Duration(l.Reviews)).Round(time.Second), true
}

// Funnel counts reviews by how far they came. Each number counts distinct reviews, even if a step
// was repeated.
type Funnel struct {
	Total           int
	Opened          int // the page was opened
	Connected       int // the recorded account was bound
	Computed        int // a computation ended, with any result
	Ready           int // a transaction was ready to sign at some time
	RefreshRequired int
	Blocked         int
	Signed          int
	Succeeded       int
	Failed          int
	Expired         int // before the user signed
	Present         map[record.Status]int
	CreatedToSigned Lag
	OpenedToSigned  Lag
}

// Detail is everything stored about one review except its transactions. Entries are the latest
// changes, oldest first; Recorded is the total number of changes.
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

// Pending lists what waits for the user or the chain, latest activity first.
type Pending struct {
	Reviews        []Waiting
	MoreReviews    bool
	Identities     []account.Identity
	MoreIdentities bool
}
