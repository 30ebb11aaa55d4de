// Package handoff releases a built transaction at most once, accepts what the wallet returns,
// submits it, and watches the chain until effects or a proof settle it.
package handoff

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/policy"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review/node"
)

// Handoff is a released transaction, which the page receives once: as JSON for wallets, as exact
// bytes, and with a nonce that later proves that this page received it.
type Handoff struct {
	TransactionJSON string
	Bytes           sui.Material
	Nonce           string
	MultiSig        *sui.MultiSig // members whose signatures are collected; nil for a single wallet
	builtAt, until  time.Time     // age of the build: too old after until
}

// Config has a Service's dependencies.
type Config struct {
	node.Guard
	Store    record.Store
	Adapters []plan.Adapter
	Chain    node.Chain
	Executor node.Executor
	Second   node.Executor // another node that is also asked for results; may be nil
	Feed     node.Feed     // nil: watches only poll
	Epochs   node.Epochs
	Prover   node.Prover // nil: results are never proved
	Names    node.Names  // nil if names cannot be paid
	Unproved func(ctx context.Context, since time.Time) ([]record.ID, error)
	// LookedFor lists failed sessions with a dead release whose effects are still looked up; may be
	// nil.
	LookedFor func(ctx context.Context) ([]record.ID, error)
	Allowed   func(ctx context.Context) (policy.Allowance, error)     // nil means no limits
	Active    func(ctx context.Context) (record.Account, bool, error) // the active account
	Compare   func(*record.Row) string                                // nil compares with the adapter that built the bytes
	Go        func(work func(life context.Context))                   // runs work that outlives its caller
	Now       func() time.Time
	Rand      io.Reader
}

// Service releases each built transaction at most once, accepts what wallets return, submits it,
// and watches the chain until it settles.
type Service struct {
	c       Config
	wish    record.WishReader
	compare func(*record.Row) string

	mu       sync.Mutex
	sending  map[record.ID]bool          // submissions in progress
	watching map[record.ID]chan struct{} // wakes the watch of an unsettled review
	watcher  chan record.ID              // sends new unsettled reviews to Run
	awaited  map[sui.Digest]record.ID    // transactions of the watched reviews
	hush     context.CancelFunc          // cancels the current subscription
	some     chan struct{}               // wakes listen when a review is watched
	again    time.Duration               // pause before the first retry of a subscription

	followed  time.Time // when Run started, or last followed the validators while idle
	following bool      // Run has followed them at least once
}

// New returns a Service.
func New(c Config) *Service {
	s := &Service{c: c, wish: record.Wishes(c.Adapters, c.Now), compare: c.Compare,
		sending: map[record.ID]bool{}, watching: map[record.ID]chan struct{}{}, watcher: make(chan record.ID, 16),
		awaited: map[sui.Digest]record.ID{}, hush: func() {}, some: make(chan struct{}, 1), again: againAfter}
	if s.compare == nil {
		s.compare = s.altered
	}
	return s
}

func (s *Service) now() time.Time { return s.c.Now() }

// Differs describes how a stored build differs from its bytes, or returns "".
func (s *Service) Differs(r *record.Row) string { return s.compare(r) }

// Get returns a review's current state. It first expires a review whose time has run out, and
// withdraws a build that was not used in time.
func (s *Service) Get(ctx context.Context, id record.ID) (record.Session, error) {
	row, err := s.Kept(ctx, id)
	if err != nil {
		return record.Session{}, err
	}
	if Expired(row.Session, s.now()) == "" {
		return row.Session, nil
	}
	return s.c.Store.Change(ctx, id, "lapsed", func(r *record.Row) error { return expire(r, s.now()) })
}

// Opened records that the review's page was opened. The first call binds the recorded account;
// later calls change nothing.
func (s *Service) Opened(ctx context.Context, id record.ID) (record.Session, error) {
	if _, err := s.Get(ctx, id); err != nil {
		return record.Session{}, err
	}
	return s.c.Store.Change(ctx, id, "opened", func(r *record.Row) error {
		active, err := s.active(ctx)
		if err != nil {
			return err
		}
		return open(r, active, s.now())
	})
}

// active returns the active account, or nil.
func (s *Service) active(ctx context.Context) (*record.Account, error) {
	account, ok, err := s.c.Active(ctx)
	if err != nil || !ok {
		return nil, err
	}
	return &account, nil
}

// Right checks again whether the requesting page still has access. A transition calls it inside the
// store's write transaction, so it may read committed data but must not write.
type Right func(ctx context.Context) error

// Handoff is like HandoffTo, for callers inside this program, which need no page access.
func (s *Service) Handoff(ctx context.Context, id record.ID, revision int64, commitment string,
	accepted ...string) (Handoff, error) {
	return s.HandoffTo(ctx, id, func(context.Context) error { return nil }, revision, commitment, accepted...)
}

