package record

import "slices"

// SourceKind is a kind of record that a fact can rely on.
type SourceKind string

// The kinds of sources. Only TransactionBytes cannot be forged by any node or client.
const (
	TransactionBytes   SourceKind = "transaction_bytes"
	PinnedRegistry     SourceKind = "pinned_sdk_registry"
	OnchainMetadata    SourceKind = "verified_onchain_metadata"
	AccountRead        SourceKind = "wallet_account_read"
	QuoteSource        SourceKind = "quote_evidence"
	ReviewSimulation   SourceKind = "review_time_simulation"
	ValidatedRequest   SourceKind = "validated_request_fact"
	UserExplicitChoice SourceKind = "user_explicit_choice"
)

// Fact is a kind of fact that a signature depends on.
type Fact string

// The safety-critical facts.
const (
	FactInput         Fact = "raw_amount_input"
	FactFeeAtMost     Fact = "raw_amount_fee_at_most"
	FactExpected      Fact = "raw_amount_expected_output"
	FactMinimum       Fact = "raw_amount_minimum_output"
	FactFee           Fact = "raw_amount_fee"
	FactGasBudget     Fact = "raw_amount_gas_budget"
	FactGasUsed       Fact = "raw_amount_gas_used"
	FactUnit          Fact = "unit_metadata"
	FactQuote         Fact = "quote_min_out"
	FactSlippage      Fact = "slippage_policy"
	FactExpiry        Fact = "expiry_status"
	FactCall          Fact = "called_function"
	FactRecipient     Fact = "recipient"
	FactPayee         Fact = "recipient_asked_for"
	FactTerms         Fact = "terms"
	FactTermsReported Fact = "terms_told"
	FactOwnership     Fact = "object_ownership"
	FactSimulation    Fact = "simulation_result"
	FactReview        Fact = "human_readable_review"
)

// Backing is one way to back a fact: a kind of source, and those of its fields that state the fact.
type Backing struct {
	Kind   SourceKind
	Fields []string
}

// SafetyCriticalFacts is SAFETY_CRITICAL_FACT_MATRIX: the sources that each fact may rely on. Facts
// that can be decoded from the bytes rely only on the bytes.
var SafetyCriticalFacts = map[Fact][]Backing{
	FactInput:     {{TransactionBytes, []string{"spends"}}},
	FactFeeAtMost: {{TransactionBytes, []string{"spends"}}},
	FactExpected:  {{QuoteSource, []string{"expected"}}, {ReviewSimulation, []string{"balanceChanges"}}},
	FactMinimum:   {{TransactionBytes, []string{"minimum"}}},
	FactFee:       {{QuoteSource, []string{"fee"}}},
	FactGasBudget: {{TransactionBytes, []string{"gas"}}},
	FactGasUsed:   {{ReviewSimulation, []string{"gas"}}},
	FactUnit: {{PinnedRegistry, []string{"decimals"}}, {OnchainMetadata, []string{"decimals"}},
		{ValidatedRequest, []string{"raw"}}},
	FactQuote:         {{QuoteSource, []string{"minimum"}}},
	FactSlippage:      {{ValidatedRequest, []string{"maxSlippageBps"}}, {UserExplicitChoice, []string{"maxSlippageBps"}}},
	FactExpiry:        {{TransactionBytes, []string{"lastEpoch"}}},
	FactCall:          {{TransactionBytes, []string{"call"}}},
	FactRecipient:     {{TransactionBytes, []string{"recipient"}}},
	FactPayee:         {{ValidatedRequest, []string{"recipient"}}, {UserExplicitChoice, []string{"recipient"}}},
	FactTerms:         {{TransactionBytes, []string{"terms"}}},
	FactTermsReported: {{ReviewSimulation, []string{"events"}}},
	FactOwnership:     {{AccountRead, []string{"owners"}}},
	FactSimulation:    {{ReviewSimulation, []string{"status"}}},
	FactReview:        {{TransactionBytes, []string{"spends", "minimum", "recipient", "call", "terms"}}},
}

// backs reports whether a field of a kind of source may back the fact.
func backs(f Fact, kind SourceKind, field string) bool {
	return slices.ContainsFunc(SafetyCriticalFacts[f], func(b Backing) bool {
		return b.Kind == kind && slices.Contains(b.Fields, field)
	})
}
