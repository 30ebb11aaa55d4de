package proposal

import (
	"slices"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Alternative reports that this program can build the proposed action as the user's own request.
// Intent has the fields that a new request would take from the proposal; nothing is prepared from
// it. StillNeeded names the fields that only the user can fill in.
type Alternative struct {
	Intent      plan.Intent
	Protocols   []string
	StillNeeded []string
	Message     string
}

// calls reports whether an adapter's own transactions call the target. The name of an action does
// not identify a protocol: a deposit may go to any of them.
func (t Target) calls(m plan.Meta) bool {
	return t.PackageID != nil && slices.Contains(m.Packages, *t.PackageID) && slices.Contains(m.Functions, t.Module+"::"+
		t.Function)
}

// adapters returns the adapters of the proposed action, or none. It matches the action's name with
// their synonyms and, except for a payment, the called function with theirs.
func (p Proposal) adapters(all []plan.Adapter) (list []plan.Adapter) {
	word := "payment"
	if p.Payment == nil {
		word = strings.Map(func(r rune) rune {
			if r >= 'a' && r <= 'z' {
				return r
			}
			return -1
		}, strings.ToLower(p.Action.ActionKind))
	}
	for _, a := range all {
		m := a.Meta()
		//mutant:never ./review TestInstead
		if slices.Contains(m.Aliases, word) && (p.Payment != nil || p.Action.Target.calls(m)) {
			list = append(list, a)
		}
	}
	return list
}

// Alternative returns the same action through one of the adapters, or nil. The adapter's own plan
// decides, so unlisted coins and amounts that do not fit have no alternative.
func (p Proposal) Alternative(adapters []plan.Adapter, now time.Time) *Alternative {
	able := p.adapters(adapters)
	if len(able) == 0 {
		return nil
	}
	way := &Alternative{Intent: plan.Intent{Type: able[0].Meta().Action}, StillNeeded: []string{}}
	need := func(fields ...string) { way.StillNeeded = append(way.StillNeeded, fields...) }
	var leaves, arrives *Amount
	for _, f := range p.flows() {
		switch {
		case f.Direction == FlowOutgoing && leaves == nil:
			leaves = &f.Amount
		case f.Direction == FlowExpected && arrives == nil:
			arrives = &f.Amount
		case f.Direction != FlowFee:
			return nil // more than one coin on a side, which no adapter supports
		}
	}
	takes := able[0].Meta().Takes
	if p.Action != nil && p.Action.Recipient != nil && slices.Contains(takes, "to") {
		return nil // the adapters return everything to the account itself
	}
	for _, field := range takes {
		switch field {
		case "from":
			way.from(leaves, need)
		case "to":
			way.to(arrives, slices.Contains(takes, "to.amount"), need)
		case "to.amount":
		case "recipient":
			if to := p.payee(); to != nil {
				way.Intent.Recipient = to.String()
			} else {
				need("intent.recipient")
			}
		default:
			need("intent." + field)
		}
	}
	return way.offered(able, now, leaves, arrives)
}

func (w *Alternative) from(a *Amount, need func(...string)) {
	if a == nil {
		need("intent.from.symbol", "intent.from.amount")
		return
	}
	if w.Intent.From = (plan.IntentSource{Symbol: a.Symbol, Amount: string(a.AmountDisplay)}); a.Symbol == "" {
		need("intent.from.symbol")
	}
}

func (w *Alternative) to(a *Amount, exact bool, need func(...string)) {
	if a == nil {
		need("intent.to.symbol")
		if exact {
			need("intent.to.amount")
		}
		return
	}
	if w.Intent.To.Symbol = a.Symbol; a.Symbol == "" {
		need("intent.to.symbol")
	}
	if exact {
		w.Intent.To.Amount = string(a.AmountDisplay)
	}
}

// payee returns the only recipient of a payment, or nil if there is none or more than one.
func (p Proposal) payee() *sui.Address {
	var to *sui.Address
	parties, _ := p.parties()
	for _, party := range parties {
		if party.Address != nil {
			if to != nil && *to != *party.Address {
				return nil
			}
			to = party.Address
		}
	}
	return to
}

// offered keeps the adapters whose plan accepts the intent. If fields are missing, it keeps every
// adapter that does not reject the present ones.
func (w *Alternative) offered(able []plan.Adapter, now time.Time, leaves, arrives *Amount) *Alternative {
	trial := w.Intent
	needs := slices.Clone(w.StillNeeded)
	if slices.Contains(needs, "intent.maxSlippageBps") {
		// The user chooses the slippage; any allowed value shows whether the other fields fit.
		trial.MaxSlippageBps = plan.LeastSlippageBps
		needs = slices.DeleteFunc(needs, func(f string) bool { return f == "intent.maxSlippageBps" })
	}
	for _, a := range able {
		trial.Protocol = a.Meta().Slug
		plan, err := a.Plan(trial, now)
		if len(needs) > 0 && err != nil {
			//mutant:never ./review TestInstead
			if field := fault.As(err).Detail.Get("field"); !slices.ContainsFunc(needs, func(n string) bool {
				return missing(n,
					field)
			}) {
				continue // a field that is already set does not fit
			}
		}
		if len(needs) == 0 {
			if err != nil || !leaves.isOf(plan.Input().Asset) || !arrives.isOf(plan.Output().Asset) {
				continue
			}
		}
		w.Protocols = append(w.Protocols, a.Meta().Slug)
	}
	if len(w.Protocols) == 0 {
		return nil
	}
	w.Message = "Say Ur Intent can build this itself, from what it reads and checks. That is then a request of " +
		"its own, with a review that can be signed."
	if len(w.Protocols) == 1 {
		w.Intent.Protocol, w.Protocols = w.Protocols[0], nil
	} else {
		w.StillNeeded = append(w.StillNeeded, "intent.protocol")
	}
	return w
}

// missing reports whether an error about field results from the missing field need, because one
// contains the other.
func missing(need, field string) bool {
	return field == need || strings.HasPrefix(need, field+".") || strings.HasPrefix(field, need+".")
}

// isOf reports whether the coin type that the proposal names, if any, is that of coin.
func (a *Amount) isOf(coin plan.Asset) bool {
	if a == nil || a.CoinType == "" || coin.CoinType == "" {
		return true
	}
	t, err := sui.ParseCoinType(a.CoinType)
	return err == nil && t == coin.CoinType
}