// HandoffTo releases the built transaction to a page. The page passes the revision and commitment
// that it displayed, and what the user accepted there.
//
// A built transaction is released at most once: the release is durable before HandoffTo returns.
// The page's access, the active account and the limits are checked inside the release's store
// transaction. The caller must call Deliverable before the bytes leave the program.
func (s *Service) HandoffTo(ctx context.Context, id record.ID, right Right, revision int64, commitment string,
	accepted ...string) (Handoff, error) {
	if err := readAccepted(accepted); err != nil {
		return Handoff{}, err
	}
	row, err := s.c.Store.ReviewRow(ctx, id)
	if err != nil {
		return Handoff{}, err
	}
	asked, epoch := offers(&row.Session, commitment) && s.Differs(&row) == "", uint64(0)
	if asked { // otherwise the transition returns the error without asking a node
		if epoch, err = s.present(ctx, &row); err != nil {
			return Handoff{}, err
		}
	}
	nonce, err := record.Secret(s.c.Rand, 32)
	if err != nil {
		return Handoff{}, err
	}
	out := Handoff{Nonce: nonce}
	_, err = s.c.Store.Release(ctx, id, func(r *record.Row) (record.Release, error) {
		h := releaseRequest{revision: revision, commitment: commitment, nonce: record.HashOf(nonce), epoch: epoch,
			accepted: accepted, wish: s.wish}
		//mutant:never ./review TestReleaseRestsOnThePresent
		if err := s.restsOn(ctx, right, &h); err != nil {
			return record.Release{}, err
		}
		if err := s.unaltered(r); err != nil {
			return record.Release{}, err
		}
		rel, err := release(r, h, s.now())
		//mutant:never ./review TestHandoffNobodyAsked
		if err == nil && !asked {
			err = record.Outdated() // it just became ready, before any node was asked
		}
		if err != nil {
			return record.Release{}, err
		}
		out.MultiSig = rel.MultiSig
		out.builtAt, out.until = r.Session.BuiltAt, r.Session.BuildExpiresAt
		// Encode the JSON before the release is recorded: a transaction that cannot be delivered
		// must not count as released.
		given, _ := r.Material(rel.Digest)
		return rel, out.encode(given.Bytes)
	})
	if err != nil {
		return Handoff{}, s.refused(ctx, id, commitment, err)
	}
	if s.c.Prover != nil {
		s.c.Prover.Begin()
	}
	s.watch(id)
	return out, nil
}

// encode sets the transaction as bytes and as JSON.
func (h *Handoff) encode(bytes sui.Material) error {
	h.Bytes = bytes
	tx, err := bytes.Transaction()
	if err != nil {
		return err
	}
	text, err := tx.WalletJSON()
	h.TransactionJSON = string(text)
	return err
}

// present returns the current epoch, after reading again from the chain what the built transaction
// depends on: that its steps still have a purpose, its objects, and the names that it pays.
func (s *Service) present(ctx context.Context, row *record.Row) (uint64, error) {
	session := row.Session
	epoch, err := s.presentEpoch(ctx)
	if err == nil {
		err = s.refused(ctx, session.ID, session.Commitment, s.recheck(ctx, session))
	}
	if err == nil {
		err = s.latest(ctx, row)
	}
	if err == nil {
		err = s.refused(ctx, session.ID, session.Commitment, s.sameNames(ctx, session))
	}
	return epoch, err
}

// restsOn reads everything outside the review that a release depends on. It runs inside the
// release's store transaction, while no other process can write, so revoked access, a cleared
// account and tightened limits take effect.
func (s *Service) restsOn(ctx context.Context, right Right, h *releaseRequest) (err error) {
	if err := right(ctx); err != nil {
		return err
	}
	if h.active, err = s.active(ctx); err != nil {
		return err
	}
	h.allowed, err = s.allowed(ctx)
	return err
}

// allowed returns the limits that apply to a release.
func (s *Service) allowed(ctx context.Context) (policy.Allowance, error) {
	if s.c.Allowed == nil {
		return policy.Allowance{}, nil
	}
	allowed, err := s.c.Allowed(ctx)
	if err != nil {
		return policy.Allowance{}, record.Unreadable(err)
	}
	return allowed, nil
}

// refused withdraws the build if err is a stop, such as a violated limit, so that every page and
// answer shows the reason, and returns the error for the page. It returns any other error unchanged.
func (s *Service) refused(ctx context.Context, id record.ID, commitment string, err error) error {
	var stop *plan.Stop
	if !errors.As(err, &stop) {
		return err
	}
	_, err = s.c.Store.Change(ctx, id, "not allowed", func(r *record.Row) error {
		if r.Session.Status != record.Ready || r.Session.Commitment != commitment || r.Session.Current() != nil {
			return nil
		}
		return r.Stop(stop.Reason, stop.Check, s.now())
	})
	if err != nil {
		return err
	}
	return fault.Wrap(stop, fault.HandoffUnavailable, "%s Nothing was sent to your wallet. %s", stop.Check.Message, stop.Check.Do).
		With("reason", string(stop.Reason))
}

