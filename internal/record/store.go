package record

import (
	"context"
	"time"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// Store keeps reviews durably. Every method that changes something runs in one write
// transaction, appends one journal row (from status, to status, revision, what) and,
// after the commit, notifies the hub that the review changed.
//
// A transition decides inside that transaction. It edits the row and returns nil, or returns an
// error, which rolls back and is returned unchanged. If a transition leaves Session.Revision
// unchanged, nothing is stored, journaled or notified. The store does not check status moves;
// transitions do.
type Store interface {
	// CreateReview stores a new session.
	CreateReview(ctx context.Context, s Session) error
	// Review returns a session, or fault.SessionNotFound.
	Review(ctx context.Context, id ID) (Session, error)
	// ReviewRow returns a session with its materials, or fault.SessionNotFound.
	ReviewRow(ctx context.Context, id ID) (Row, error)
	// Change applies a transition, with Row.Frozen set. It destroys materials that the transition
	// removed from the row and stores new and changed ones.
	Change(ctx context.Context, id ID, what string, transition func(*Row) error) (Session, error)
	// Release applies a transition as Change does and records the release that it returns, at most
	// one per session and digest; a second one is fault.HandoffUnavailable. The transition must
	// also append the release to Session.Releases. The row returned after the commit holds the same
	// material slices that the transition saw. Only Release sets Row.Handed, Row.Open, Row.Asked,
	// Row.Approval and Row.ReleasedBy. They return what the methods of the same name return, for
	// policy.Day and the account, read in the same transaction, so that no other process can
	// release in between.
	Release(ctx context.Context, id ID, transition func(*Row) (Release, error)) (Row, error)
	// Unsettled lists sessions that have a release and are not terminal.
	Unsettled(ctx context.Context) ([]ID, error)
	Releases
}

// Releases reads the releases of all reviews.
type Releases interface {
	// Handed lists the transactions of all reviews that were released or signed after since and are
	// not proved dead.
	Handed(ctx context.Context, since time.Time) ([]Handed, error)
	// Open lists an account's open releases, oldest first: those that are not proved dead, in
	// reviews that are not final.
	Open(ctx context.Context, account sui.Address) ([]OpenRelease, error)
	// Asked lists the other requests of an account that a request is compared with: steps of
	// running bundles that no wallet has yet, and reviews that were confirmed within Recent or that
	// a node reports as executed.
	Asked(ctx context.Context, account sui.Address) ([]Asked, error)
	// Approval returns the running bundle that a review is a step of.
	Approval(ctx context.Context, id ID) (Approval, error)
	// ReleasedBy lists the reviews that ever released a transaction, including those
	// that an imported backup replaced.
	ReleasedBy(ctx context.Context, d sui.Digest) ([]ID, error)
	// Frozen reports whether the user paused all releases.
	Frozen(ctx context.Context) (bool, error)
}
