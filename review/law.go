package review

import (
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// A law is a function over a Row that runs inside the store's write
// transaction: it decides whether a step is allowed, and takes it. Laws ask
// nobody; what they need of the world is handed in.

// touch makes the change visible as a new revision.
func (r *Row) touch(now time.Time) {
	r.Session.Revision++
	r.Session.UpdatedAt = now
}

// move takes the session along one edge of the graph.
func (r *Row) move(to Status, now time.Time) error {
	if !r.Session.Status.CanMove(to) {
		return notNow(r.Session.Status, "this step")
	}
	r.Session.Status = to
	r.touch(now)
	return nil
}

// notNow is the refusal of a step that the status does not allow.
func notNow(s Status, step string) error {
	switch s {
	case Expired:
		return fault.New(fault.SessionExpired, "This review expired. Prepare the action again for a new one.")
	case Success, Failure:
		return fault.New(fault.ExecutionResultFinalized, "This review is finished (%s); %s changes nothing any more.", s, step)
	case SignedPendingResult:
		return fault.New(fault.InvalidSessionTransition,
			"The transaction is signed already and its result is awaited; %s is not possible now.", step)
	}
	return fault.New(fault.InvalidSessionTransition,
		"This review is in state %s, which does not allow %s. Read its present state first.", s, step)
}

// dropUnreleased destroys material that was never handed out, and with it the
// present build.
func (r *Row) dropUnreleased() {
	r.keepReleased()
	r.Session.Commitment = ""
	r.Session.BuiltAt, r.Session.BuildExpiresAt = time.Time{}, time.Time{}
	r.Session.State.Contract, r.Session.State.Visualization = nil, nil
}

// end makes a status final and destroys all material.
func (r *Row) end(to Status, now time.Time) error {
	if err := r.move(to, now); err != nil {
		return err
	}
	r.Session.Reason = ""
	r.Materials = nil
	return nil
}

// stop takes back the present build and says why.
func (r *Row) stop(reason Reason, check Check, now time.Time) error {
	if err := r.move(reason.Status(), now); err != nil {
		return err
	}
	r.dropUnreleased()
	s := &r.Session
	s.Reason = reason
	s.State.Status = s.Status
	s.State.BlockedReason, s.State.RefreshReason = "", ""
	if s.Status == Blocked {
		s.State.BlockedReason = reason
	} else {
		s.State.RefreshReason = reason
	}
	s.State.Checks = worstFirst(append([]Check{check}, s.State.Checks...))
	return nil
}

// The ways in which time alone changes a review.
const (
	lapseSession = "expired"
	lapseBuild   = "build expired"
)

// clockPlay is how far a clock may be set back without a word: what time servers
// correct.
const clockPlay = time.Minute

// setBack reports whether the clock was set back since at by more than that. What
// was to end at a time of that clock could otherwise live on by as much.
func setBack(at, now time.Time) bool { return at.Sub(now) > clockPlay }

// lapsed says which of them is due, "" for none. A release stops both clocks
// until it is proved dead: no time-out ends what a wallet may have signed.
func lapsed(s Session, now time.Time) string {
	over := !now.Before(s.ExpiresAt) || setBack(s.CreatedAt, now)
	switch {
	case s.Status.CanMove(Expired) && len(s.Outstanding()) == 0 && over:
		return lapseSession
	case s.Status == Ready && s.Current() == nil && (!now.Before(s.BuildExpiresAt) || setBack(s.BuiltAt, now)):
		return lapseBuild
	}
	return ""
}

// lapse is the law of time.
func lapse(r *Row, now time.Time) error {
	switch lapsed(r.Session, now) {
	case lapseSession:
		if len(r.Session.Releases) > 0 {
			return buried(r, deathOf(r.Session), "every transaction that was handed out is dead.", now)
		}
		return r.end(Expired, now)
	case lapseBuild:
		return r.stop(QuoteStale, Fail(SourceAdapter, "transaction_build_expired", "Built transaction",
			"The transaction was built and not used in time, so it was taken back.",
			"Refresh to build it again at the present price."), now)
	}
	return nil
}

// open is the law of the first opening of the page: it binds the account that
// was recorded when the review was prepared. A later opening changes nothing. A
// proposal from outside is read, whichever account is in use.
func open(r *Row, active *Account, now time.Time) error {
	if r.Session.Status == Proposed {
		if err := r.move(AwaitingWallet, now); err != nil {
			return err
		}
	}
	if r.Session.Status != AwaitingWallet {
		return nil
	}
	if check := accountCheck(r.Session, active); check != nil && r.Session.Proposal == nil {
		return r.stop(WalletMismatch, *check, now)
	}
	return r.move(WalletConnected, now)
}

// accountCheck gives a failed check when the active account is not the one
// that the review was prepared for.
func accountCheck(s Session, active *Account) *Check {
	const id, label, do = "wallet_account", "Account", "Connect that account again, or prepare a new review for the present one."
	if active == nil {
		c := Fail(SourceWallet, id, label, "No account is connected now; this review is for "+s.Account.String()+".", do)
		return &c
	}
	if active.Address != s.Account {
		c := Fail(SourceWallet, id, label, "The connected account is now "+active.Address.String()+
			"; this review is for "+s.Account.String()+".", do)
		return &c
	}
	return nil
}

// openAgain is the law of a link that was opened twice.
func openAgain(r *Row, now time.Time) error {
	if !r.Session.OpenedTwice && !r.Session.Status.Terminal() {
		r.Session.OpenedTwice = true
		r.touch(now)
	}
	return nil
}
