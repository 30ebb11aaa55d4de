package review

import (
	"time"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// State is what the last computation found: the public "reviewState". It holds
// no transaction bytes and no digest; the commitment names the transaction.
// The zero State means that nothing was computed.
type State struct {
	Status           Status             `json:"status,omitempty"`
	BlockedReason    Reason             `json:"blockedReason,omitempty"`
	RefreshReason    Reason             `json:"refreshReason,omitempty"`
	ComputedAt       time.Time          `json:"computedAt,omitzero"`
	Checks           []Check            `json:"checks,omitempty"`
	AdapterLifecycle *Lifecycle         `json:"adapterLifecycle,omitempty"`
	Quote            *QuoteEvidence     `json:"quote,omitempty"`
	HumanReview      *HumanReview       `json:"humanReadableReview,omitempty"`
	Simulation       *SimulationSummary `json:"simulation,omitempty"`
	Rules            *RuleSummary       `json:"rules,omitempty"`
	Contract         *Contract          `json:"walletReviewAdapterContract,omitempty"`
	Visualization    *Visualization     `json:"ptbVisualization,omitempty"`
}

// Computed reports whether a computation has ever finished.
func (s State) Computed() bool { return s.Status != "" }

// StageID names a stage of an adapter's catalog.
type StageID string

// The stages that the platform appends to every adapter's own.
const (
	StageMaterial    StageID = "transaction_material_build_or_verify"
	StageDigest      StageID = "digest_commitment"
	StageOwnership   StageID = "object_ownership"
	StageHumanReview StageID = "human_readable_review"
	StageSimulation  StageID = "review_time_simulation"
)

// Lifecycle says how far the stages of a review came. Completed and Missing
// are a prefix and the rest of the catalog, in its order.
type Lifecycle struct {
	StageCatalogID  string    `json:"stageCatalogId"`
	AdapterID       string    `json:"adapterId"`
	Protocol        string    `json:"protocol"`
	ActionKind      string    `json:"actionKind"`
	CompletedStages []StageID `json:"completedStages"`
	MissingStages   []StageID `json:"missingStages"`
}

// Completed reports whether the stage is completed.
func (l *Lifecycle) Completed(id StageID) bool {
	if l == nil {
		return false
	}
	for _, s := range l.CompletedStages {
		if s == id {
			return true
		}
	}
	return false
}

// QuoteEvidence is what a protocol answered about an amount, and the minimum
// that the policy derives from it. Amounts are raw; prices are exact decimals.
type QuoteEvidence struct {
	Provider           string    `json:"provider"`           // protocol name
	Route              string    `json:"route"`              // pool key of the registry
	RouteID            string    `json:"routeId"`            // object id of the pool
	Direction          string    `json:"direction"`          // base_to_quote or quote_to_base
	FeeMode            string    `json:"feeMode"`            // input, deep or none
	SourceMoveFunction string    `json:"sourceMoveFunction"` // package::module::function that was simulated
	FetchedAt          time.Time `json:"fetchedAt"`          // when this machine had the answer
	ExpiresAt          time.Time `json:"expiresAt"`          // FetchedAt plus the most age of a quote
	MaxSlippageBps     int       `json:"maxSlippageBps"`
	Input              Amount    `json:"input"`    // what would leave at most
	Unspent            Amount    `json:"unspent"`  // the part of it that would come back
	Expected           Amount    `json:"expected"` // told by the protocol
	Minimum            Amount    `json:"minimum"`  // zero until the policy is derived
	Fee                Amount    `json:"fee"`      // the protocol's fee: part of the input, or DEEP besides it when feeMode is deep
	MidPrice           string    `json:"midPrice,omitempty"`
	EffectivePrice     string    `json:"effectivePrice,omitempty"` // rounded down, in PriceUnit
	PriceUnit          string    `json:"priceUnit,omitempty"`      // as in "USDC per SUI"
	Sentences          []string  `json:"sentences"`                // plain words about this quote
}

// FlowAmount is one amount of the human-readable review.
type FlowAmount struct {
	Role string `json:"role"` // outgoing, expected_incoming, minimum_incoming, fee
	Amount
	RawAmountSource string `json:"rawAmountSource"` // quote_policy_evidence, or transaction_bytes where no price is involved
}

// HumanReview is the review in words a person reads, projected from the policy
// and from the facts decoded from the built bytes, which agree with it.
type HumanReview struct {
	Kind           string `json:"kind"` // as in swap_human_readable_review
	ProposedAction struct {
		Title      string `json:"title"`
		Summary    string `json:"summary"`
		ActionKind string `json:"actionKind"`
		AdapterID  string `json:"adapterId"`
		Protocol   string `json:"protocol"`
		Network    string `json:"network"`
	} `json:"proposedAction"`
	AssetFlow struct {
		Outgoing         *FlowAmount  `json:"outgoing,omitempty"`
		ExpectedIncoming *FlowAmount  `json:"expectedIncoming,omitempty"`
		MinimumIncoming  *FlowAmount  `json:"minimumIncoming,omitempty"`
		Fees             []FlowAmount `json:"fees"`
	} `json:"assetFlow"`
	Recipients          []Recipient  `json:"recipients"`
	Targets             []FlowTarget `json:"targets"`
	Terms               []Term       `json:"terms,omitempty"`
	Locks               []string     `json:"locks,omitempty"` // what is tied up, for how long, and how to undo it
	Guarantee           string       `json:"guarantee"`       // what holds whatever the market does
	EvidenceUsed        []string     `json:"evidenceUsed"`
	MissingEvidence     []string     `json:"missingEvidence"`
	RequiredUserChoices []string     `json:"requiredUserChoices"`
	UnsupportedClaims   []string     `json:"unsupportedClaims"`
	Freshness           Freshness    `json:"freshness"`
	BoundToCommitment   string       `json:"boundToCommitment"`
}

// Recipient is who gets what comes out.
type Recipient struct {
	Role    string      `json:"role"` // connected_account, output_recipient, payment_recipient
	Address sui.Address `json:"address"`
}

// FlowTarget is where the action happens.
type FlowTarget struct {
	Role      string       `json:"role"` // swap_output_asset, or called_object where no price is involved
	Symbol    string       `json:"symbol,omitempty"`
	CoinType  sui.CoinType `json:"coinType,omitempty"`
	Protocol  string       `json:"protocol"`
	Route     string       `json:"route"`
	RouteID   string       `json:"routeId"`
	Direction string       `json:"direction,omitempty"`
}

// Freshness says until when the facts of a review hold.
type Freshness struct {
	Status      string    `json:"status"` // current
	EvaluatedAt time.Time `json:"evaluatedAt"`
	ExpiresAt   time.Time `json:"expiresAt"`
}

// SimulationSummary is the public part of simulating the exact built bytes.
type SimulationSummary struct {
	Provider          string              `json:"provider"` // sui_full_node
	ChecksEnabled     bool                `json:"checksEnabled"`
	Success           bool                `json:"success"`
	SimulatedAt       time.Time           `json:"simulatedAt"`
	Gas               sui.GasCost         `json:"gasCostSummary"`
	GasNet            sui.Delta           `json:"gasNetRaw"` // negative when the rebate is larger
	BalanceChanges    []sui.BalanceChange `json:"balanceChanges"`
	ObjectChanges     []sui.ObjectChange  `json:"objectChanges"`
	BoundToCommitment string              `json:"boundToCommitment"`
}