// epochTime is the timeout for reading the epoch for a handoff.
const epochTime = 5 * time.Second

// presentEpoch reads the current epoch just before a release. If the node does not answer, nothing
// is released, because the same node would have to accept the signed transaction right afterwards.
func (s *Service) presentEpoch(ctx context.Context) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, epochTime)
	defer cancel()
	epoch, err := s.c.Epochs.Present(ctx, s.now())
	if err != nil {
		return 0, fault.Wrap(err, fault.As(err).Code,
			"Whether this transaction can still execute could not be asked, so it was not "+
				"handed out. Try again in a moment. %s", fault.As(err).Text)
	}
	return epoch.Number, nil
}

// Deliverable checks the build's age again just before the bytes are written to the page. If they
// became too old since the release, for example because the program was suspended, they must not
// leave: Deliverable records that and returns an error. The release itself is never undone.
func (s *Service) Deliverable(ctx context.Context, id record.ID, h Handoff) error {
	//mutant:always ./review TestBuildTooOldAfterTheRelease
	if now := s.now(); now.Before(h.until) && !plan.SetBack(h.builtAt, now) {
		return nil
	}
	_, err := s.c.Store.Change(context.WithoutCancel(ctx), id, "withheld", func(r *record.Row) error {
		return withhold(r, record.HashOf(h.Nonce), s.now())
	})
	if err != nil {
		return err
	}
	return fault.New(fault.HandoffUnavailable,
		"The transaction became too old before it reached this page. Your wallet was "+
			"not asked. Update to rebuild it at the current price.").With("reason", record.OutcomeWithheld)
}

// Signed accepts the bytes and the signature that a wallet returned. The bytes must be the released
// ones and the signature the account's. The signature is durable before Signed returns, and is sent
// to the node in the background. Repeating the call is harmless.
func (s *Service) Signed(ctx context.Context, id record.ID, nonce string, bytes, signature []byte) (record.Session,
	error) {
	if len(bytes) == 0 || len(signature) == 0 {
		return record.Session{}, fault.New(fault.InputInvalid, "The signed transaction's bytes or its signature are missing.")
	}
	session, err := s.signed(ctx, id, "wallet answered", readSigning(nonce, bytes, signature))
	if err != nil {
		return record.Session{}, err
	}
	if session.Status == record.SignedPendingResult && session.Execution.Submission == record.SubmissionNone {
		s.send(id, false)
	}
	s.watch(id)
	return session, nil
}

// signed applies the transition of a signature. Some refusals must be stored. Those do not roll
// back the store transaction, but signed still returns them.
func (s *Service) signed(ctx context.Context, id record.ID, what string, g signing) (record.Session, error) {
	var refusal error
	session, err := s.c.Store.Change(ctx, id, what, func(r *record.Row) error {
		if refusal = sign(r, g, s.now()); keepAnswer(r, g, refusal, s.now()) {
			return nil
		}
		return refusal
	})
	if err == nil {
		err = refusal
	}
	return session, err
}

// readSigning verifies a signature before any lock is taken. If only a node can verify the
// signature's scheme, the signature passes with the account that it claims, and the node decides.
func readSigning(nonce string, bytes, signature []byte) signing {
	g := signing{nonce: record.HashOf(nonce), bytes: bytes, signature: signature, digest: sui.TransactionDigest(bytes)}
	g.signers, g.err = sui.TransactionSigners(bytes, signature)
	if errors.Is(g.err, sui.ErrLeftToNode) {
		g.err = nil
	}
	return g
}

// SignedElsewhere accepts the digest from a wallet that signs and sends the transaction itself. It
// must be the digest of the released transaction.
func (s *Service) SignedElsewhere(ctx context.Context, id record.ID, nonce string, digest sui.Digest) (record.Session,
	error) {
	session, err := s.signed(ctx, id, "sent by the wallet", signing{nonce: record.HashOf(nonce), digest: digest})
	if err == nil {
		s.watch(id)
	}
	return session, err
}

// Outcome records a page's report about a wallet that returned no signature. nonce may be empty
// before a release and for declining.
func (s *Service) Outcome(ctx context.Context, id record.ID, nonce, outcome string) (record.Session, error) {
	if _, err := s.Get(ctx, id); err != nil {
		return record.Session{}, err
	}
	var hash *record.Hash
	if nonce != "" {
		h := record.HashOf(nonce)
		hash = &h
	}
	return s.c.Store.Change(ctx, id, "outcome "+plan.Clip(outcome),
		func(r *record.Row) error { return report(r, hash, outcome, s.now()) })
}
