package record

import "github.com/sayurintent/sayurintent/internal/plan"

// reasonTitles explain in one line why there is nothing to sign.
var reasonTitles = map[plan.Reason]string{
	plan.AdapterNotImplemented:           "This action cannot be prepared yet",
	plan.ProducerStageMissing:            "A check is missing, so nothing can be signed",
	plan.WalletReviewContractEmitMissing: "The review is incomplete, so nothing can be signed",
	plan.NetworkMismatch:                 "This node is another chain",
	plan.InsufficientBalance:             "There is not enough in your account",
	plan.InsufficientGas:                 "There is not enough SUI for gas",
	plan.AllowlistViolation:              "This transaction is not allowed here",
	plan.AssetMismatch:                   "The coins are not the ones you asked for",
	plan.AmountMismatch:                  "The amounts are not the ones you asked for",
	plan.WalletMismatch:                  "Another account is connected now",
	plan.UnsupportedAction:               "This action is not supported",
	plan.ObjectResolutionFailed:          "Something the transaction needs was not found",
	plan.ProposalReviewOnly:              "This proposal can be read, not signed",
	plan.EffectsMismatch:                 "A trial run did something else than promised",
	plan.QuoteStale:                      "The figures are too old",
	plan.QuoteUnavailable:                "There is no usable price right now",
	plan.SimulationTransientFailure:      "The trial run could not be finished",
	plan.ProviderUnavailable:             "The Sui node cannot be reached",
}

// ReasonTitle explains in one line why there is nothing to sign, or returns "" for an unknown
// reason.
func ReasonTitle(r plan.Reason) string { return reasonTitles[r] }

// checkTitles explain the same for checks and rules that are more specific than the reason.
var checkTitles = map[string]string{
	"C04":                              "The price is far from the market",
	"C16":                              "This address resembles one you know",
	"payment_recipient":                "This address cannot be paid",
	"payment_name":                     "This name may be somebody else’s now",
	"transfer_name":                    "This name does not lead where it did",
	CheckDead:                          "What your wallet got can never happen any more",
	"open_release_bars":                "Another transaction has to be over first",
	"released_transaction_may_execute": "What your wallet got before may still happen",
	"stored_transaction_altered":       "The stored transaction was changed",
}

// failureTitles describe in one line how a review failed.
var failureTitles = map[FailureReason]string{
	FailureWalletRejected:      "You declined. Nothing was signed, and nothing was sent.",
	FailureWalletProviderError: "The wallet failed",
	FailureSigningDisconnected: "The wallet went away",
	FailureSubmit:              "The transaction could not be sent",
	FailureChainExecution:      "The chain ran it, and it failed. Only gas was spent.",
	FailureCannotExecute:       "It was never executed, and never can be",
	FailureUnknown:             "It ended without a known reason",
}

// FailureTitle explains in one line how a review failed. released reports whether a wallet ever
// received a transaction of the review. FailureTitle returns "" for an unknown reason.
func FailureTitle(r FailureReason, released bool) string {
	if r == FailureWalletRejected && released {
		return "Declined, and it can never happen any more"
	}
	return failureTitles[r]
}
