// Package activity reads an account's past transactions: it scans them page by page, normalizes and
// labels them, determines what they prove about the account, and stores those of accounts whose
// wallet was connected here.
//
// It is not a wallet history and does no background work: it scans when a user asks. What a node
// does not report is unknown, never zero.
package activity

import (
	"context"
	"time"

	"github.com/sayurintent/sayurintent/internal/account"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/proof"
)

// Source reports past transactions, all from one provider.
type Source interface {
	// Transactions returns one page, newest first.
	Transactions(ctx context.Context, q sui.PastQuery) (sui.PastPage, error)
	// Transaction returns one transaction; false means that the provider has none.
	Transaction(ctx context.Context, digest sui.Digest) (sui.PastTransaction, bool, error)
	// CheckpointAt returns the newest checkpoint not after a time, or nil if the provider has none,
	// and the oldest not before it, or nil if the chain has not reached it.
	CheckpointAt(ctx context.Context, at time.Time) (before, after *uint64, err error)
	// Range returns the oldest and the newest checkpoint that the provider has.
	Range(ctx context.Context) (sui.PastRange, error)
}

// Accounts knows the accounts that a wallet gave here, and the active one.
type Accounts interface {
	Known(ctx context.Context) ([]account.Known, error)
	Active(ctx context.Context) (account.Active, bool, error)
}

// Store stores facts about known accounts and refuses any others.
type Store interface {
	// KeepActivity stores rows and coverage of one account in one transaction; newer rows replace
	// older ones. Rows of another chain than k's are deleted. If no wallet gave the account, known
	// is false and nothing is stored.
	KeepActivity(ctx context.Context, k Keep) (known bool, err error)
	// Activity returns an account's latest rows in a span, at most most, and counts of all rows,
	// from one snapshot.
	Activity(ctx context.Context, s Span, most int) (Stored, error)
	// ActivityFlows returns every stored change of the account's coins in a span, latest first, and
	// the intervals that are covered.
	ActivityFlows(ctx context.Context, s Span) (Flows, error)
}

// Limits of this package.
const (
	MostRows      = 100              // of one scan
	MostPages     = 20               // of the provider in one scan
	PageSize      = 50               // rows asked of the provider at once
	MostDetail    = 64 << 10         // bytes of one stored row's detail
	MostBuckets   = 2000             // of one timeline
	ScanTime      = 30 * time.Second // of one scan; returns what was found by then
	mostTypeText  = 600              // bytes of one type's text
	mostErrorText = 300              // code points of a failure's text
)

// Config has a Service's dependencies.
type Config struct {
	Source   Source
	Chain    func(ctx context.Context) (sui.Digest, error) // the chain's identifier
	Store    Store
	Accounts Accounts
	// Balances returns an account's current balances; only for Anchor.
	Balances func(ctx context.Context, owner sui.Address) ([]sui.Balance, error)
	// Prove returns what validators signed about a transaction, like prover.Chain; may be nil.
	Prove  func(ctx context.Context, digest sui.Digest) (*proof.Outcome, error)
	Labels []sui.Label // of the protocols that are recognised, in the order of their telling
	Now    func() time.Time
}

// Service scans, inspects and sums up. It is safe for concurrent use.
type Service struct {
	c      Config
	labels labels
}

// New returns a Service.
func New(c Config) *Service { return &Service{c: c, labels: newLabels(c.Labels)} }
