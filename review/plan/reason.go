package plan

import (
	"github.com/sayurintent/sayurintent/internal/fault"
)

// Reason says why a review is blocked or must be refreshed.
type Reason string

// The reasons of Blocked.
const (
	AdapterNotImplemented           Reason = "adapter_not_implemented"
	ProducerStageMissing            Reason = "producer_stage_missing"
	WalletReviewContractEmitMissing Reason = "wallet_review_contract_emit_missing"
	NetworkMismatch                 Reason = "network_mismatch"
	InsufficientBalance             Reason = "insufficient_balance"
	InsufficientGas                 Reason = "insufficient_gas"
	AllowlistViolation              Reason = "allowlist_violation"
	AssetMismatch                   Reason = "asset_mismatch"
	AmountMismatch                  Reason = "amount_mismatch"
	WalletMismatch                  Reason = "wallet_mismatch"
	UnsupportedAction               Reason = "unsupported_action"
	ObjectResolutionFailed          Reason = "object_resolution_failed"
	ProposalReviewOnly              Reason = "proposal_review_only"
	EffectsMismatch                 Reason = "effects_mismatch"
)

// The reasons of record.RefreshRequired.
const (
	QuoteStale                 Reason = "quote_stale"
	QuoteUnavailable           Reason = "quote_unavailable"
	SimulationTransientFailure Reason = "simulation_transient_failure"
	ProviderUnavailable        Reason = "provider_unavailable"
)

// ReasonOf returns the reason of a review that a fault of this code stopped.
func ReasonOf(c fault.Code) Reason {
	switch c {
	case fault.ProviderUnavailable, fault.RateLimited, fault.RequestAborted, fault.ClockSkew:
		return ProviderUnavailable
	case fault.QuoteUnavailable:
		return QuoteUnavailable
	case fault.NetworkMismatch:
		return NetworkMismatch
	case fault.RegistryMiss:
		return AssetMismatch
	case fault.InputInvalid:
		return AmountMismatch
	case fault.UnsupportedAction:
		return UnsupportedAction
	}
	return ObjectResolutionFailed
}

// BlockedReasons lists the reasons of Blocked.
func BlockedReasons() []Reason {
	return []Reason{AdapterNotImplemented, ProducerStageMissing, WalletReviewContractEmitMissing, NetworkMismatch,
		InsufficientBalance, InsufficientGas, AllowlistViolation, AssetMismatch, AmountMismatch, WalletMismatch,
		UnsupportedAction, ObjectResolutionFailed, ProposalReviewOnly, EffectsMismatch}
}

// RefreshReasons lists the reasons of record.RefreshRequired.
func RefreshReasons() []Reason {
	return []Reason{QuoteStale, QuoteUnavailable, SimulationTransientFailure, ProviderUnavailable}
}
