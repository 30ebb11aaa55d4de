package proposal

import (
	"slices"
	"time"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/screen"
)

// Model is a proposal prepared for an answer. It separates what the proposal claims from what is
// known about it. The proposal's texts are made safe to show but remain its author's words.
type Model struct {
	ProposedAction      Summary      `json:"proposedAction"`
	AssetFlow           Flow         `json:"assetFlow"`
	Recipients          []Party      `json:"recipients"`
	Targets             []Target     `json:"targets"`
	EvidenceUsed        []string     `json:"evidenceUsed"`
	MissingEvidence     []string     `json:"missingEvidence"`
	RequiredUserChoices []Choice     `json:"requiredUserChoices"`
	UnsupportedClaims   []string     `json:"unsupportedClaims"`
	Freshness           Freshness    `json:"freshness"`
	BlockingChecks      []plan.Check `json:"blockingChecks"`
	NonSignableReason   NonSignable  `json:"nonSignableReason"`
}

// Summary states what is requested and by whom. Authority is always
// untrusted_external_proposal.
type Summary struct {
	Type       string `json:"type"`
	ActionKind string `json:"actionKind"` // payment for a payment
	Purpose    string `json:"purpose"`
	Source     Source `json:"source"`
	ProposalID string `json:"proposalId"`
	Network    string `json:"network"`
	Authority  string `json:"authority"`
}

// Flow lists what would move, by direction.
type Flow struct {
	Outgoing         []Asset `json:"outgoing"`
	ExpectedIncoming []Asset `json:"expectedIncoming"`
	Fees             []Asset `json:"fees"`
}

// Choice is a choice that stays with the user. From names the author of its text: proposal or
// say_ur_intent.
type Choice struct {
	Choice string `json:"choice"`
	From   string `json:"from"`
}

// The states of a proposal's freshness.
const (
	Current         = "current"
	Expired         = "expired"
	CreatedInFuture = "created_in_future"
	NoExpiry        = "expiry_not_provided"
)

// Freshness compares the times that the proposal states with this machine's clock.
type Freshness struct {
	CreatedAt   time.Time `json:"proposalCreatedAt"`
	ExpiresAt   time.Time `json:"proposalExpiresAt,omitzero"`
	EvaluatedAt time.Time `json:"evaluatedAt"`
	Status      string    `json:"status"`
}

// NonSignable states why there is nothing to sign.
type NonSignable struct {
	Code                string   `json:"code"` // external_proposal_review_only
	Message             string   `json:"message"`
	BlockedCapabilities []string `json:"blockedCapabilities"`
}

const checkProposalOnly = "external_proposal_review_only"

// Model returns the model of a proposal at the given time.
func (p Proposal) Model(now time.Time) Model {
	parties, _ := p.parties()
	m := Model{
		ProposedAction: Summary{Type: p.Type, ActionKind: TypePayment, Purpose: say(p.Purpose), ProposalID: say(p.ID),
			Source:  Source{Kind: p.Source.Kind, Name: say(p.Source.Name), Reference: say(p.Source.Reference)},
			Network: p.Network, Authority: "untrusted_external_proposal"},
		AssetFlow:  Flow{Outgoing: []Asset{}, ExpectedIncoming: []Asset{}, Fees: []Asset{}},
		Recipients: []Party{}, Targets: []Target{},
		EvidenceUsed:    []string{"external_proposal_contract", "proposal_declared_network", "proposal_display_amounts"},
		MissingEvidence: p.missing(),
		UnsupportedClaims: []string{"recipient_identity", "recipient_ownership", "target_safety", "payment_coverage",
			"transaction_building_input",
			"signing_readiness"},
		Freshness: p.freshness(now), BlockingChecks: p.Checks(now),
		NonSignableReason: NonSignable{Code: checkProposalOnly, Message: Stop().Check.Message,
			BlockedCapabilities: []string{"transaction_building", "wallet_signing", "execution", "signing_data_or_readiness",
				"external_transaction_material_authority"}},
	}
	for _, party := range parties {
		party.Label = say(party.Label)
		if !slices.ContainsFunc(m.Recipients, party.same) {
			m.Recipients = append(m.Recipients, party)
		}
	}
	for _, f := range p.flows() {
		f = f.shown()
		switch f.Direction {
		case FlowOutgoing:
			m.AssetFlow.Outgoing = append(m.AssetFlow.Outgoing, f)
		case FlowExpected:
			m.AssetFlow.ExpectedIncoming = append(m.AssetFlow.ExpectedIncoming, f)
		default:
			m.AssetFlow.Fees = append(m.AssetFlow.Fees, f)
		}
	}
	if a := p.Action; a != nil {
		m.ProposedAction.ActionKind = say(a.ActionKind)
		t := a.Target
		t.Module, t.Function, t.Label = say(t.Module), say(t.Function), say(t.Label)
		m.Targets = append(m.Targets, t)
	} else if p.Payment != nil && p.Payment.Target != "" {
		m.Targets = append(m.Targets, Target{Label: say(p.Payment.Target)})
	}
	if len(p.Assumptions) > 0 {
		m.UnsupportedClaims = append(m.UnsupportedClaims, "source_assumptions_unverified")
	}
	m.RequiredUserChoices = p.choices()
	return m
}

