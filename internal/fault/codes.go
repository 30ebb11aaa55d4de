package fault

import "net/http"

// Code names one kind of failure.
type Code string

// The closed list. Adding a code is one line here and one in the table below.
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

// Retry says whether asking again can help.
type Retry string

// The retry advice of a code.
const (
	RetryNever   Retry = "never"   // the same call fails again; change the input
	RetryLater   Retry = "later"   // the same call can succeed later
	RetryAfter   Retry = "after"   // first do what the text says, then call again
	RetryChecked Retry = "checked" // read the present state first; it has moved on
)

// Info is what is known of a code: its meaning in one line, whether to retry,
// and the HTTP status a page's API answers with.
type Info struct {
	Code    Code
	Meaning string
	Retry   Retry
	Status  int
}

var table = []Info{
	{InputInvalid, "The input does not fit the contract of this call.", RetryNever, http.StatusBadRequest},
	{RegistryMiss, "The named pool, coin or protocol is not in the pinned registry.", RetryNever, http.StatusNotFound},
	{UnsupportedAction, "No adapter supports this action.", RetryNever, http.StatusBadRequest},
	{NetworkMismatch, "The node or the proposal belongs to another chain than this server.", RetryAfter, http.StatusConflict},
	{QuoteUnavailable, "The protocol gives no usable price or quantity at present.", RetryLater, http.StatusConflict},
	{Blocked, "A check refuses to go on; the text names it.", RetryAfter, http.StatusConflict},
	{SessionNotFound, "There is no session with this id.", RetryNever, http.StatusNotFound},
	{ActiveAccountNotSet, "No wallet account is connected.", RetryAfter, http.StatusConflict},
	{SessionExpired, "The session or link is too old.", RetryAfter, http.StatusConflict},
	{InvalidSessionTransition, "The session is in a state that does not allow this step.", RetryChecked, http.StatusConflict},
	{ExecutionResultFinalized, "The result of this session is final.", RetryChecked, http.StatusConflict},
	{SignedPendingConflict, "Another signed transaction is recorded for this session.", RetryChecked, http.StatusConflict},
	{PlanNotInSession, "The plan does not belong to this session.", RetryNever, http.StatusBadRequest},
	{SessionMismatch, "The token belongs to another session.", RetryNever, http.StatusUnauthorized},
	{HandoffUnavailable, "The transaction cannot be handed out, or was handed out already.", RetryChecked, http.StatusConflict},
	{HandoffCommitmentMismatch, "The transaction is not the one that was shown.", RetryChecked, http.StatusConflict},
	{RequestAborted, "The caller cancelled.", RetryLater, http.StatusConflict},
	{MetadataCacheUnavailable, "The local cache of coin metadata cannot be read or written.", RetryLater, http.StatusInternalServerError},
	{InternalError, "A fault inside Say Ur Intent.", RetryLater, http.StatusInternalServerError},
	{ProviderUnavailable, "A source that was asked, such as the Sui node or the price indexer, cannot be reached or did not answer in time.", RetryLater, http.StatusServiceUnavailable},
	{ProviderRefused, "A source that was asked, such as the Sui node or the price indexer, answered and refused.", RetryAfter, http.StatusBadGateway},
	{ProviderMismatch, "Two sources, or one source and the transaction's bytes, disagree.", RetryAfter, http.StatusBadGateway},
	{ClockSkew, "This machine's clock and the chain's differ too much.", RetryAfter, http.StatusConflict},
	{TooLarge, "The input or an answer is larger than allowed.", RetryNever, http.StatusRequestEntityTooLarge},
	{RateLimited, "Too many calls at once.", RetryLater, http.StatusTooManyRequests},
	{OtherReleaseOpen, "Another transaction of this account was handed to a wallet and its result is not known yet.", RetryAfter, http.StatusConflict},
	{SignerMismatch, "The signature is another account's than the one that was reviewed.", RetryAfter, http.StatusConflict},
	{PersonOffline, "The person's machine, where the program and its pages are, does not answer this one.", RetryLater, http.StatusServiceUnavailable},
}

// All lists every code with its meaning, in a fixed order.
func All() []Info { return append([]Info{}, table...) }

// Lookup returns what is known of a code; an unknown code is InternalError's.
func Lookup(code Code) Info {
	for _, i := range table {
		if i.Code == code {
			return i
		}
	}
	return Lookup(InternalError)
}
