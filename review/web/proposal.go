package web

import (
	"cmp"
	"strings"

	"github.com/sayurintent/sayurintent/internal/proposal"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/web/words"
)

// proposalView is another program's proposal as text. All texts in Says, Moves, To, Assumes and
// Asks are by that program. Instead is by this one.
type proposalView struct {
	From    string // the source that the proposal names
	Says    []words.Line
	Moves   []words.Line
	To      []words.Line
	Assumes []string
	Asks    []string
	Own     []string // choices that this program adds
	Mine    []string // the user's projects that contain functions which it calls
	Instead *insteadView
}

// insteadView describes a request for the same thing that can be signed.
type insteadView struct {
	Message string
	Takes   []words.Line
	Needs   []string
}

var flowWords = map[string]string{
	proposal.FlowOutgoing: "It says leaves your account", proposal.FlowExpected: "It says arrives",
	proposal.FlowFee: "It says is a fee",
}

// proposal returns the proposal as text, or nil if the review has none.
func (l look) proposal() *proposalView {
	m := l.Proposal
	if m == nil {
		return nil
	}
	p := l.Session.Proposal
	said := func(name, value string) words.Line { return words.Line{Name: name, Value: words.Whole(value)} }
	v := &proposalView{From: words.Whole(m.ProposedAction.Source.Name), Instead: l.instead()}
	v.Says = []words.Line{said("What for", m.ProposedAction.Purpose), said("Kind", m.ProposedAction.ActionKind),
		said("Its name for it", m.ProposedAction.ProposalID), said("Made, it says", words.At(m.Freshness.CreatedAt))}
	if m.ProposedAction.Source.Reference != "" {
		v.Says = append(v.Says, said("Reference", m.ProposedAction.Source.Reference))
	}
	if !m.Freshness.ExpiresAt.IsZero() {
		v.Says = append(v.Says, said("Holds until, it says", words.At(m.Freshness.ExpiresAt)))
	}
	for _, list := range [][]proposal.Asset{m.AssetFlow.Outgoing, m.AssetFlow.ExpectedIncoming, m.AssetFlow.Fees} {
		for _, f := range list {
			move := said(flowWords[f.Direction], strings.Join(strings.Fields(words.Spaced(string(f.Amount.AmountDisplay))+" "+
				""+f.Amount.Symbol+" "+
				f.Amount.Denomination), " "))
			move.Note = words.Whole(strings.Join(strings.Fields(f.Amount.CoinType+" "+f.Description), " "))
			v.Moves = append(v.Moves, move)
		}
	}
	for _, r := range m.Recipients {
		v.To = append(v.To, party("Who gets it, it says", r.Address, r.Label))
	}
	for _, t := range m.Targets {
		v.To = append(v.To, party("Package, it says", t.PackageID, ""), party("Object, it says", t.ObjectID, ""))
		if words := strings.Trim(t.Module+"::"+t.Function, ":"); words != "" {
			v.To = append(v.To, said("Call, it says", words))
		}
		if t.PackageID != nil {
			if at := l.source.place(*t.PackageID, t.Module, t.Function); at != "" {
				v.Mine = append(v.Mine, "The package that it names is your own: "+at+". This program prepares no calls of it, so "+
					"nothing here can be signed.")
			}
		}
		if t.Label != "" {
			v.To = append(v.To, said("Where, it says", t.Label))
		}
	}
	v.To = present(v.To)
	for _, a := range p.Assumptions {
		v.Assumes = append(v.Assumes, words.Whole(a))
	}
	for _, c := range m.RequiredUserChoices {
		if c.From == "proposal" {
			v.Asks = append(v.Asks, words.Whole(c.Choice))
		} else {
			v.Own = append(v.Own, c.Choice)
		}
	}
	return v
}

// needWords describe the inputs of a request that a proposal does not contain.
var needWords = map[string]string{
	"intent.from.symbol": "the coin that leaves", "intent.from.amount": "how much leaves",
	"intent.to.symbol": "the coin that arrives", "intent.to.amount": "how much arrives", "intent.recipient": "who gets it",
	"intent.maxSlippageBps": "how far below the quote the price may be", "intent.protocol": "where it is done",
	"intent.manager": "which balance manager", "intent.order.pool": "which market", "intent.orderId": "which order",
}

// party returns a line with an address, a label or both.
func party(name string, address *sui.Address, label string) words.Line {
	out := words.Line{Name: name, Value: words.Whole(label)}
	if address != nil {
		out.Address, out.Note = address.String(), out.Value
	}
	return out
}

// present removes lines without a value.
func present(all []words.Line) []words.Line {
	var out []words.Line
	for _, l := range all {
		if l.Value != "" || l.Address != "" {
			out = append(out, l)
		}
	}
	return out
}

// instead describes the user's own request, and what it would take from the proposal.
func (l look) instead() *insteadView {
	w := l.Instead
	if w == nil {
		return nil
	}
	v := &insteadView{Message: w.Message}
	in := w.Intent
	for _, one := range []words.Line{{Name: "Action", Value: strings.ReplaceAll(in.Type, "-", " ")}, {Name: "Leaves",
		Value: words.Figure(strings.TrimSpace(in.From.Amount + " " + in.From.Symbol))},
		{Name: "Arrives", Value: words.Figure(strings.TrimSpace(in.To.Amount + " " + in.To.Symbol))}, {Name: "Paid to",
			Address: in.Recipient}} {
		one.Value = words.Whole(one.Value)
		v.Takes = append(v.Takes, one)
	}
	v.Takes = present(v.Takes)
	for _, need := range w.StillNeeded {
		v.Needs = append(v.Needs, cmp.Or(needWords[need], strings.ReplaceAll(strings.TrimPrefix(need, "intent."), ".", " ")))
	}
	return v
}

// leadProposal fills in the headline of a proposal. In every state, there is nothing to sign.
func (v *view) leadProposal() {
	v.Title = "Somebody’s proposal, to be read"
	switch v.Stage {
	case stageOpening, stageWork, stageBlocked, stageRefresh:
		v.Verdict = &verdict{"info", "A proposal to read. Nothing here can be signed.", []string{
			"These are words from outside. Nobody here verified them, and nothing was built from them.",
			"If you want what it says, ask your AI client to prepare it as your own request."}}
	case stageFailure:
		v.Verdict = &verdict{"", "You put this proposal aside",
			[]string{"Nothing was signed: there never was anything to sign."}}
	case stageExpired:
		v.Verdict = &verdict{"", "This page of a proposal has expired",
			[]string{"Nothing was signed: there never was anything to sign."}}
	}
}
