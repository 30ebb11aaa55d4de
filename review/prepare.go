package review

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/review/gate"
)

// Prepare creates a review of an intent for the active account. In this order, it rejects an intent
// that contains a secret, an unknown action, a missing active account (fault.ActiveAccountNotSet),
// an unknown protocol, an intent that no adapter can plan, and one that several can. A rejected
// intent is not stored. The adapters check symbols, amounts and bounds. A node is queried only for
// the decimals of a coin that is named by its type, the balance that a share refers to, and the
// record of a recipient's name.
func (s *Service) Prepare(ctx context.Context, in plan.Intent) (record.Session, error) {
	session, err := s.prepared(ctx, in)
	if err != nil {
		return record.Session{}, err
	}
	return session, s.c.Store.CreateReview(ctx, session)
}

// PrepareLooking prepares a review as Prepare does, after a preflight. It returns an error and
// creates no review if the account holds less than would leave it, or if the steps cannot be one
// transaction.
func (s *Service) PrepareLooking(ctx context.Context, in plan.Intent) (record.Session, record.Looked, error) {
	session, err := s.prepared(ctx, in)
	if err != nil {
		return record.Session{}, record.Looked{}, err
	}
	looked := gate.Look(ctx, s.gates, session)
	if err := ctx.Err(); err != nil {
		return record.Session{}, looked, err
	}
	//mutant:never ./tools TestPreflight
	if never := looked.Never; never != nil {
		return record.Session{}, looked, fault.New(fault.Blocked, "%s %s", never.Check.Message, never.Check.Do).
			With("reason", string(never.Reason)).With("check", never.Check.ID)
	}
	//mutant:never ./internal/request TestTogether
	if err := s.Together(ctx, session); err != nil {
		return record.Session{}, looked, err
	}
	return session, looked, s.c.Store.CreateReview(ctx, session)
}

// prepared returns a new review of an intent, which is not stored yet.
func (s *Service) prepared(ctx context.Context, in plan.Intent) (record.Session, error) {
	//mutant:never ./review TestDoors
	if err := s.screened(ctx, "intent", in); err != nil {
		return record.Session{}, err
	}
	wanted := in.Each()
	if err := in.Bundled(); err != nil {
		return record.Session{}, err
	}
	able := make([][]plan.Adapter, len(wanted))
	for i, step := range wanted {
		var err error
		if able[i], err = s.able(step); err != nil {
			return record.Session{}, err
		}
	}
	account, ok, err := s.c.Active(ctx)
	if err != nil {
		return record.Session{}, err
	}
	if !ok {
		return record.Session{}, fault.New(fault.ActiveAccountNotSet,
			"Connect a wallet account first: a review is made for one account.").With("action", "connect_wallet_identity")
	}
	now := s.now()
	planned, plans := make([]plan.Intent, len(wanted)), make([]plan.Plan, len(wanted))
	var slugs []string
	for i, step := range wanted {
		step, err := s.named(ctx, step)
		if err == nil {
			step, err = s.share(ctx, account.Address, able[i], step, now)
		}
		if err != nil {
			return record.Session{}, err
		}
		way, err := s.choose(ctx, account.Address, able[i], step, now)
		if err != nil {
			return record.Session{}, err
		}
		planned[i], plans[i] = way.stored(), way.plan
		if !slices.Contains(slugs, planned[i].Protocol) {
			slugs = append(slugs, planned[i].Protocol)
		}
	}
	if err := plan.Wire(in, plans); err != nil {
		return record.Session{}, err
	}
	if len(in.Steps) == 0 {
		in = planned[0]
	} else {
		in.Steps, in.Asked = planned, ""
		for i, step := range planned {
			if i > 0 {
				in.Asked += "; "
			}
			in.Asked += step.Asked
		}
	}
	return s.proposed(in, account, slugs, now)
}

