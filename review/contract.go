package review

import (
	"time"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// ContractVersion names the shape of Contract.
const ContractVersion = "wallet-review-adapter-contract-v1"

// Contract is what a review ready for the wallet stands for: every part names
// the one transaction it is about by its commitment. It carries no bytes and
// no digest and permits nothing by itself.
type Contract struct {
	ContractVersion               string            `json:"contractVersion"`
	AdapterID                     string            `json:"adapterId"`
	Protocol                      string            `json:"protocol"`
	ActionKind                    string            `json:"actionKind"`
	Network                       string            `json:"network"`
	ChainID                       string            `json:"chainIdentifier"`
	TransactionMaterialCommitment string            `json:"transactionMaterialCommitment"`
	Amounts                       []ContractAmount  `json:"rawQuantities"`
	MinOut                        ContractMinimum   `json:"slippageOrMinOut"`
	Gas                           ContractGas       `json:"gas"`
	Expiry                        ContractExpiry    `json:"expiry"`
	Ownership                     ContractOwnership `json:"objectOwnership"`
	Simulation                    ContractEvidence  `json:"simulation"`
	HumanReview                   ContractEvidence  `json:"humanReadableReview"`
	AssembledAt                   time.Time         `json:"assembledAt"`
}

// ContractAmount is one raw quantity. Source says what it rests on:
// transaction_bytes, quote_evidence or review_time_simulation.
type ContractAmount struct {
	Role string `json:"role"` // input, expected_output, minimum_output, fee
	Amount
	Source            string `json:"source"`
	BoundToCommitment string `json:"boundToCommitment"`
}

// ContractMinimum is the least that arrives if the swap happens at all.
type ContractMinimum struct {
	Status            string  `json:"status"` // required_and_verified
	MaxSlippageBps    int     `json:"maxSlippageBps"`
	MinOutRaw         sui.Raw `json:"minOutRaw"`
	Source            string  `json:"source"` // transaction_bytes
	BoundToCommitment string  `json:"boundToCommitment"`
}

// ContractGas is what execution may cost, in MIST. Used is what the simulation
// used; it may be negative.
type ContractGas struct {
	Budget            sui.Raw      `json:"gasBudgetRaw"`
	Price             sui.Raw      `json:"gasPriceRaw"`
	Used              sui.Delta    `json:"gasUsedRaw"`
	Owner             sui.Address  `json:"gasOwner"`
	Object            sui.ObjectID `json:"gasObjectId"`
	Source            string       `json:"source"` // transaction_bytes
	BoundToCommitment string       `json:"boundToCommitment"`
}

// ContractExpiry says when the transaction stops being usable: unreleased at
// BuildExpiresAt, on chain after the last epoch.
type ContractExpiry struct {
	Status            string    `json:"status"` // current
	CheckedAt         time.Time `json:"checkedAt"`
	QuoteExpiresAt    time.Time `json:"quoteExpiresAt"`
	BuildExpiresAt    time.Time `json:"buildExpiresAt"`
	LastEpoch         uint64    `json:"lastEpoch,string"`
	BoundToCommitment string    `json:"boundToCommitment"`
}

// ContractOwnership lists every object that the transaction names.
type ContractOwnership struct {
	CheckedAt         time.Time         `json:"checkedAt"`
	OwnerAccount      sui.Address       `json:"ownerAccount"`
	Objects           []OwnershipObject `json:"objects"`
	BoundToCommitment string            `json:"boundToCommitment"`
}

// OwnershipObject is one object with its role (gas, coin, shared) and ownership
// (owned_by_account, shared).
type OwnershipObject struct {
	ObjectID  sui.ObjectID `json:"objectId"`
	Role      string       `json:"role"`
	Ownership string       `json:"ownership"`
	Type      string       `json:"objectType"`
}

// ContractEvidence ties one finished stage to the commitment.
type ContractEvidence struct {
	Status            string    `json:"status"` // success, complete
	Source            string    `json:"source"`
	At                time.Time `json:"at"`
	BoundToCommitment string    `json:"boundToCommitment"`
}
