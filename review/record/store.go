package record

import (
	"context"
	"time"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// Store keeps reviews durably. Every method that changes something runs in one
// write transaction, appends one journal row (from status, to status, revision,
// what) and, after the commit, tells the hub that the review changed.
//
// A law decides inside that transaction: it edits the row and returns nil, or
// returns an error, which rolls back and is passed on as it is. A law that
// leaves Session.Revision as it was has changed nothing: nothing is written, no
// journal row, no wake. The store does not judge status moves; laws do.
type Store interface {
	// CreateReview stores a new session.
	CreateReview(ctx context.Context, s Session) error
	// Review returns a session, or fault.SessionNotFound.
	Review(ctx context.Context, id ID) (Session, error)
	// ReviewRow returns a session with its materials, or fault.SessionNotFound.
	ReviewRow(ctx context.Context, id ID) (Row, error)
	// Change applies law. Materials missing from the row afterwards are
	// destroyed, new and changed ones stored.
	Change(ctx context.Context, id ID, what string, transition func(*Row) error) (Session, error)
	// Release applies law as Change does and records the release it returns,
	// at most one per session and digest (else fault.HandoffUnavailable). The
	// law has appended it to Session.Releases too. The row returned after the
	// commit holds the very material slices that the law saw. For the law alone,
	// Row.Handed gives what Handed gives for policy.Day, Row.Open what Open gives
	// for the account, and Row.ReleasedBy what ReleasedBy gives, read in the same
	// transaction: no other process can release between that and the commit.
	Release(ctx context.Context, id ID, transition func(*Row) (Release, error)) (Row, error)
	// Unsettled lists sessions that have a release and are not terminal.
	Unsettled(ctx context.Context) ([]ID, error)
	Releases
}

// Releases is what is read of the releases of all reviews together.
type Releases interface {
	// Handed lists the transactions of all reviews that are not proved dead and
	// were handed out, or whose signature came, after since.
	Handed(ctx context.Context, since time.Time) ([]Handed, error)
	// Open lists the open releases of an account, of all its reviews, the oldest
	// first: of reviews that are not final, and not proved dead.
	Open(ctx context.Context, account sui.Address) ([]OpenRelease, error)
	// ReleasedBy lists the reviews that ever handed out a transaction, also those
	// that a copy took the place of.
	ReleasedBy(ctx context.Context, d sui.Digest) ([]ID, error)
}
