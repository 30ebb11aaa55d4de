// Package activity is what an account did on the chain: it scans bounded pages of
// past transactions, normalises and labels them, says what they prove about the
// account, and keeps of them what concerns accounts that a wallet gave here.
//
// It is no history of a wallet and no background work: it looks when a user
// asks. What a node does not report is unknown here, never zero.
package activity

import (
	"context"
	"time"

	"github.com/sayurintent/sayurintent/internal/account"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/proof"
)

// Source reports past transactions. All of it is one provider's word.
type Source interface {
	// Transactions returns one page, newest first.
	Transactions(ctx context.Context, q sui.PastQuery) (sui.PastPage, error)
	// Transaction returns one transaction; false means that the provider has none.
	Transaction(ctx context.Context, digest sui.Digest) (sui.PastTransaction, bool, error)
	// CheckpointAt returns the newest checkpoint that is not after a moment, or nil if the provider
	// has none, and the oldest that is not before it, or nil if the chain has not come to it.
	CheckpointAt(ctx context.Context, at time.Time) (before, after *uint64, err error)
	// Range returns the oldest and the newest checkpoint that the provider has.
	Range(ctx context.Context) (sui.PastRange, error)
}

// Accounts knows the accounts that a wallet gave here, and the one in use.
type Accounts interface {
	Known(ctx context.Context) ([]account.Known, error)
	Active(ctx context.Context) (account.Active, bool, error)
}

// Store keeps facts of known accounts. It refuses those of any other.
type Store interface {
	// KeepActivity stores rows and coverage of one account, in one step, newer
	// ones over older ones. Rows of another chain than k's are forgotten.
	// known is false, and nothing is stored, when no wallet gave the account.
	KeepActivity(ctx context.Context, k Keep) (known bool, err error)
	// Activity returns the latest most rows of an account in a span, and counts of
	// all of them, out of one state of the store.
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
	ScanTime      = 30 * time.Second // one scan; what is there by then is given
	mostTypeText  = 600              // bytes of one type's text
	mostErrorText = 300              // code points of a failure's text
)

// Config is what a Service needs.
type Config struct {
	Source   Source
	Chain    func(ctx context.Context) (sui.Digest, error) // the chain's identifier
	Store    Store
	Accounts Accounts
	// Balances returns all that an account holds now; for Anchor alone.
	Balances func(ctx context.Context, owner sui.Address) ([]sui.Balance, error)
	// Prove returns what validators signed of a transaction, as prover.Chain does; nil if nothing
	// is proved.
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
