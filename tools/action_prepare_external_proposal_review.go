package tools

import (
	"fmt"
	"time"

	"github.com/sayurintent/sayurintent/internal/evidence"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/proposal"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// proposalType is the type of action that a proposal contains.
type proposalType string

// Values lists the types.
func (proposalType) Values() []string {
	return []string{proposal.TypePayment, proposal.TypeSuiAction}
}

// sourceKind is the kind of program or person that made a proposal.
type sourceKind string

// Values lists the kinds.
func (sourceKind) Values() []string { return []string{"mcp_server", "ai_client", "user", "other"} }

// proposalTime parses a time in RFC 3339 format; an empty text is the zero time.
func proposalTime(field, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return time.Time{}, fault.New(fault.InputInvalid, "%s must be a time such as 2026-11-21T14:05:00Z.",
			field).With("field", field)
	}
	return at, nil
}

// amountKind states that an amount is for display only.
type amountKind string

// Values lists the only kind.
func (amountKind) Values() []string { return []string{"display_proposal"} }

// wholeID parses an address or object id; an empty text is nil.
func wholeID(field, text string) (*sui.Address, error) {
	if text == "" {
		return nil, nil
	}
	a, err := sui.ParseAccount(text)
	return &a, named(field, err)
}

// The schema describes only the structure, because models read it with every call. The review
// checks lengths and formats, and its errors name the field.
type (
	amountIn struct {
		Display      string     `json:"amountDisplay" description:"such as 100.25"`
		Kind         amountKind `json:"amountKind" description:"fixed"`
		Symbol       string     `json:"symbol,omitempty" description:"symbol"`
		CoinType     string     `json:"coinType,omitempty" description:"full type"`
		Denomination string     `json:"denomination,omitempty" description:"unit, such as USD"`
	}
	partyIn struct {
		Address string `json:"address,omitempty" description:"full"`
		Label   string `json:"label,omitempty" description:"name"`
	}
	paymentIn struct {
		Amount    amountIn `json:"amount" description:"display only"`
		Recipient partyIn  `json:"recipient" description:"address or label"`
		Target    string   `json:"target,omitempty" description:"what for"`
	}
	targetIn struct {
		PackageID string `json:"packageId,omitempty" description:"full"`
		Module    string `json:"module,omitempty" description:"name"`
		Function  string `json:"function,omitempty" description:"name"`
		ObjectID  string `json:"objectId,omitempty" description:"full"`
		Label     string `json:"label,omitempty" description:"name"`
	}
	assetIn struct {
		Direction   flowDirection `json:"direction" description:"way"`
		Amount      amountIn      `json:"amount" description:"display only"`
		Recipient   *partyIn      `json:"recipient,omitempty" description:"address or label"`
		Description string        `json:"description,omitempty" description:"words"`
	}
	actionIn struct {
		Kind      string    `json:"actionKind" description:"such as swap"`
		Target    targetIn  `json:"target" description:"at least one"`
		Recipient *partyIn  `json:"recipient,omitempty" description:"address or label"`
		Flow      []assetIn `json:"assetFlow,omitempty" description:"at most 20"`
	}
	sourceIn struct {
		Kind      sourceKind `json:"kind" description:"who"`
		Name      string     `json:"name" description:"name"`
		Reference string     `json:"reference,omitempty" description:"words"`
	}
	proposalIn struct {
		Type        proposalType `json:"type" brief:"" description:"kind"`
		ID          string       `json:"id" brief:"" description:"its name"`
		Source      sourceIn     `json:"source" brief:"" description:"who proposes: kind (mcp_server, ai_client, user or other), name, reference"`
		Network     string       `json:"network" description:"such as sui:mainnet"`
		CreatedAt   string       `json:"createdAt" description:"RFC 3339"`
		ExpiresAt   string       `json:"expiresAt,omitempty" description:"RFC 3339"`
		Purpose     string       `json:"purpose" brief:"" description:"in plain words"`
		Assumptions []string     `json:"assumptions,omitempty" brief:"" description:"at most 20"`
		Choices     []string     `json:"requiredUserChoices,omitempty" brief:"" description:"at most 20"`
		Payment     *paymentIn   `json:"payment,omitempty" brief:"" description:"of a payment: amount {amountDisplay, amountKind: display_proposal, symbol}, recipient {address or label}, target"`
		Action      *actionIn    `json:"action,omitempty" brief:"" description:"of a sui_action: actionKind, target {packageId, module, function, objectId or label}, recipient, assetFlow [{direction: outgoing, expected_incoming or fee, amount, recipient, description}]"`
	}
	externalIn struct {
		Proposal proposalIn `json:"proposal" description:"its source's words; no bytes, keys or signatures"`
	}
)

