package fault

import "net/http"

// Code identifies a kind of failure.
type Code string

// Codes. A new code needs a constant here and a row in the table below.
const (
	InputInvalid              Code = "input_invalid"
	RegistryMiss              Code = "registry_miss"
	UnsupportedAction         Code = "unsupported_action"
	NetworkMismatch           Code = "network_mismatch"
	QuoteUnavailable          Code = "quote_unavailable"
	Blocked                   Code = "blocked"
	SessionNotFound           Code = "session_not_found"
	ActiveAccountNotSet       Code = "active_account_not_set"
	SessionExpired            Code = "session_expired"
	InvalidSessionTransition  Code = "invalid_session_transition"
	ExecutionResultFinalized  Code = "execution_result_finalized"
	SignedPendingConflict     Code = "signed_pending_result_conflict"
	PlanNotInSession          Code = "plan_not_in_session"
	SessionMismatch           Code = "session_mismatch"
	HandoffUnavailable        Code = "handoff_unavailable"
	HandoffCommitmentMismatch Code = "handoff_commitment_mismatch"
	RequestAborted            Code = "request_aborted"
	MetadataCacheUnavailable  Code = "metadata_cache_unavailable"
	InternalError             Code = "internal_error"
	ProviderUnavailable       Code = "provider_unavailable"
	ProviderRefused           Code = "provider_refused"
	ProviderMismatch          Code = "provider_mismatch"
	ClockSkew                 Code = "clock_skew"
	TooLarge                  Code = "too_large"
	RateLimited               Code = "rate_limited"
	OtherReleaseOpen          Code = "other_release_open"
	SignerMismatch            Code = "signer_mismatch"
	PersonOffline             Code = "person_offline"
)

// Retry says whether to repeat a call.
type Retry string

// Values of Retry.
const (
	RetryNever   Retry = "never"   // the same call will fail again; change the input
	RetryLater   Retry = "later"   // the same call may succeed later
	RetryAfter   Retry = "after"   // do what the text says, then call again
	RetryChecked Retry = "checked" // the state has changed; read it before calling again
)

// Info describes a code: its meaning in one line, whether to retry, and the HTTP status of the
// pages' API.
type Info struct {
	Code    Code
	Meaning string
	Retry   Retry
	Status  int
}

var table = []Info{
	{InputInvalid, "Invalid arguments.", RetryNever, http.StatusBadRequest},
	{RegistryMiss, "The pool, coin or protocol is not in the pinned registry.", RetryNever, http.StatusNotFound},
	{UnsupportedAction, "No adapter supports this action.", RetryNever, http.StatusBadRequest},
	{NetworkMismatch, "The node or proposal is on a different network.", RetryAfter, http.StatusConflict},
	{QuoteUnavailable, "No usable quote. Try later.", RetryLater, http.StatusConflict},
	{Blocked, "A check failed; see the message.", RetryAfter, http.StatusConflict},
	{SessionNotFound, "No session has this ID.", RetryNever, http.StatusNotFound},
	{ActiveAccountNotSet, "No wallet account is connected.", RetryAfter, http.StatusConflict},
	{SessionExpired, "The session or link expired.", RetryAfter, http.StatusConflict},
	{InvalidSessionTransition, "The session's state does not allow this step.", RetryChecked, http.StatusConflict},
	{ExecutionResultFinalized, "The result of this session is final.", RetryChecked, http.StatusConflict},
	{SignedPendingConflict, "Another signed transaction is recorded for this session.", RetryChecked, http.StatusConflict},
	{PlanNotInSession, "The plan does not belong to this session.", RetryNever, http.StatusBadRequest},
	{SessionMismatch, "The token belongs to another session.", RetryNever, http.StatusUnauthorized},
	{HandoffUnavailable, "The transaction cannot be released, or already was.", RetryChecked, http.StatusConflict},
	{HandoffCommitmentMismatch, "The transaction differs from the one displayed.", RetryChecked, http.StatusConflict},
	{RequestAborted, "The caller canceled.", RetryLater, http.StatusConflict},
	{MetadataCacheUnavailable, "The local cache of coin metadata cannot be read or written.", RetryLater,
		http.StatusInternalServerError},
	{InternalError, "Internal error.", RetryLater, http.StatusInternalServerError},
	{ProviderUnavailable, "A data source, such as the Sui node or the price indexer, is unreachable.", RetryLater,
		http.StatusServiceUnavailable},
	{ProviderRefused, "A data source, such as the Sui node or the price indexer, rejected the request.", RetryAfter,
		http.StatusBadGateway},
	{ProviderMismatch, "Two data sources, or one and the transaction's bytes, disagree.", RetryAfter,
		http.StatusBadGateway},
	{ClockSkew, "This computer's clock differs too much from chain time.", RetryAfter, http.StatusConflict},
	{TooLarge, "The input or a response is too large.", RetryNever, http.StatusRequestEntityTooLarge},
	{RateLimited, "Too many calls at once.", RetryLater, http.StatusTooManyRequests},
	{OtherReleaseOpen, "Another transaction of this account was released and has no result yet.", RetryAfter,
		http.StatusConflict},
	{SignerMismatch, "Signed by a different account.", RetryAfter, http.StatusConflict},
	{PersonOffline, "The user's computer is offline.", RetryLater, http.StatusServiceUnavailable},
}

// All lists every code with its Info, in a fixed order.
func All() []Info { return append([]Info{}, table...) }

// Lookup returns a code's Info, or that of InternalError for an unknown code.
func Lookup(code Code) Info {
	for _, i := range table {
		if i.Code == code {
			return i
		}
	}
	return Lookup(InternalError)
}
