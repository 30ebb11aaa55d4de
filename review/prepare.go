package review

import (
	"context"
	"encoding/base64"
	"io"
	"slices"
	"strings"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// Prepare makes a review of an intent for the active account. It refuses in this
// order: an intent that holds a secret, in any text of it, an action that nobody
// carries out, no active account, a protocol that is not there, an intent that no
// adapter can plan, and a choice among several that can. Symbols, amounts and
// bounds are judged by the adapters' plans; a node is asked of nothing but a coin
// that is named by its type: how many decimals it has. Without an active account
// it is fault.ActiveAccountNotSet and nothing is stored.
func (s *Service) Prepare(ctx context.Context, in Intent) (Session, error) {
	//mutant:never ./review TestDoors
	if err := s.screened(ctx, "intent", in); err != nil {
		return Session{}, err
	}
	wanted := in.steps()
	if err := in.bundled(); err != nil {
		return Session{}, err
	}
	able := make([][]Adapter, len(wanted))
	for i, step := range wanted {
		var err error
		if able[i], err = s.able(step); err != nil {
			return Session{}, err
		}
	}
	account, ok, err := s.c.Active(ctx)
	if err != nil {
		return Session{}, err
	}
	if !ok {
		return Session{}, fault.New(fault.ActiveAccountNotSet,
			"Connect a wallet account first: a review is made for one account.").With("action", "connect_wallet_identity")
	}
	now := s.now()
	planned := make([]Intent, len(wanted))
	var slugs []string
	for i, step := range wanted {
		way, err := s.choose(ctx, able[i], step, now)
		if err != nil {
			return Session{}, err
		}
		planned[i] = way.stored()
		if !slices.Contains(slugs, planned[i].Protocol) {
			slugs = append(slugs, planned[i].Protocol)
		}
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
	id, err := Secret(s.c.Rand, 18)
	if err != nil {
		return Session{}, err
	}
	session := Session{
		ID: ID(id), Network: s.c.Network, Account: account.Address, WalletName: account.WalletName,
		WalletID: account.WalletID, Protocol: strings.Join(slugs, "+"), Action: in.Type, Intent: in,
		Status: Proposed, Revision: 1, CreatedAt: now, UpdatedAt: now, ExpiresAt: now.Add(s.c.Limits.SessionLife),
	}
	return session, s.c.Store.CreateReview(ctx, session)
}

// stored returns the intent as it is kept: in the registry's own spelling.
func (w way) stored() Intent {
	in, plan := w.in, w.plan
	in.Type, in.Protocol, in.FeeMode, in.Asked = w.adapter.Meta().Action, w.adapter.Meta().Slug, plan.FeeMode, plan.Asked
	in.From.Symbol, in.To.Symbol = plan.Input().named(), plan.Output().Symbol
	if to := plan.Promise.Payee(); !to.IsZero() {
		in.Recipient = to.String()
	}
	return in
}

// clip bounds text of a caller that is repeated in a message.
func clip(text string) string {
	if r := []rune(text); len(r) > 40 {
		return string(r[:40]) + "…"
	}
	return text
}

// Secret returns n random bytes as base64url text.
func Secret(random io.Reader, n int) (string, error) {
	b := make([]byte, n)
	if _, err := io.ReadFull(random, b); err != nil {
		return "", fault.Wrap(err, fault.InternalError, "The system gives no randomness, so no session can be made.")
	}
	return base64.RawURLEncoding.EncodeToString(b), nil
}

// Preview gives what a prepared review intends, from its intent alone.
func (s *Service) Preview(session Session) (Preview, error) {
	adapters := AdaptersOf(s.c.Adapters, session.Wanted())
	if adapters == nil {
		return Preview{}, fault.New(fault.UnsupportedAction, "No adapter carries out this review any more. Prepare a new one.")
	}
	m := adapters[0].Meta()
	const kind = "display_intent"
	flow := []FlowPreview{}
	var plan Plan
	for i, in := range session.Intent.steps() {
		one, err := adapters[i].Plan(in, session.CreatedAt)
		if err != nil {
			return Preview{}, err
		}
		if plan = plan.and(one); len(one.Promise.Of(RoleInput)) > 0 {
			flow = append(flow, FlowPreview{Direction: "outgoing", Symbol: one.Input().Symbol, Amount: in.From.Amount, AmountKind: kind})
		}
		for _, b := range one.Promise.Of(RoleOutput) {
			arrives := FlowPreview{Direction: "incoming", Symbol: b.Coin.Symbol, Amount: "unknown", AmountKind: kind, Approx: true}
			if b.Least != nil {
				arrives.Amount, arrives.Approx = in.To.Amount, false
			}
			flow = append(flow, arrives)
		}
	}
	return Preview{
		PlanID: string(session.ID), AdapterID: m.AdapterID, Protocol: m.Protocol, ActionKind: session.Action,
		Title: plan.Title, Summary: plan.Summary, MaxSlippageBps: plan.MaxSlippageBps, FeeMode: plan.FeeMode,
		AssetFlowPreview: flow,
		Checks: append([]Check{
			Warn(SourceWallet, "account_bound_review_required", "Account",
				"Amounts, fees and gas are read for the connected account once the review page is open.",
				"Open the review link in the browser of this machine."),
			Warn(SourceAdapter, "signing_via_local_review_only", "Signing",
				"Nothing is signed here. Only your own wallet signs, from the review page.", ""),
		}, plan.Notes...),
	}, nil
}

// and adds the words of the next step's plan.
func (p Plan) and(next Plan) Plan {
	if p.Title == "" {
		return next
	}
	p.Title, p.Summary, p.Notes = p.Title+"; "+next.Title, p.Summary+" "+next.Summary, append(p.Notes, next.Notes...)
	return p
}