// proposed returns a new session for a planned intent.
func (s *Service) proposed(in plan.Intent, account record.Account, slugs []string, now time.Time) (record.Session,
	error) {
	id, err := record.Secret(s.c.Rand, 18)
	if err != nil {
		return record.Session{}, err
	}
	return record.Session{
		ID: record.ID(id), Network: s.c.Network, Account: account.Address, WalletName: account.WalletName,
		WalletID: account.WalletID, Protocol: strings.Join(slugs, "+"), Action: in.Type, Intent: in,
		Status: record.Proposed, Revision: 1, CreatedAt: now, UpdatedAt: now, ExpiresAt: now.Add(s.c.Limits.SessionLife),
	}, nil
}

// stored returns the intent in its stored form, with names as the registry spells them.
func (w way) stored() plan.Intent {
	in, plan := w.in, w.plan
	in.Type, in.Protocol, in.FeeMode, in.Asked = w.adapter.Meta().Action, w.adapter.Meta().Slug, plan.FeeMode, plan.Asked
	in.From.Symbol, in.To.Symbol = plan.Input().Named(), plan.Output().Symbol
	if to := plan.Promise.Payee(); !to.IsZero() {
		in.Recipient = to.String()
	}
	return in
}

// Preview returns the expected flows of a prepared review, derived only from its intent.
func (s *Service) Preview(session record.Session) (Preview, error) {
	adapters := plan.AdaptersOf(s.c.Adapters, session.Wanted())
	if adapters == nil {
		return Preview{}, fault.New(fault.UnsupportedAction,
			"This version no longer supports this review. Prepare a new one.")
	}
	m := adapters[0].Meta()
	const kind = "display_intent"
	flow := []FlowPreview{}
	var planned plan.Plan
	for i, in := range session.Intent.Each() {
		one, err := plan.PlanStep(adapters[i], in, session.CreatedAt)
		if err != nil {
			return Preview{}, err
		}
		if planned = planned.And(one); len(one.Promise.Of(plan.RoleInput)) > 0 {
			flow = append(flow, FlowPreview{Direction: "outgoing", Symbol: one.Input().Symbol, Amount: in.From.Amount,
				AmountKind: kind})
		}
		for _, b := range one.Promise.Of(plan.RoleOutput) {
			arrives := FlowPreview{Direction: "incoming", Symbol: b.Coin.Symbol, Amount: "unknown", AmountKind: kind,
				Approx: true}
			if b.Coin == plan.EveryCoin {
				arrives.Symbol = "every coin"
			}
			if b.Least != nil {
				arrives.Amount, arrives.Approx = in.To.Amount, false
			}
			flow = append(flow, arrives)
		}
	}
	return Preview{
		Protocol: m.Protocol, ActionKind: session.Action,
		Title: planned.Title, Summary: planned.Summary, MaxSlippageBps: planned.MaxSlippageBps, FeeMode: planned.FeeMode,
		AssetFlowPreview: flow,
		Checks:           planned.Notes,
	}, nil
}

// FlowPreview is one flow of a prepared review. Amount is display text, or "unknown" before a
// quote. It is never a raw, signable quantity.
type FlowPreview struct {
	Direction  string `json:"direction"` // "outgoing" or "incoming"
	Symbol     string `json:"symbol"`
	Amount     string `json:"amount"`
	AmountKind string `json:"amountKind"` // "display_intent"
	Approx     bool   `json:"approx,omitempty"`
}

// Preview describes a prepared review before the chain is read.
type Preview struct {
	Protocol         string        `json:"protocol"`
	ActionKind       string        `json:"actionKind"`
	Title            string        `json:"title"`
	Summary          string        `json:"summary"`
	AssetFlowPreview []FlowPreview `json:"assetFlowPreview"`
	MaxSlippageBps   int           `json:"maxSlippageBps,omitempty"`
	FeeMode          string        `json:"feeMode,omitempty"`
	Checks           []plan.Check  `json:"checks,omitempty"`
}