// say makes a text from the proposal safe to show.
func say(text string) string { return screen.Text(text, screen.MostDescription).Text }

func (a Party) same(b Party) bool {
	return a.Label == b.Label && (a.Address == nil) == (b.Address == nil) && (a.Address == nil || *a.Address == *b.Address)
}

func (f Asset) shown() Asset {
	f.Amount.Symbol, f.Amount.Denomination = say(f.Amount.Symbol), say(f.Amount.Denomination)
	f.Description = say(f.Description)
	if f.Recipient != nil {
		f.Recipient = &Party{Address: f.Recipient.Address, Label: say(f.Recipient.Label)}
	}
	return f
}

// missing lists what this program has not verified.
func (p Proposal) missing() []string {
	all := []string{"account_bound_wallet_assets", "review_time_simulation", "recipient_or_target_verification"}
	switch {
	case p.Action != nil:
		return append(all, "action_adapter_support")
	case p.Payment.Amount.CoinType == "":
		return append(all, "settlement_asset_selection")
	}
	return append(all, "settlement_asset_metadata_verification")
}

func (p Proposal) choices() []Choice {
	all := []Choice{}
	for _, c := range p.RequiredChoices {
		all = append(all, Choice{say(c), "proposal"})
	}
	own := func(text string) { all = append(all, Choice{text, "say_ur_intent"}) }
	if p.Payment != nil {
		if p.Payment.Amount.CoinType == "" {
			own("which coin to pay with, by its whole type")
		} else {
			own("whether the coin type is the coin that is meant")
		}
		if p.Payment.Recipient.Address == nil {
			own("which address to pay: a label is none")
		}
	}
	own("whether to do this at all")
	return all
}

func (p Proposal) freshness(now time.Time) Freshness {
	f := Freshness{CreatedAt: p.CreatedAt, ExpiresAt: p.ExpiresAt, EvaluatedAt: now, Status: Current}
	switch {
	case p.CreatedAt.Sub(now) > plan.ClockPlay:
		f.Status = CreatedInFuture
	case p.ExpiresAt.IsZero():
		f.Status = NoExpiry
	case !now.Before(p.ExpiresAt):
		f.Status = Expired
	}
	return f
}

// Checks returns the checks of a proposal. The last one blocks it.
func (p Proposal) Checks(now time.Time) []plan.Check {
	const fresh, label = "proposal_freshness", "Age of the proposal"
	var age plan.Check
	switch p.freshness(now).Status {
	case Expired:
		age = plan.Fail(plan.SourceProposal, fresh, label, "The proposal says that it expired.",
			"Ask its source for a new one.")
	case CreatedInFuture:
		age = plan.Fail(plan.SourceProposal, fresh, label, "The proposal says that it was made later than now.",
			"Check the clock of this computer, then ask its source.")
	case NoExpiry:
		age = plan.Warn(plan.SourceProposal, fresh, label, "The proposal does not state when it expires.", "")
	default:
		age = plan.Pass(plan.SourceProposal, fresh, label, "The proposal has not expired by its own words.")
	}
	return []plan.Check{
		plan.Pass(plan.SourceProposal, "external_proposal_contract", "Form",
			"The proposal is well formed, and no secrets were found in it."),
		plan.Warn(plan.SourceProposal, "proposal_declared_network", "Network",
			"The proposal says "+p.Network+". Nothing on chain was read to verify it.", "").AsNote(),
		age, Stop().Check,
	}
}

// Stop returns the stop that ends every review of a proposal.
func Stop() *plan.Stop {
	return &plan.Stop{Reason: plan.ProposalReviewOnly,
		Check: plan.Fail(plan.SourceProposal, checkProposalOnly, "Somebody’s proposal",
			"This is a proposal from outside. Nothing was built, simulated or verified from it, and it can never "+
				"be signed here.",
			"If you want something like it, ask your AI client for it in your own words: what this program can do is "+
				"then built and checked here.")}
}
