package web

import (
	"fmt"
	"strings"

	"github.com/sayurintent/sayurintent/review/plan"
	"github.com/sayurintent/sayurintent/review/record"
)

// receiptView is what happened on chain, beside what was promised.
type receiptView struct {
	Arrived  *amount // nil when nothing arrived
	Word     string  // Arrived, or what else became of it
	To       string  // address of somebody else who got it
	Happened []line  // what the chain made of it besides amounts
	Promises []record.PromiseResult
	Changes  []line
	Lines    []line
}

func (l look) receipt(x *record.Execution) *receiptView {
	r := x.Receipt
	out := &receiptView{}
	for _, p := range r.Promises {
		p.Label, p.Promised, p.Actual = whole(p.Label), figure(whole(p.Promised)), whole(p.Actual)
		if word := l.became(p.ID); word != "" && r.OK {
			if number, symbol, ok := cutFigure(p.Actual); ok {
				out.Arrived, out.Word = &amount{number, symbol}, word
			}
		}
		p.Actual = figure(p.Actual)
		out.Promises = append(out.Promises, p)
	}
	if f := l.Session.Facts; f != nil && out.Arrived != nil && f.Recipient() != l.Session.Account {
		out.To = f.Recipient().String()
	}
	for _, t := range r.Outcome {
		out.Happened = append(out.Happened, termLine(t))
	}
	known := l.assets()
	for _, c := range r.BalanceChanges {
		asset, ok := known[c.Coin]
		if !ok {
			// Without known decimals only the raw number is a fact.
			asset = plan.Asset{Symbol: "raw units of " + tail(string(c.Coin)), CoinType: c.Coin, Foreign: true}
		}
		out.Changes = append(out.Changes, line{Name: whole(asset.Symbol), Value: deltaOf(c.Amount, asset), Note: whichCoin(asset)})
	}
	out.Lines = []line{{Name: "Gas paid", Value: gas(r.GasNet)}, {Name: "Sender", Address: r.Sender.String()}}
	if r.FailureKind != "" {
		out.Lines = append(out.Lines, line{Name: "The chain says", Value: whole(r.FailureKind)})
	}
	if r.Checkpoint != nil {
		out.Lines = append(out.Lines, line{Name: "Checkpoint", Value: spaced(fmt.Sprint(*r.Checkpoint)), Note: at(r.Timestamp)})
	}
	return out
}

// became says what became of the amount of a promise that is put in front, "" for
// the others.
func (l look) became(promise string) string {
	f := l.Session.Facts
	switch {
	case promise == "minimum_arrived":
		return "Arrived"
	case promise == "recipient_gained":
		return "Sent"
	case promise == "spent_at_most" && f != nil && len(f.Steps) == 1 && f.Steps[0].Holder != nil && len(f.Promise().Of(plan.RoleOutput)) == 0:
		return "Put " + strings.Replace(whole(f.Steps[0].Holder.Part), " own ", " ", 1)
	}
	return ""
}
