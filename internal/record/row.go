package record

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Account is the active wallet account, as claimed on the connect page.
type Account struct {
	Address    sui.Address
	WalletName string
	WalletID   string
	MultiSig   *sui.MultiSig // nil for other accounts
}

// Material is one built transaction: its exact bytes, and the signature once a wallet returned it
// or enough members of a multisig account signed. Parts are the members' signatures.
type Material struct {
	Digest    sui.Digest
	Bytes     sui.Material
	Signature sui.Signature
	Parts     []sui.MemberSignature
	CreatedAt time.Time
}

// Row is a review as a transition reads and edits it, within the store's write transaction.
// Materials that a transition removes are destroyed by the commit.
type Row struct {
	Session   Session
	Materials []Material
	// Handed returns the releases of all reviews within policy.Day, read in the same transaction.
	// It is set only for the transition of a release.
	Handed func() ([]Handed, error)
	// Open returns all open releases of the account. ReleasedBy returns the reviews that ever
	// released a transaction. Both read in the same transaction and are set only for the transition
	// of a release.
	Open       func() ([]OpenRelease, error)
	ReleasedBy func(sui.Digest) ([]ID, error)
	// Asked and Approval return what the store's methods of the same name return, read in the same
	// transaction. They are set only for the transition of a release.
	Asked    func() ([]Asked, error)
	Approval func() (Approval, error)
	// Frozen reports whether the user paused all releases, read in the same transaction. It is set
	// for every transition.
	Frozen func() (bool, error)
}

// Outdated returns the error for a request that names an older revision.
func Outdated() error {
	return fault.New(fault.InvalidSessionTransition,
		"The review changed since this page showed it. Look at it again first.")
}

// A transition is a function on a Row that runs inside the store's write transaction. It decides
// whether a change is allowed and makes it. Transitions do not query nodes or other services; the
// caller passes what they need.

// Touch starts a new revision.
func (r *Row) Touch(now time.Time) {
	r.Session.Revision++
	r.Session.UpdatedAt = now
}

// Move changes the status along one edge of the status graph.
func (r *Row) Move(to Status, now time.Time) error {
	if !r.Session.Status.CanMove(to) {
		return NotNow(r.Session.Status, "this step")
	}
	r.Session.Status = to
	r.Touch(now)
	return nil
}

// NotNow returns the error for a step that the status does not allow.
func NotNow(s Status, step string) error {
	switch s {
	case Expired:
		return fault.New(fault.SessionExpired, "This review expired. Prepare the action again for a new one.")
	case Success, Failure:
		return fault.New(fault.ExecutionResultFinalized, "This review is finished (%s); %s changes nothing any more.",
			s, step)
	case SignedPendingResult:
		return fault.New(fault.InvalidSessionTransition,
			"The transaction is signed already and its result is awaited; %s is not possible now.", step)
	}
	return fault.New(fault.InvalidSessionTransition,
		"This review is in state %s, which does not allow %s. Read its present state first.", s, step)
}

// DropUnreleased destroys material that was never released and clears the session's fields of the
// current build.
func (r *Row) DropUnreleased() {
	r.KeepReleased()
	r.Session.Commitment = ""
	r.Session.BuiltAt, r.Session.BuildExpiresAt = time.Time{}, time.Time{}
	r.Session.State.Contract, r.Session.State.Visualization = nil, nil
}

// End makes a status final and destroys all material.
func (r *Row) End(to Status, now time.Time) error {
	if err := r.Move(to, now); err != nil {
		return err
	}
	r.Session.Reason = ""
	r.Materials = nil
	return nil
}

// choseSteps starts the note of a review that ended because its steps are signed one by one.
const choseSteps = "The person chose one signature per step. "

// EndForSteps ends a review of several steps because the user wants to sign each one separately.
// The bundle and its task continue with those steps. It returns an error if a transaction was
// released.
func (r *Row) EndForSteps(bundle, task string, now time.Time) error {
	s := &r.Session
	//mutant:never `len(s.Releases) > 0` ./internal/request TestPart
	if len(s.Releases) > 0 || len(s.Intent.Steps) == 0 {
		return NotNow(s.Status, "another way to sign")
	}
	if err := r.End(Failure, now); err != nil {
		return err
	}
	s.Execution = &Execution{Status: Failure, FailureReason: FailureWalletRejected, FinalAt: now,
		Note: choseSteps + "It goes on as bundle " + bundle + ", task " + task + ". Nothing was handed to a wallet."}
	return nil
}