// flowDirection states whether an amount leaves, arrives or is a fee.
type flowDirection string

// Values lists the directions.
func (flowDirection) Values() []string {
	return []string{proposal.FlowOutgoing, proposal.FlowExpected, proposal.FlowFee}
}

type externalPlan struct {
	AdapterID  string         `json:"adapterId" description:"external-proposal-review: no adapter executes it"`
	ActionKind string         `json:"actionKind" description:"external-proposal"`
	Title      string         `json:"title" description:"description by this program"`
	Review     proposal.Model `json:"reviewModel" description:"the proposal, and known facts about it"`
	Instead    *insteadOut    `json:"canBePreparedHere,omitempty" description:"how to request the same action so that it can be signed"`
}

type insteadOut struct {
	Tool string `json:"tool" description:"tool that prepares it"`
	// Fields of proposal.Alternative.
	Intent    storedIntent `json:"intent"`
	Protocols []string     `json:"availableProtocols,omitempty"`
	Needed    []string     `json:"stillNeeded"`
	Message   string       `json:"message"`
}

type externalOut struct {
	Session    string          `json:"reviewSessionId" description:"id for the session tools"`
	Task       string          `json:"task_id,omitempty" description:"the review's task"`
	URL        string          `json:"reviewUrl" description:"link for the user; works once"`
	Opening    opened          `json:"opening" description:"how the page was opened"`
	OpenTarget string          `json:"openTarget" description:"where to open the link"`
	NextStep   string          `json:"nextStep" description:"what the user does next"`
	Network    string          `json:"network" description:"network of the review"`
	Account    sui.Address     `json:"account,omitzero" description:"account in use; absent without one"`
	Status     reviewStatus    `json:"status" description:"status of the new review"`
	Plans      []externalPlan  `json:"plans" description:"one; somebody's words"`
	Sources    []projectSource `json:"projectSources,omitempty" description:"its target in own projects"`
	ExpiresAt  time.Time       `json:"expiresAt" description:"when the review expires, UTC"`
}

const toolExternal = "action.prepare_external_proposal_review"

