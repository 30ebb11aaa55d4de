package handoff

import (
	"slices"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// A wallet's unusable answer changes nothing about the release: it can still be signed, and it
// still excludes transactions that share its gas coin. The answer is stored, so that the page shows
// it first after every reload.

// changedTransaction returns the error for bytes other than the released ones.
func changedTransaction() error {
	return fault.New(fault.HandoffCommitmentMismatch, "The wallet returned a different transaction from the one "+
		"you reviewed. Nothing was sent. Refuse further requests from that wallet.").With("reason", record.OutcomeChanged)
}

// signerMismatch returns the error for a signature by another account.
func signerMismatch(signer, account sui.Address) error {
	return fault.New(fault.SignerMismatch, "The signature is from %s, but this review is for %s. Nothing was sent. "+
		"Choose the right account in the wallet, then sign again.", signer, account).With("signer", signer.String())
}

// signerOf checks that the account is among the verified or claimed signers.
func signerOf(signers []sui.Address, account sui.Address) error {
	//mutant:always ./review/handoff TestSignersOfASignature
	if slices.Contains(signers, account) {
		return nil
	}
	signer := sui.Address{}
	if len(signers) > 0 {
		signer = signers[0]
	}
	return signerMismatch(signer, account)
}

// keepAnswer stores why sign refused what the wallet returned. It returns false for a refusal that
// need not be stored.
func keepAnswer(r *record.Row, g signing, refusal error, now time.Time) bool {
	rel := r.ByNonce(g.nonce)
	if rel == nil || refusal == nil {
		return false
	}
	switch fault.As(refusal).Code {
	case fault.HandoffCommitmentMismatch:
		noteAnswer(r, rel, record.OutcomeChanged, changedCheck("Its digest is "+g.digest.String()+"."), now)
	case fault.SignerMismatch:
		noteAnswer(r, rel, record.OutcomeSignerMismatch,
			signerCheck(fault.As(refusal).Detail.Get("signer"), r.Session.Account), now)
	default:
		return false
	}
	return true
}

// noteAnswer records an outcome that keeps the status, with its check. Repeating an answer changes
// nothing.
func noteAnswer(r *record.Row, rel *record.Release, outcome string, check plan.Check, now time.Time) {
	checks := slices.Clone(r.Session.State.Checks)
	i := slices.IndexFunc(checks, func(c plan.Check) bool { return c.ID == check.ID })
	if i >= 0 && checks[i] == check && (rel.Outcome == outcome || rel.Outcome == record.OutcomeChanged) {
		return
	}
	setOutcome(rel, outcome)
	if i >= 0 {
		checks = slices.Delete(checks, i, i+1)
	}
	r.Session.State.Checks = plan.WorstFirst(append([]plan.Check{check}, checks...))
	r.Touch(now)
}

// setOutcome sets the outcome of a release. If the wallet returned other bytes, that outcome is
// final.
func setOutcome(rel *record.Release, outcome string) {
	//mutant:always ./review TestWalletChangedTransaction
	if rel.Outcome != record.OutcomeChanged {
		rel.Outcome = outcome
	}
}

func changedCheck(what string) plan.Check {
	return plan.Fail(plan.SourceWallet, "wallet_changed_transaction", "Wallet answer",
		"Your wallet returned a different transaction from the one you reviewed. "+what+
			" This program sent nothing; what the wallet did is not known.",
		"Look at the wallet's own history, and do not use this wallet until you know why.")
}

func signerCheck(signer string, account sui.Address) plan.Check {
	return plan.Fail(plan.SourceWallet, "wallet_signer_mismatch", "Wallet answer",
		"The signature is from "+signer+", but this review is for "+account.String()+". Nothing was sent.",
		"Choose the account of this review in the wallet and sign again, or build the transaction again: the two "+
			"can never both happen.")
}

// withhold is the transition for a release whose bytes became too old before they were written to
// the page. Nobody received them. The release stays, because a built transaction is released only
// once, and the user builds again with the same gas coin.
func withhold(r *record.Row, nonce record.Hash, now time.Time) error {
	rel := r.ByNonce(nonce)
	if rel == nil || rel.Outcome != "" || r.Session.Current() != rel {
		return nil
	}
	setOutcome(rel, record.OutcomeWithheld)
	return r.Stop(plan.QuoteStale, plan.Fail(plan.SourceAdapter, "transaction_build_expired", "Built transaction",
		"The transaction became too old before it reached this page, so your wallet was not asked.",
		"Update to rebuild it at the current price."), now)
}
