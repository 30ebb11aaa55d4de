package handoff

import (
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
)

// report is the transition for a page's report about a wallet that returned no signature. nonce is
// nil if the page has none: before a release, or after a reload.
func report(r *record.Row, nonce *record.Hash, outcome string, now time.Time) error {
	s := &r.Session
	switch outcome {
	case record.OutcomeDeclined, record.OutcomeRejected, record.OutcomeProviderError, record.OutcomeDisconnected,
		record.OutcomeChanged:
	default:
		return fault.New(fault.InputInvalid, "An outcome is declined, wallet_rejected, wallet_provider_error, "+
			"signing_disconnected or wallet_changed_transaction.")
	}
	if s.Status.Terminal() || s.Status == record.SignedPendingResult {
		return record.NotNow(s.Status, "an outcome")
	}
	if nonce == nil {
		return reportWithout(r, outcome, now)
	}
	rel := r.ByNonce(*nonce)
	if rel == nil {
		return unknownNonce()
	}
	if rel.Dead {
		return nil
	}
	switch outcome {
	case record.OutcomeChanged:
		if rel.Outcome != record.OutcomeChanged {
			noteAnswer(r, rel, outcome, changedCheck("The page that asked it said so."), now)
		}
		return nil
	case record.OutcomeProviderError, record.OutcomeDisconnected:
		return reportUnknown(r, rel, outcome, now)
	}
	before := rel.Outcome
	setOutcome(rel, outcome)
	switch {
	case s.Current() == rel && before != outcome:
		return r.Stop(plan.QuoteStale, refused(outcome), now)
	case rel.Outcome != before:
		r.Touch(now)
	}
	return nil
}

// reportWithout handles a report without a nonce, which can only be that the user declined.
func reportWithout(r *record.Row, outcome string, now time.Time) error {
	s := &r.Session
	if outcome != record.OutcomeDeclined {
		return fault.New(fault.InputInvalid, "The outcome %s needs the release nonce of the handoff.", outcome)
	}
	if len(s.Outstanding()) > 0 {
		if s.Current() == nil && s.Status == record.RefreshRequired {
			return nil
		}
		check := record.RefusedCheck(record.CheckDeclined)
		if rel := s.Current(); rel != nil {
			setOutcome(rel, outcome)
			check = refused(outcome)
		}
		return r.Stop(plan.QuoteStale, check, now)
	}
	if err := r.End(record.Failure, now); err != nil {
		return err
	}
	s.Execution = &record.Execution{Status: record.Failure, FailureReason: record.FailureWalletRejected, FinalAt: now,
		Note: "You declined before anything was sent to a wallet."}
	return nil
}

// reportUnknown records an outcome after which the wallet may have signed, so it keeps the status.
func reportUnknown(r *record.Row, rel *record.Release, outcome string, now time.Time) error {
	if rel.Outcome == outcome || rel.Outcome == record.OutcomeChanged {
		return nil
	}
	rel.Outcome = outcome
	r.Session.State.Checks = plan.WorstFirst(append([]plan.Check{plan.Warn(plan.SourceWallet, "wallet_answer_unknown",
		"Wallet answer",
		"The wallet's answer was unusable, so it is not known whether it signed.",
		"Look into the wallet. Signing there late still works; refreshing builds a transaction that excludes this one.")},
		r.Session.State.Checks...))
	r.Touch(now)
	return nil
}

// refused returns the check for a release that the wallet or a page reported as not signed.
func refused(outcome string) plan.Check {
	if outcome == record.OutcomeDeclined {
		return record.RefusedCheck(record.CheckNotSigned)
	}
	return record.RefusedCheck(record.CheckRefused)
}
