package handoff

import (
	"time"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
)

// Changes of a review that are due after some time.
const (
	expireSession = "expired"
	expireBuild   = "build expired"
)

// Expired returns which of these changes is due, or "". After a release neither is due until the
// release is proved dead, because no timeout may end what a wallet may have signed.
func Expired(s record.Session, now time.Time) string {
	over := !now.Before(s.ExpiresAt) || plan.SetBack(s.CreatedAt, now)
	switch {
	case s.Status.CanMove(record.Expired) && len(s.Outstanding()) == 0 && over:
		return expireSession
	case s.Status == record.Ready && s.Current() == nil && (!now.Before(s.BuildExpiresAt) || plan.SetBack(s.BuiltAt, now)):
		return expireBuild
	}
	return ""
}

// expire is the transition that ends a review or withdraws a build if that is due.
func expire(r *record.Row, now time.Time) error {
	switch Expired(r.Session, now) {
	case expireSession:
		if len(r.Session.Releases) > 0 {
			return buried(r, deathOf(r.Session), "every transaction that was handed out is dead.", now)
		}
		return r.End(record.Expired, now)
	case expireBuild:
		return r.Stop(plan.QuoteStale, plan.Fail(plan.SourceAdapter, "transaction_build_expired", "Built transaction",
			"The transaction expired unused, so this program discarded it.",
			"Update to rebuild it at the current price."), now)
	}
	return nil
}

// open is the transition for the first opening of the page. It binds the account that was recorded
// when the review was prepared. Later openings change nothing. A proposal can be read with any
// active account.
func open(r *record.Row, active *record.Account, now time.Time) error {
	if r.Session.Status == record.Proposed {
		if err := r.Move(record.AwaitingWallet, now); err != nil {
			return err
		}
	}
	if r.Session.Status != record.AwaitingWallet {
		return nil
	}
	if check := record.AccountCheck(r.Session, active); check != nil && r.Session.Proposal == nil {
		return r.Stop(plan.WalletMismatch, *check, now)
	}
	return r.Move(record.WalletConnected, now)
}
