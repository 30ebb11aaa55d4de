package plan

import (
	"errors"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// Reason is the reason why a review is blocked or must be refreshed.
type Reason string

// Reasons for record.Blocked.
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

// Reasons for record.RefreshRequired.
const (
	QuoteStale                 Reason = "quote_stale"
	QuoteUnavailable           Reason = "quote_unavailable"
	SimulationTransientFailure Reason = "simulation_transient_failure"
	ProviderUnavailable        Reason = "provider_unavailable"
)

// ReasonOf returns the reason to record for a review that a fault with this code stopped.
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

// BlockedReasons lists the reasons for record.Blocked.
func BlockedReasons() []Reason {
	return []Reason{AdapterNotImplemented, ProducerStageMissing, WalletReviewContractEmitMissing, NetworkMismatch,
		InsufficientBalance, InsufficientGas, AllowlistViolation, AssetMismatch, AmountMismatch, WalletMismatch,
		UnsupportedAction, ObjectResolutionFailed, ProposalReviewOnly, EffectsMismatch}
}

// RefreshReasons lists the reasons for record.RefreshRequired.
func RefreshReasons() []Reason {
	return []Reason{QuoteStale, QuoteUnavailable, SimulationTransientFailure, ProviderUnavailable}
}

// Look makes the step a preflight, which builds nothing. Refuse then records stops, and the stage
// continues.
func (s *Step) Look() { s.look = &[]*Stop{} }

// Looking reports whether the step is a preflight.
func (s *Step) Looking() bool { return s.look != nil }

// Looked returns the stops that a preflight recorded, in order.
func (s *Step) Looked() []*Stop {
	if s.look == nil {
		return nil
	}
	return *s.look
}

// Refuse returns err, which ends the stage. In a preflight, it instead records a stop and returns
// nil, so that the user learns of every problem at once. Code after it must handle the refused
// value.
func (s *Step) Refuse(err error) error {
	var stop *Stop
	//mutant:always ./internal/plan TestRefuse
	if s.look == nil || !errors.As(err, &stop) {
		return err
	}
	*s.look = append(*s.look, stop)
	return nil
}

// Blocker is a problem, found in a preflight, that prevents an action. Next lists, in order, the
// intents that would remove it and then do what was requested; it is empty if only the user can.
type Blocker struct {
	Check   string
	Message string
	Do      string
	Next    []Intent
}

// Blocks returns the stop as a Blocker.
func (s *Stop) Blocks() Blocker {
	return Blocker{Check: s.Check.ID, Message: s.Check.Message, Do: s.Check.Do, Next: s.Next}
}

// Asking returns the intent as repeated in an answer, without the fields that the platform added.
func (i Intent) Asking() Intent {
	i.Asked, i.Replaces, i.From.Unit = "", "", IntentUnit{}
	if i.Order != nil {
		o := *i.Order
		i.Order = &o
	}
	return i
}