// actionPrepareExternalProposalReview creates a review of another program's proposal. The proposal
// is only displayed: it is never built, simulated or signed.
func actionPrepareExternalProposalReview(reviews reviews, code sources, page opener, tasks reviewTasks) tool.Tool {
	return tool.Declare(tool.Spec[externalIn, externalOut]{
		Name:      toolExternal,
		Status:    tool.NonSignable,
		Title:     "Prepare external proposal review",
		Summary:   "Shows an untrusted payment or Sui action on a local page, to read, not to sign.",
		Untrusted: []tool.Origin{tool.FromProgram},
		Effect:    tool.OpensSession,
		Errors:    []fault.Code{fault.NetworkMismatch, fault.Blocked},
		Cases: []tool.Case[externalOut]{
			{Name: "can be prepared here", When: func(o externalOut) bool {
				return len(o.Plans) > 0 &&
					o.Plans[0].Instead != nil
			},
				Use: externalUse(evidence.Ask(toolPrepare,
					"Only if the user wants it: as their own request. Ask them for what stillNeeded names.").
					With("plans[].canBePreparedHere.intent").Reading("reviewUrl", "plans"), "plans[].canBePreparedHere")},
			{Name: "read only", Use: externalUse(evidence.Ask(toolReviewState, "It reports whether the user read it.").
				With("reviewSessionId").Reading("internalStatus", "reason"))},
		},
		Examples: externalExamples(),
		Run: func(c tool.Call, in externalIn) (externalOut, error) {
			p, err := in.Proposal.read()
			if err != nil {
				return externalOut{}, err
			}
			s, err := reviews.PrepareProposal(c.Context(), p)
			made := externalOut{Session: string(s.ID)}
			if err != nil {
				return made, err
			}
			url, err := page.link.make(c.Context(), pagetoken.Review, string(s.ID))
			if err != nil {
				return made, err
			}
			plan := externalPlan{AdapterID: "external-proposal-review", ActionKind: proposal.ActionKind,
				Title: "A proposal to read", Review: s.Proposal.Model(s.CreatedAt)}
			if way := reviews.InsteadOf(*s.Proposal); way != nil {
				plan.Instead = &insteadOut{toolPrepare, storedIntent{way.Intent}, way.Protocols, way.StillNeeded,
					way.Message}
			}
			return externalOut{
				Session: string(s.ID), Task: tasks(c.Context(), string(s.ID)), URL: url, Opening: linkOnly,
				OpenTarget: systemBrowser,
				NextStep:   "The user opens reviewUrl in a browser on this computer and reads the proposal. There is nothing to sign.",
				Network:    s.Network, Account: s.Account, Status: reviewStatus(s.Status), Plans: []externalPlan{plan},
				ExpiresAt: s.ExpiresAt.UTC(),
				Sources:   sourceOfTarget(c.Context(), code, p.Action),
			}, nil
		},
		Undo: taking(page, pagetoken.Review, func(out *externalOut) string { return out.Session }),
		Asking: opening(page, pagetoken.Review, func(out *externalOut) (string, *opened) {
			return out.Session,
				&out.Opening
		}),
	})
}

func externalUse(next *evidence.FollowUp, more ...string) evidence.Use {
	const model = "plans[].reviewModel."
	return evidence.Use{
		Can:    evidence.Claims{evidence.ReviewLink, evidence.ProposalFacts},
		Cannot: notDone().And(evidence.Claims{evidence.PaymentCoverage, evidence.ReviewedFacts, evidence.AccountOwnership}),
		Answer: append([]string{"reviewUrl", "opening", "nextStep", model + "proposedAction", model + "assetFlow", model +
			"recipients",
			model + "targets", model + "requiredUserChoices"}, more...),
		Precondition: []string{model + "freshness", model + "nonSignableReason"},
		Rules:        []string{model + "missingEvidence", model + "unsupportedClaims", model + "blockingChecks"},
		Diagnostic:   []string{model + "evidenceUsed", "plans[].adapterId", "status"},
		Next:         next,
	}
}

// ids parses addresses and keeps the first error.
type ids struct{ err error }

func (r *ids) read(field, text string) *sui.Address {
	a, err := wholeID(field, text)
	if r.err == nil {
		r.err = err
	}
	return a
}

func (r *ids) party(field string, p *partyIn) *proposal.Party {
	if p == nil {
		return nil
	}
	return &proposal.Party{Address: r.read(field+".address", p.Address), Label: p.Label}
}

// read converts the arguments to a proposal.
func (in proposalIn) read() (proposal.Proposal, error) {
	p := proposal.Proposal{
		Type: string(in.Type), ID: in.ID, Network: in.Network, Purpose: in.Purpose,
		Source:      proposal.Source{Kind: string(in.Source.Kind), Name: in.Source.Name, Reference: in.Source.Reference},
		Assumptions: in.Assumptions, RequiredChoices: in.Choices,
	}
	var err error
	if p.CreatedAt, err = proposalTime("proposal.createdAt", in.CreatedAt); err != nil {
		return proposal.Proposal{}, err
	}
	if p.ExpiresAt, err = proposalTime("proposal.expiresAt", in.ExpiresAt); err != nil {
		return proposal.Proposal{}, err
	}
	var r ids
	if pay := in.Payment; pay != nil {
		p.Payment = &proposal.Payment{Amount: pay.Amount.read(), Recipient: *r.party("proposal.payment.recipient",
			&pay.Recipient),
			Target: pay.Target}
	}
	if a := in.Action; a != nil {
		const action = "proposal.action."
		p.Action = &proposal.Action{ActionKind: a.Kind, Recipient: r.party(action+"recipient", a.Recipient),
			Target: proposal.Target{
				PackageID: r.read(action+"target.packageId", a.Target.PackageID), Module: a.Target.Module,
				Function: a.Target.Function,
				ObjectID: r.read(action+"target.objectId", a.Target.ObjectID), Label: a.Target.Label}}
		for i, f := range a.Flow {
			p.Action.AssetFlow = append(p.Action.AssetFlow, proposal.Asset{Direction: string(f.Direction),
				Amount:    f.Amount.read(),
				Recipient: r.party(fmt.Sprintf("%sassetFlow[%d].recipient", action, i), f.Recipient), Description: f.Description})
		}
	}
	return p, r.err
}

