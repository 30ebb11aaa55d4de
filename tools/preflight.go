package tools

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/request"
)

// preflightStatus is the outcome of a preflight.
type preflightStatus string

// Outcomes of a preflight.
const (
	preflightClear    preflightStatus = "clear"
	preflightBlockers preflightStatus = "blockers"
	preflightUnknown  preflightStatus = "not_checked"
)

// Values lists the outcomes.
func (preflightStatus) Values() []string {
	return []string{string(preflightClear), string(preflightBlockers), string(preflightUnknown)}
}

type preflight struct {
	Status   preflightStatus `json:"status" description:"not_checked if some data did not arrive in time"`
	Expected *expected       `json:"expected,omitempty" description:"at the current quote; the page has the binding amounts"`
	Blockers []blocker       `json:"blockers" description:"all known obstacles"`
}

// expected is what the venue would deliver at the current quote. Amounts are display text with a
// symbol.
type expected struct {
	Arrives string `json:"arrives" description:"by the quote"`
	Least   string `json:"guaranteed,omitempty" description:"minimum that may arrive"`
	Market  string `json:"market,omitempty" description:"arrives, compared with the mid price of the same reading"`
	Unspent string `json:"unspent,omitempty" description:"part of the amount that would be returned"`
	Fee     string `json:"fee,omitempty" description:"fee of the venue"`
	FeeMode string `json:"feeMode,omitempty" description:"how the fee is paid"`
}

type blocker struct {
	Step    string    `json:"step,omitempty" description:"id of the step of a bundle; without it, the whole"`
	Check   string    `json:"check" description:"what was checked"`
	Message string    `json:"message" description:"what was found"`
	Do      string    `json:"do" description:"what the user can do"`
	Next    *nextCall `json:"next,omitempty" description:"call, ready to send, that solves the problem and completes the request"`
}

// nextCall is a complete call of a tool that prepares requests.
type nextCall struct {
	Tool      string        `json:"tool" description:"its name"`
	Arguments nextArguments `json:"arguments" description:"its complete arguments"`
}

type nextArguments struct {
	Intent       *actionIntent `json:"intent,omitempty" description:"of one action"`
	Mode         bundleMode    `json:"mode,omitempty" description:"of several"`
	Transactions []bundleStep  `json:"transactions,omitempty" description:"of several"`
}

// lookAhead returns the preflight of a new review, including other requests that affect it.
func lookAhead(ctx context.Context, reviews reviews, s record.Session, looked record.Looked) preflight {
	p := preflight{Status: preflightClear, Blockers: []blocker{}, Expected: expectedOf(looked)}
	open, err := relatedTo(ctx, reviews, s)
	if err != nil || !looked.Whole {
		p.Status = preflightUnknown
	}
	for _, b := range looked.Blockers {
		shown := blocker{Check: b.Check, Message: b.Message, Do: b.Do}
		shown.Next = nextOf(ctx, reviews, b.Next)
		p.Blockers = append(p.Blockers, shown)
	}
	for _, o := range open {
		p.Blockers = append(p.Blockers, blocker{Check: record.CheckRelated, Message: fmt.Sprintf("%s %s (%s): %s. %s",
			o.kind(), cmp.Or(o.Session, o.Bundle), strings.TrimSuffix(o.Asked, "."), o.Known, o.Means),
			Do: "Tell the user. They wait for its result, or decide on the page of the new review; no tool can."})
	}
	if len(p.Blockers) > 0 {
		p.Status = preflightBlockers
	}
	return p
}

func expectedOf(looked record.Looked) *expected {
	q := looked.Expected
	if q == nil {
		return nil
	}
	e := &expected{Arrives: q.Expected.String(), FeeMode: q.FeeMode}
	for _, part := range []struct {
		to *string
		of plan.Amount
	}{{&e.Least, q.Minimum}, {&e.Unspent, q.Unspent}, {&e.Fee, q.Fee}} {
		if part.of.Raw > 0 {
			*part.to = part.of.String()
		}
	}
	if m, t := looked.Outlook.Market, looked.Outlook.Trade; m != nil && t != nil {
		e.Market = fmt.Sprintf("%s at %s's mid price", shortOf(t.Expected.Bps), m.Venue)
	}
	return e
}

// shortOf formats a shortfall given in basis points, as in "0.25% less than".
func shortOf(bps int64) string {
	than := "less"
	if bps < 0 {
		bps, than = -bps, "more"
	}
	return fmt.Sprintf("%d.%02d%% %s than", bps/100, bps%100, than)
}

// nextOf returns the call that requests intents in order, or nil if there are none. Several intents
// are requested as one transaction if that is known to work.
func nextOf(ctx context.Context, reviews reviews, intents []plan.Intent) *nextCall {
	switch len(intents) {
	case 0:
		return nil
	case 1:
		in := asGiven(intents[0])
		return &nextCall{Tool: toolPrepare, Arguments: nextArguments{Intent: &in}}
	}
	whole := plan.Intent{Type: plan.Bundle}
	list := make([]bundleStep, 0, len(intents))
	made := 0 // position of the step that creates the manager for later steps; 0 if none
	for i, in := range intents {
		given := asGiven(in)
		step := bundleStep{ID: bookText(strconv.Itoa(i + 1)), Sequence: stepPlace(i), Chain: "Sui", Intent: &given}
		if made > 0 && in.Manager == "" {
			in.ManagerOf, step.Manager = made, bookText(strconv.Itoa(made))
		}
		if in.Type == managerCreate {
			made = i + 1
		}
		whole.Steps, list = append(whole.Steps, in), append(list, step)
	}
	call := &nextCall{Tool: request.Tool, Arguments: nextArguments{Mode: modeSteps, Transactions: list}}
	if s, err := reviews.Read(ctx, whole); err == nil && reviews.Together(ctx, s) == nil {
		call.Arguments.Mode = modeAtomic
	}
	return call
}

// managerCreate is the action that creates a balance manager.
const managerCreate = "manager-create"

// asGiven returns an intent as an argument of a call.
func asGiven(in plan.Intent) actionIntent {
	out := actionIntent{
		Type: actionType(in.Type), MaxSlippageBps: slippageBps(in.MaxSlippageBps), Protocol: protocolSlug(in.Protocol),
		FeeMode: reviewFeeMode(in.FeeMode), Recipient: chainAddress(in.Recipient), Manager: chainAddress(in.Manager),
		Permission: in.Permission, Own: in.Own,
	}
	if in.From.Symbol != "" {
		out.From = &intentFrom{Symbol: coinName(in.From.Symbol), Amount: displayAmount(in.From.Amount), Raw: in.From.Raw}
	}
	if in.To.Symbol != "" {
		out.To = &intentTo{Symbol: coinSymbol(in.To.Symbol), Amount: displayAmount(in.To.Amount)}
	}
	if o := in.Order; o != nil {
		out.Order = &intentOrder{Pool: poolKey(o.Pool), Side: orderSide(o.Side), Price: displayAmount(o.Price),
			Quantity: displayAmount(o.Quantity), ExpiresAt: o.ExpiresAt, PostOnly: o.PostOnly}
	}
	if in.RecipientName != "" {
		out.Recipient, out.RecipientName = "", bookText(in.RecipientName)
	}
	return out
}
