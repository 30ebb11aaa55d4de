package record

import (
	"slices"

	"github.com/sayurintent/sayurintent/internal/plan"
)

// Status is the state of a review.
type Status string

// The statuses of a review.
const (
	Proposed            Status = "proposed"         // prepared; the link was not opened
	AwaitingWallet      Status = "awaiting_wallet"  // opened; no account bound
	WalletConnected     Status = "wallet_connected" // the account is set; nothing is computed yet
	Ready               Status = "ready_for_wallet_review"
	RefreshRequired     Status = "refresh_required"
	Blocked             Status = "blocked"
	SignedPendingResult Status = "signed_pending_result"
	Success             Status = "success"
	Failure             Status = "failure"
	Expired             Status = "expired"
)

// moves is the graph of allowed status changes. Transitions check further conditions. Two kinds of
// edges depend on a release: edges to Expired exist only before one, and edges from RefreshRequired
// and Blocked to SignedPendingResult only after one, because a signature over released bytes may
// arrive late.
var moves = map[Status][]Status{
	Proposed:            {AwaitingWallet, Expired},
	AwaitingWallet:      {WalletConnected, Blocked, Expired},
	WalletConnected:     {Ready, RefreshRequired, Blocked, Failure, Expired},
	Ready:               {Ready, RefreshRequired, Blocked, SignedPendingResult, Failure, Expired},
	RefreshRequired:     {Ready, RefreshRequired, Blocked, SignedPendingResult, Failure, Expired},
	Blocked:             {Ready, RefreshRequired, Blocked, SignedPendingResult, Failure, Expired},
	SignedPendingResult: {Success, Failure},
	Success:             {},
	Failure:             {},
	Expired:             {},
}

// Statuses lists all statuses in the order in which a review may reach them.
func Statuses() []Status {
	return []Status{Proposed, AwaitingWallet, WalletConnected, Ready, RefreshRequired, Blocked,
		SignedPendingResult, Success, Failure, Expired}
}

// CanMove reports whether the graph has an edge from s to the other status.
func (s Status) CanMove(to Status) bool { return slices.Contains(moves[s], to) }

// Terminal reports whether the status never changes again.
func (s Status) Terminal() bool { return s == Success || s == Failure || s == Expired }

// Computable reports whether a review in this status may be computed again.
func (s Status) Computable() bool {
	return s == WalletConnected || s == Ready || s == RefreshRequired || s == Blocked
}

// StopsWait reports whether waiting for the result ends at this status, because it is final or the
// user has to act.
func (s Status) StopsWait() bool {
	return s.Terminal() || s == RefreshRequired || s == Blocked
}

// Polling returns the status text for clients that poll.
func (s Status) Polling() string {
	switch s {
	case Proposed:
		return "pending"
	case WalletConnected, Ready:
		return "awaiting_signature"
	}
	return string(s)
}

// The categories of a status.
const (
	CategoryFinal       = "final"
	CategoryUserAction  = "user_action_required"
	CategoryChainResult = "awaiting_chain_result"
	CategoryNonTerminal = "non_terminal"
)

// Category returns the category of a status: final, waiting for the user or the chain, or other.
func (s Status) Category() string {
	switch {
	case s.Terminal():
		return CategoryFinal
	case s == RefreshRequired || s == Blocked:
		return CategoryUserAction
	case s == SignedPendingResult:
		return CategoryChainResult
	}
	return CategoryNonTerminal
}

// StatusOf returns the status that a reason leads to, or "" for an unknown reason.
func StatusOf(r plan.Reason) Status {
	switch {
	case slices.Contains(plan.BlockedReasons(), r):
		return Blocked
	case slices.Contains(plan.RefreshReasons(), r):
		return RefreshRequired
	}
	return ""
}

// FailureReason is the reason why a review ended in Failure.
type FailureReason string

// The reasons of Failure.
const (
	FailureWalletRejected      FailureReason = "wallet_rejected"
	FailureWalletProviderError FailureReason = "wallet_provider_error"
	FailureSigningDisconnected FailureReason = "signing_disconnected"
	FailureSubmit              FailureReason = "transaction_submit_failed"
	FailureChainExecution      FailureReason = "chain_execution_failed"
	FailureCannotExecute       FailureReason = "cannot_execute"
	FailureUnknown             FailureReason = "unknown_failure"
)
