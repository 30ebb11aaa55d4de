package review

import (
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// report is the law of what a page says about the wallet without a signature.
// nonce is nil when the page has none: before a release, or after a reload.
func report(r *Row, nonce *Hash, outcome string, now time.Time) error {
	s := &r.Session
	switch outcome {
	case OutcomeDeclined, OutcomeRejected, OutcomeProviderError, OutcomeDisconnected, OutcomeChanged:
	default:
		return fault.New(fault.InputInvalid, "An outcome is declined, wallet_rejected, wallet_provider_error, "+
			"signing_disconnected or wallet_changed_transaction.")
	}
	if s.Status.Terminal() || s.Status == SignedPendingResult {
		return notNow(s.Status, "an outcome")
	}
	if nonce == nil {
		return reportWithout(r, outcome, now)
	}
	rel := r.byNonce(*nonce)
	if rel == nil {
		return unknownNonce()
	}
	if rel.Dead {
		return nil
	}
	switch outcome {
	case OutcomeChanged:
		if rel.Outcome != OutcomeChanged {
			r.noteAnswer(rel, outcome, changedCheck("The page that asked it said so."), now)
		}
		return nil
	case OutcomeProviderError, OutcomeDisconnected:
		return reportUnknown(r, rel, outcome, now)
	}
	before := rel.Outcome
	rel.hear(outcome)
	switch {
	case s.Current() == rel && before != outcome:
		return r.stop(QuoteStale, refused(outcome), now)
	case rel.Outcome != before:
		r.touch(now)
	}
	return nil
}

// reportWithout handles a page without a nonce: it can only decline.
func reportWithout(r *Row, outcome string, now time.Time) error {
	s := &r.Session
	if outcome != OutcomeDeclined {
		return fault.New(fault.InputInvalid, "The outcome %s needs the release nonce of the handoff.", outcome)
	}
	if len(s.Outstanding()) > 0 {
		if s.Current() == nil && s.Status == RefreshRequired {
			return nil
		}
		if rel := s.Current(); rel != nil {
			rel.hear(outcome)
		}
		return r.stop(QuoteStale, refused(outcome), now)
	}
	if err := r.end(Failure, now); err != nil {
		return err
	}
	s.Execution = &Execution{Status: Failure, FailureReason: FailureWalletRejected, FinalAt: now,
		Note: "You declined before anything was handed to a wallet."}
	return nil
}

// reportUnknown keeps the state: the wallet may or may not have signed.
func reportUnknown(r *Row, rel *Release, outcome string, now time.Time) error {
	if rel.Outcome == outcome || rel.Outcome == OutcomeChanged {
		return nil
	}
	rel.Outcome = outcome
	r.Session.State.Checks = worstFirst(append([]Check{Warn(SourceWallet, "wallet_answer_unknown", "Wallet answer",
		"The wallet gave no answer ("+outcome+"): it is not known whether it signed.",
		"Look into the wallet. Signing there late still works; refreshing builds a transaction that excludes this one.")},
		r.Session.State.Checks...))
	r.touch(now)
	return nil
}

func refused(outcome string) Check {
	message := "The wallet refused to sign."
	if outcome == OutcomeDeclined {
		message = "You declined."
	}
	return Fail(SourceWallet, "wallet_refused", "Wallet answer", message,
		"Refresh to build a new transaction, or close this page. The refused one cannot execute together with a new one.")
}