// EndForChange ends a review because the user changed its request on the page. next replaces it,
// with the given task. It returns an error if a wallet received a transaction.
func (r *Row) EndForChange(next Session, task string, now time.Time) error {
	s := &r.Session
	//mutant:never `len(s.Releases) > 0` ./internal/request TestChange
	if len(s.Releases) > 0 || !s.Status.Computable() {
		return NotNow(s.Status, "another amount or price")
	}
	if err := r.End(Failure, now); err != nil {
		return err
	}
	s.Execution = &Execution{Status: Failure, FailureReason: FailureWalletRejected, FinalAt: now, ReplacedBy: next.ID,
		Note: "The user changed the request on its page, from “" + s.Intent.Asked + "” to “" + next.Intent.Asked +
			"”. Review " + string(next.ID) + ", task " + task + ", replaces this one. No wallet received anything."}
	return nil
}

// ReplacedBy returns the review that replaced this one because the user changed the request, or "".
func (s Session) ReplacedBy() ID {
	if s.Execution == nil {
		return ""
	}
	return s.Execution.ReplacedBy
}

// GoesOnInSteps reports whether the review ended by EndForSteps.
func (s Session) GoesOnInSteps() bool {
	return s.Execution != nil && strings.HasPrefix(s.Execution.Note, choseSteps)
}

// Stop withdraws the current build and records why.
func (r *Row) Stop(reason plan.Reason, check plan.Check, now time.Time) error {
	if err := r.Move(StatusOf(reason), now); err != nil {
		return err
	}
	r.DropUnreleased()
	s := &r.Session
	s.Reason = reason
	s.State.Status = s.Status
	s.State.BlockedReason, s.State.RefreshReason = "", ""
	if s.Status == Blocked {
		s.State.BlockedReason = reason
	} else {
		s.State.RefreshReason = reason
	}
	s.State.Checks = plan.WorstFirst(append([]plan.Check{check}, s.State.Checks...))
	return nil
}

// AccountCheck returns a failed check if the active account is not the one that the review was
// prepared for, or nil.
func AccountCheck(s Session, active *Account) *plan.Check {
	const id, label, do = "wallet_account", "Account",
		"Connect that account again, or prepare a new review for the present one."
	if active == nil {
		c := plan.Fail(plan.SourceWallet, id, label,
			"No account is connected now; this review is for "+s.Account.String()+".", do)
		return &c
	}
	if active.Address != s.Account {
		c := plan.Fail(plan.SourceWallet, id, label, "The connected account is now "+active.Address.String()+
			"; this review is for "+s.Account.String()+".", do)
		return &c
	}
	return nil
}

// Present returns the material of the current build, or nil.
func (r *Row) Present() *Material {
	for i := range r.Materials {
		if sui.Commitment(r.Materials[i].Digest) == r.Session.Commitment {
			return &r.Materials[i]
		}
	}
	return nil
}

// KeepReleased destroys material that was never released, but keeps the session's fields of the
// current build.
func (r *Row) KeepReleased() {
	var kept []Material
	for _, m := range r.Materials {
		if r.Session.Released(m.Digest) != nil {
			kept = append(kept, m)
		}
	}
	r.Materials = kept
}

// ByNonce returns the release whose nonce has the given hash, or nil.
func (r *Row) ByNonce(h Hash) *Release {
	for i := range r.Session.Releases {
		if r.Session.Releases[i].NonceHash == h {
			return &r.Session.Releases[i]
		}
	}
	return nil
}

// DropDead destroys the material of one dead release.
func (r *Row) DropDead(d sui.Digest) {
	var kept []Material
	for _, m := range r.Materials {
		if m.Digest != d {
			kept = append(kept, m)
		}
	}
	r.Materials = kept
}

// Secret returns n random bytes as base64url text.
func Secret(random io.Reader, n int) (string, error) {
	b := make([]byte, n)
	if _, err := io.ReadFull(random, b); err != nil {
		return "", fault.Wrap(err, fault.InternalError, "The system gives no randomness, so no session can be made.")
	}
	return base64.RawURLEncoding.EncodeToString(b), nil
}

// SameJSON reports whether two values have the same stored form, in which a nil list may equal an
// empty one.
func SameJSON[T any](a, b T) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}