func (a amountIn) read() proposal.Amount {
	return proposal.Amount{AmountDisplay: sui.Decimal(a.Display), AmountKind: string(a.Kind), Symbol: a.Symbol,
		CoinType: a.CoinType, Denomination: a.Denomination}
}

func externalExamples() []tool.Example {
	const somebody = "0x5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a"
	common := func(rest string) string {
		return `{"proposal":{"id":"invoice-7","source":{"kind":"other","name":"Billing of Example Ltd"},"network":"sui:sandbox",` +
			`"createdAt":"2026-01-02T03:04:05Z","purpose":"Pay the invoice of January.",` + rest + `}}`
	}
	payment := func(amount, more string) string {
		return common(`"type":"payment","payment":{"amount":{"amountDisplay":` + amount + `,"amountKind":"display_proposal"` +
			more +
			`},"recipient":{"address":"` + somebody + `","label":"Example Ltd"}}`)
	}
	return []tool.Example{
		{Name: "a payment of a pinned coin", Given: givenConnected, In: payment(`"2.5"`, `,"symbol":"USDC"`),
			Case: "can be prepared here"},
		{Name: "without an account", Given: givenNothing, In: payment(`"100.25"`, `,"denomination":"USD"`),
			Case: "can be prepared here"},
		{Name: "a call nobody here makes", Given: givenNothing,
			In:   common(`"type":"sui_action","action":{"actionKind":"stake","target":{"label":"a validator"}}`),
			Case: "read only"},
		{Name: "another network", Given: givenNothing,
			In: `{"proposal":{"id":"1","source":{"kind":"user","name":"me"},"network":"sui:mainnet","createdAt":"2026-01-02T03:04:05Z","purpose":"Pay.","type":"sui_action","action":{"actionKind":"stake","target":{"label":"x"}}}}`, Fault: fault.NetworkMismatch},
		{Name: "a field that no proposal has", Given: givenNothing, In: common(`"type":"payment","signingRequest":"AAAA"`),
			Fault: fault.InputInvalid},
		{Name: "a field for keys in its words", Given: givenNothing,
			In:    common(`"type":"sui_action","action":{"actionKind":"privateKey","target":{"label":"x"}}`),
			Fault: fault.InputInvalid},
		{Name: "a payment without its part", Given: givenNothing, In: common(`"type":"payment"`), Fault: fault.InputInvalid},
		{Name: "zero", Given: givenNothing, In: payment(`"0.00"`, ``), Fault: fault.InputInvalid},
		{Name: "a sign", Given: givenNothing, In: payment(`"-5"`, ``), Fault: fault.InputInvalid},
		{Name: "a comma", Given: givenNothing, In: payment(`"1,000"`, ``), Fault: fault.InputInvalid},
		{Name: "an exponent", Given: givenNothing, In: payment(`"1e3"`, ``), Fault: fault.InputInvalid},
		{Name: "a unit", Given: givenNothing, In: payment(`"5 SUI"`, ``), Fault: fault.InputInvalid},
		{Name: "no pages", Given: givenNoPages, In: payment(`"5"`, ``), Fault: fault.Blocked},
	}
}
