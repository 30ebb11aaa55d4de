package record

import (
	"slices"
	"time"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// State is the result of the last computation, the public "reviewState". It contains no transaction
// bytes and no digest; the commitment identifies the transaction. In the zero State, nothing was
// computed.
type State struct {
	Status           Status              `json:"status,omitempty"`
	BlockedReason    plan.Reason         `json:"blockedReason,omitempty"`
	RefreshReason    plan.Reason         `json:"refreshReason,omitempty"`
	ComputedAt       time.Time           `json:"computedAt,omitzero"`
	Checks           []plan.Check        `json:"checks,omitempty"`
	AdapterLifecycle *Lifecycle          `json:"adapterLifecycle,omitempty"`
	Quote            *plan.QuoteEvidence `json:"quote,omitempty"`
	Outlook          []plan.Outlook      `json:"outlook,omitempty"` // one for each step
	HumanReview      *HumanReview        `json:"humanReadableReview,omitempty"`
	Simulation       *SimulationSummary  `json:"simulation,omitempty"`
	Rules            *RuleSummary        `json:"rules,omitempty"`
	Contract         *Contract           `json:"walletReviewAdapterContract,omitempty"`
	Visualization    *Visualization      `json:"ptbVisualization,omitempty"`
}

// Computed reports whether a computation has ever finished.
func (s State) Computed() bool { return s.Status != "" }

// Lifecycle lists the finished and the remaining stages of a review, in catalog order.
type Lifecycle struct {
	StageCatalogID  string         `json:"stageCatalogId"`
	AdapterID       string         `json:"adapterId"`
	Protocol        string         `json:"protocol"`
	ActionKind      string         `json:"actionKind"`
	CompletedStages []plan.StageID `json:"completedStages"`
	MissingStages   []plan.StageID `json:"missingStages"`
}

// Completed reports whether the stage is completed.
func (l *Lifecycle) Completed(id plan.StageID) bool {
	return l != nil && slices.Contains(l.CompletedStages, id)
}

// FlowAmount is one amount of the human-readable review.
type FlowAmount struct {
	Role string `json:"role"` // outgoing, expected_incoming, minimum_incoming, fee
	plan.Amount
	// quote_policy_evidence, or transaction_bytes if no price is involved
	RawAmountSource string `json:"rawAmountSource"`
}

// HumanReview describes the review for users. It is derived from the policy and from the facts
// decoded from the built bytes, which agree with it.
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
	Terms               []plan.Term  `json:"terms,omitempty"`
	Locks               []string     `json:"locks,omitempty"` // what the step locks, for how long, and how to unlock it
	Guarantee           string       `json:"guarantee"`       // what holds regardless of the market
	EvidenceUsed        []string     `json:"evidenceUsed"`
	MissingEvidence     []string     `json:"missingEvidence"`
	RequiredUserChoices []string     `json:"requiredUserChoices"`
	UnsupportedClaims   []string     `json:"unsupportedClaims"`
	Freshness           Freshness    `json:"freshness"`
	BoundToCommitment   string       `json:"boundToCommitment"`
}

// Recipient is the recipient of the output.
type Recipient struct {
	Role    string      `json:"role"` // connected_account, output_recipient, payment_recipient
	Address sui.Address `json:"address"`
}

// FlowTarget is the place of the action.
type FlowTarget struct {
	Role      string       `json:"role"` // swap_output_asset, or called_object if no price is involved
	Symbol    string       `json:"symbol,omitempty"`
	CoinType  sui.CoinType `json:"coinType,omitempty"`
	Protocol  string       `json:"protocol"`
	Route     string       `json:"route"`
	RouteID   string       `json:"routeId"`
	Direction string       `json:"direction,omitempty"`
}

// Freshness states how long the facts of a review are valid.
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
	ObjectChanges     []sui.ObjectChange  `json:"objectChanges,omitzero"`
	BoundToCommitment string              `json:"boundToCommitment"`
}

// Visualization is a PtbVisualizationArtifact: the decoded transaction as Mermaid text, without
// bytes or digest. It only explains the transaction; nothing is built, signed or permitted from it,
// and it does not replace a simulation.
type Visualization struct {
	Version            string             `json:"artifactVersion"`
	GeneratedAt        time.Time          `json:"generatedAt"`
	Source             VisualSource       `json:"source"`
	Mermaid            Mermaid            `json:"mermaid,omitzero"`
	Diagnostics        []string           `json:"diagnostics"`
	UnsupportedUse     []string           `json:"unsupportedUse"`
	ExecutableMaterial ExecutableMaterial `json:"executableMaterial"`
}

// VisualSource names the source of a drawing and its renderer.
type VisualSource struct {
	AdapterID         string `json:"adapterId"`
	Kind              string `json:"sourceKind"` // decoded_transaction
	Renderer          string `json:"renderer"`
	BoundToCommitment string `json:"boundToCommitment"`
}

// Mermaid is one flowchart in two forms: with full ids and with names.
type Mermaid struct {
	DiagramType string `json:"diagramType"` // flowchart
	Text        string `json:"text"`
	NamedText   string `json:"namedText"`
}

// ExecutableMaterial states that nothing executable is included.
type ExecutableMaterial struct {
	Included bool `json:"included"`
}

// RuleSummary states the result of every rule; each is in exactly one list. A proved rule relies on
// the check that Rules names.
type RuleSummary struct {
	Failed     []plan.RuleID `json:"failed,omitempty"`
	Warned     []plan.RuleID `json:"warned,omitempty"`
	NotChecked []plan.RuleID `json:"notChecked,omitempty"` // explained by a check
	NotReached []plan.RuleID `json:"notReached,omitempty"` // the review stopped before checking it
	Proved     []plan.RuleID `json:"proved,omitempty"`
}
