package record

import (
	"time"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// ContractVersion names the shape of Contract.
const ContractVersion = "wallet-review-adapter-contract-v2"

// Contract states every safety-critical fact of a ready review. Each fact has a claim, each claim
// names the record it relies on, and all are about the transaction that the commitment identifies.
// A contract contains no bytes and no digest and permits nothing. Ids are unique within a contract
// and meaningless outside it.
type Contract struct {
	ContractVersion               string           `json:"contractVersion"`
	AdapterID                     string           `json:"adapterId"`
	Protocol                      string           `json:"protocol"`
	ActionKind                    string           `json:"actionKind"`
	Network                       string           `json:"network"`
	ChainID                       string           `json:"chainIdentifier"`
	TransactionMaterialCommitment string           `json:"transactionMaterialCommitment"`
	Provenance                    Provenance       `json:"inputProvenance"`
	Sources                       []TruthSource    `json:"sourceOfTruth"`
	Claims                        []Claim          `json:"evidenceClaims"`
	Amounts                       []ContractAmount `json:"rawQuantities"`
	Terms                         []plan.Term      `json:"terms,omitempty"`
	TermsClaim                    string           `json:"termsClaimId,omitempty"`     // claim that the bytes state the terms
	TermsReportedClaim            string           `json:"termsToldClaimId,omitempty"` // claim that the protocol's events report them
	// TermsUnreported lists the names of terms that only the bytes state.
	TermsUnreported []string          `json:"termsUntold,omitempty"`
	MinOut          ContractMinimum   `json:"slippageOrMinOut"`
	Gas             ContractGas       `json:"gas"`
	Expiry          ContractExpiry    `json:"expiry"`
	Call            ContractCall      `json:"call"`
	Ownership       ContractOwnership `json:"objectOwnership"`
	Simulation      ContractEvidence  `json:"simulation"`
	HumanReview     ContractEvidence  `json:"humanReadableReview"`
	OutputBoundary  OutputBoundary    `json:"outputBoundary"`
	AssembledAt     time.Time         `json:"assembledAt"`
}

// Provenance states where the request came from. A source is never an authority.
type Provenance struct {
	Kind       string    `json:"kind"`     // mcp_action_request
	SourceID   string    `json:"sourceId"` // the review session
	CapturedAt time.Time `json:"capturedAt"`
	Authority  string    `json:"authority"` // untrusted_request
}

// ContractAmount is one raw quantity with a claim for its number and one for its
// decimals.
type ContractAmount struct {
	ID   string `json:"id"`
	Role string `json:"role"` // input, expected_output, minimum_output, fee, fee_at_most
	plan.Amount
	AmountClaim string `json:"amountClaimId"`
	UnitClaim   string `json:"unitClaimId"`
	DisplayOnly bool   `json:"displayOnly,omitempty"` // reported by a provider, not guaranteed
}

// Statuses of a contract's minimum: with a price, or without.
const (
	MinimumRequired = "required_and_verified"
	MinimumNone     = "no_price_involved"
)

// ContractMinimum is the minimum that arrives if the swap succeeds. Without a price, it has only a
// status.
type ContractMinimum struct {
	Status         string  `json:"status"` // required_and_verified, no_price_involved
	MaxSlippageBps int     `json:"maxSlippageBps,omitempty"`
	MinOutRaw      sui.Raw `json:"minOutRaw,omitempty"`
	QuoteClaim     string  `json:"quoteEvidenceClaimId,omitempty"`
	BytesClaim     string  `json:"minOutClaimId,omitempty"`
	PolicyClaim    string  `json:"policyEvidenceClaimId,omitempty"`
}

// ContractGas is the cost of execution in MIST. Used is the cost in the simulation; it
// is negative when the storage rebate exceeds the storage cost.
type ContractGas struct {
	Budget      sui.Raw        `json:"gasBudgetRaw"`
	BudgetClaim string         `json:"gasBudgetClaimId"`
	Price       sui.Raw        `json:"gasPriceRaw"`
	Used        sui.Delta      `json:"gasUsedRaw"`
	UsedClaim   string         `json:"gasUsedClaimId"`
	Owner       sui.Address    `json:"gasOwner"`
	Objects     []sui.ObjectID `json:"gasObjects"`
	CheckedAt   time.Time      `json:"checkedAt"`
}

// ContractExpiry states when the transaction stops being usable: before a release at
// BuildExpiresAt, on chain after the last epoch.
type ContractExpiry struct {
	Status         string    `json:"status"` // current
	CheckedAt      time.Time `json:"checkedAt"`
	QuoteExpiresAt time.Time `json:"quoteExpiresAt,omitzero"`
	BuildExpiresAt time.Time `json:"expiresAt"`
	LastEpoch      uint64    `json:"lastEpoch,string"`
	Claim          string    `json:"evidenceClaimId"`
}

// The roles of a contract's recipient.
const (
	RecipientAccount = "account"
	RecipientNamed   = "named_by_the_person"
)

// ContractCall states what is called, for which account, and who receives the output.
type ContractCall struct {
	Package        sui.ObjectID `json:"package"`
	Function       string       `json:"function"`         // module::name
	RouteID        sui.ObjectID `json:"routeId,omitzero"` // object that is called on; zero if none
	Claim          string       `json:"evidenceClaimId"`
	Recipient      sui.Address  `json:"recipient"`
	RecipientRole  string       `json:"recipientRole"` // account, named_by_the_person
	RecipientClaim string       `json:"recipientClaimId"`
	RequestClaim   string       `json:"requestClaimId,omitempty"` // claim that the user named the recipient
}

// ContractOwnership lists every object that the transaction names.
type ContractOwnership struct {
	CheckedAt         time.Time         `json:"checkedAt"`
	OwnerAccount      sui.Address       `json:"ownerAccount"`
	Objects           []OwnershipObject `json:"objects"`
	Claim             string            `json:"evidenceClaimId"` // claim about all objects
	BoundToCommitment string            `json:"boundToCommitment"`
}

// OwnershipObject is one object with its role (gas, coin, shared) and ownership
// (owned_by_account, shared). Version is set for owned objects, whose version the
// bytes name; a shared object has none.
type OwnershipObject struct {
	ObjectID  sui.ObjectID `json:"objectId"`
	Role      string       `json:"role"`
	Ownership string       `json:"ownership"`
	Type      string       `json:"objectType"`
	Version   uint64       `json:"version,omitempty,string"`
}

// ContractEvidence ties a finished stage to the commitment. Fields are the parts of the stage's
// result that this contract relies on; Missing lists those that are absent.
type ContractEvidence struct {
	Status            string    `json:"status"` // success, complete
	Source            string    `json:"source"` // sui_full_node, transaction_bytes, transaction_bytes_and_quote_policy
	At                time.Time `json:"at"`
	ChecksEnabled     bool      `json:"checksEnabled,omitempty"` // for a simulation
	Fields            []string  `json:"requiredFields"`
	Missing           []string  `json:"missingFields"`
	Claim             string    `json:"evidenceClaimId"`
	BoundToCommitment string    `json:"boundToCommitment"`
}

// OutputBoundary states which parts of this review may be shown and what never leaves the review
// server.
type OutputBoundary struct {
	RuntimeStatus string   `json:"runtimeStatus"` // emitted_pre_handoff
	MayExpose     []string `json:"mcpAndReviewUiMayExpose"`
	Prohibited    []string `json:"prohibited"`
}

// Boundary returns the boundary that every contract has.
func Boundary() OutputBoundary {
	return OutputBoundary{
		RuntimeStatus: "emitted_pre_handoff",
		MayExpose:     []string{"commitment", "decoded_facts", "evidence_claims", "simulation_summary"},
		Prohibited: []string{"transaction_bytes", "serialized_transaction", "wallet_signature_request",
			"private_key_material",
			"wallet_authorization", "signing_data", "signing_readiness", "payment_execution_readiness"},
	}
}
