// Package activity reads an account's past transactions. It scans them page by page, normalizes and
// labels them, determines what they prove about the account, and stores those of accounts whose
// wallet was connected on this computer.
//
// It is not a wallet history and does no work in the background: it scans when a user asks. Data
// that a node does not report is unknown, never zero.
package activity

import (
	"context"
	"time"

	"github.com/sayurintent/sayurintent/internal/account"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/proof"
)

// Source reports past transactions. All of them come from one provider.
type Source interface {
	// Transactions returns one page, newest first.
	Transactions(ctx context.Context, q sui.PastQuery) (sui.PastPage, error)
	// Transaction returns one transaction, or false if the provider has none with this digest.
	Transaction(ctx context.Context, digest sui.Digest) (sui.PastTransaction, bool, error)
	// CheckpointAt returns the newest checkpoint that is not after a time, or nil if the provider
	// has none, and the oldest checkpoint that is not before it, or nil if the chain has not
	// reached that time.
	CheckpointAt(ctx context.Context, at time.Time) (before, after *uint64, err error)
	// Range returns the oldest and the newest checkpoint that the provider has.
	Range(ctx context.Context) (sui.PastRange, error)
}

// Accounts returns the accounts that were connected on this computer, and the active one.
type Accounts interface {
	Known(ctx context.Context) ([]account.Known, error)
	Active(ctx context.Context) (account.Active, bool, error)
}

// Store stores facts about known accounts. It rejects all other accounts.
type Store interface {
	// KeepActivity stores rows and coverage of one account in one transaction. New rows replace old
	// ones, and rows of any chain other than k.Chain are deleted. If the account was never
	// connected here, KeepActivity returns false and stores nothing.
	KeepActivity(ctx context.Context, k Keep) (known bool, err error)
	// Activity returns up to most of an account's latest rows in a span, and counts of all its
	// rows in the span, from one snapshot.
	Activity(ctx context.Context, s Span, most int) (Stored, error)
	// ActivityFlows returns every stored change of the account's coins in a span, latest first, and
	// the covered intervals.
	ActivityFlows(ctx context.Context, s Span) (Flows, error)
}

// Limits of this package.
const (
	MostRows      = 100              // rows of one scan
	MostPages     = 20               // pages of the provider in one scan
	PageSize      = 50               // rows requested from the provider at once
	MostDetail    = 64 << 10         // bytes of one stored row's detail
	MostBuckets   = 2000             // buckets of one timeline
	ScanTime      = 30 * time.Second // duration of one scan, which then returns what it found
	mostTypeText  = 600              // bytes of a type
	mostErrorText = 300              // code points of a failure's message
)

// Config has a Service's dependencies.
type Config struct {
	Source   Source
	Chain    func(ctx context.Context) (sui.Digest, error) // the chain's identifier
	Store    Store
	Accounts Accounts
	// Balances returns an account's current balances. Only Anchor uses it.
	Balances func(ctx context.Context, owner sui.Address) ([]sui.Balance, error)
	// Prove returns what validators signed about a transaction; see prover.Chain. It may be nil.
	Prove  func(ctx context.Context, digest sui.Digest) (*proof.Outcome, error)
	Labels []sui.Label // of the recognized protocols, in order of precedence
	Now    func() time.Time
}

// Service scans, inspects and summarizes past transactions. It is safe for concurrent use.
type Service struct {
	c      Config
	labels labels
}

// New returns a Service.
func New(c Config) *Service { return &Service{c: c, labels: newLabels(c.Labels)} }
