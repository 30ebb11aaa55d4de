package review

import (
	"slices"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// What a wallet returned and cannot be used changes nothing about the release: it
// can still be signed, and it still excludes what shares its gas coin. That it
// happened is stored, so that the page says it first after every reload.

// changedTransaction is the refusal of other bytes than those that were released.
func changedTransaction() error {
	return fault.New(fault.HandoffCommitmentMismatch, "The wallet changed the transaction: what it gave back is not "+
		"what was reviewed. Nothing was sent. Refuse further requests of that wallet.").With("reason", OutcomeChanged)
}

// signerMismatch is the refusal of a signature of another account.
func signerMismatch(signer, account sui.Address) error {
	return fault.New(fault.SignerMismatch, "The signature is by %s, but this review is for %s. Nothing was sent. "+
		"Choose the right account in the wallet, then sign again.", signer, account).With("signer", signer.String())
}

// signerOf judges whether the account is among those that a signature is, or
// claims to be, of.
func signerOf(signers []sui.Address, account sui.Address) error {
	//mutant:always ./review TestSignersOfASignature
	if slices.Contains(signers, account) {
		return nil
	}
	signer := sui.Address{}
	if len(signers) > 0 {
		signer = signers[0]
	}
	return signerMismatch(signer, account)
}

// keepAnswer stores why the law of a signature refused what the wallet returned,
// and reports whether that was a refusal to be kept.
func keepAnswer(r *Row, g signing, refusal error, now time.Time) bool {
	rel := r.byNonce(g.nonce)
	if rel == nil || refusal == nil {
		return false
	}
	switch fault.As(refusal).Code {
	case fault.HandoffCommitmentMismatch:
		r.noteAnswer(rel, OutcomeChanged, changedCheck("Its digest is "+g.digest.String()+"."), now)
	case fault.SignerMismatch:
		r.noteAnswer(rel, OutcomeSignerMismatch, signerCheck(fault.As(refusal).Detail.Get("signer"), r.Session.Account), now)
	default:
		return false
	}
	return true
}

// noteAnswer records an outcome that keeps the state, with its check. The same
// answer again changes nothing.
func (r *Row) noteAnswer(rel *Release, outcome string, check Check, now time.Time) {
	checks := slices.Clone(r.Session.State.Checks)
	i := slices.IndexFunc(checks, func(c Check) bool { return c.ID == check.ID })
	if i >= 0 && checks[i] == check && (rel.Outcome == outcome || rel.Outcome == OutcomeChanged) {
		return
	}
	rel.hear(outcome)
	if i >= 0 {
		checks = slices.Delete(checks, i, i+1)
	}
	r.Session.State.Checks = worstFirst(append([]Check{check}, checks...))
	r.touch(now)
}

// hear sets the outcome, unless the wallet is known to have returned other bytes:
// that stays, whatever is said later.
func (rel *Release) hear(outcome string) {
	//mutant:always ./review TestWalletChangedTransaction
	if rel.Outcome != OutcomeChanged {
		rel.Outcome = outcome
	}
}

func changedCheck(what string) Check {
	return Fail(SourceWallet, "wallet_changed_transaction", "Wallet answer",
		"Your wallet returned another transaction than the one that was reviewed. "+what+" This program sent nothing; what the wallet did is not known.",
		"Look at the wallet's own history, and do not use this wallet until you know why.")
}

func signerCheck(signer string, account sui.Address) Check {
	return Fail(SourceWallet, "wallet_signer_mismatch", "Wallet answer",
		"The signature is by "+signer+", but this review is for "+account.String()+". Nothing was sent.",
		"Choose the account of this review in the wallet and sign again, or build the transaction again: the two can never both happen.")
}

// withhold is the law of a release whose bytes were too old before they were
// written to the page: nobody got them. The release stays, for a built transaction
// is released once, and the person builds again on the same gas coin.
func withhold(r *Row, nonce Hash, now time.Time) error {
	rel := r.byNonce(nonce)
	if rel == nil || rel.Outcome != "" || r.Session.Current() != rel {
		return nil
	}
	rel.hear(OutcomeWithheld)
	return r.stop(QuoteStale, Fail(SourceAdapter, "transaction_build_expired", "Built transaction",
		"The transaction became too old before it reached this page, so your wallet was not asked.",
		"Refresh to build it again at the present price."), now)
}

// WalletAnswer returns what the wallet did with a transaction that was handed to it
// where that is worth a word to whoever asks: a release's outcome, a colon and a
// sentence. Other bytes come first, for they concern every later transaction too;
// else it is what was last heard of the present one. Empty: there is nothing to say.
func (s Session) WalletAnswer() string {
	if slices.ContainsFunc(s.Releases, func(r Release) bool { return r.Outcome == OutcomeChanged }) {
		return OutcomeChanged + ": The wallet returned another transaction than the one that was reviewed. This program sent " +
			"nothing for it; what the wallet did is not known. The person should look at the wallet's own history first."
	}
	rel := s.Current()
	if rel == nil || s.Status.Terminal() || s.Status == SignedPendingResult {
		return ""
	}
	switch rel.Outcome {
	case OutcomeSignerMismatch:
		return rel.Outcome + ": Another account signed, so nothing was sent. The person signs again with the account of the " +
			"review, or builds the transaction again on the page."
	case OutcomeProviderError, OutcomeDisconnected:
		return rel.Outcome + ": The wallet gave no answer that can be used; it is not known whether it signed."
	}
	return ""
}
