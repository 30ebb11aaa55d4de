package handoff

import (
	"fmt"
	"math/big"
	"time"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// receiptOf compares the executed transaction with what the released bytes promised.
func receiptOf(s record.Session, rel record.Release, e sui.Executed, t executionReport, now time.Time) *record.Receipt {
	r := &record.Receipt{
		TxDigest: e.Digest.String(), Sender: e.Sender, OK: e.Status.OK, Epoch: e.Epoch, Checkpoint: e.Checkpoint,
		Timestamp: e.Timestamp, Made: t.made, Gas: e.Gas, GasNet: e.Gas.Net(), FetchedAt: now,
		BalanceChanges: []sui.BalanceChange{},
	}
	if !e.Status.OK {
		r.FailureKind, r.Abort = plan.SafeName(e.Status.Kind), e.Status.Abort
		r.Why = whyFailed(e.Status, t.aborted, rel.Facts)
	}
	for _, c := range e.Balances {
		if c.Owner == s.Account {
			r.BalanceChanges = append(r.BalanceChanges, c)
		}
	}
	seen := plan.Observe(s.Account, e.Effects, t.changes...)
	happened := rel.Facts.Promise().Happened(seen)
	r.Promises, r.Outcome = append(results(rel.Facts, seen, happened), t.Results()...), t.Said
	if e.Status.OK {
		done := plan.ResultOf(rel.Facts, happened, t.done, t.each)
		done.Holds = append(done.Holds, t.after...)
		done.Settle(t.made)
		r.Result = &done
	}
	return r
}

// results compares effects with the facts that were shown, row by row. A row is kept if any
// promised outcome happened, including a promised failure.
func results(f plan.Facts, seen plan.Observed, happened plan.Compared) (list []record.PromiseResult) {
	p := f.Promise()
	otherwise := "nothing happens"
	if len(p.Outcomes) > 1 {
		otherwise = p.Outcomes[1].Name
	}
	counts := map[string]int{}
	for i, l := range happened.Lines {
		asked := p.Bounds()[i]
		if !l.Observed || l.Party.IsObject() {
			continue
		}
		id, label, promised := words(asked, otherwise)
		if counts[id]++; counts[id] > 1 {
			id = fmt.Sprintf("%s_%d", id, counts[id])
		}
		change := l.Change
		if asked.Most != nil && asked.Most.Sign() <= 0 {
			change = new(big.Int).Neg(change)
		}
		list = append(list, record.PromiseResult{ID: id, Label: label, Promised: promised,
			Actual: plan.SignedText(change.String(), l.Coin), Kept: l.Within})
	}
	others, loss := "nobody", "nothing"
	if happened.Others {
		others = "another address gained"
	}
	if happened.Lost != "" {
		loss = string(happened.Lost)
	}
	return append(list, []record.PromiseResult{
		{ID: "gas_within_budget", Label: "Gas", Promised: "at most " + plan.SUI.Of(f.Gas.Budget).String(),
			Actual: plan.SignedText(seen.Gas.String(), plan.SUI), Kept: seen.Gas.Cmp(plan.BigInt(f.Gas.Budget)) <= 0},
		{ID: "nothing_else_lost", Label: "Nothing else leaves", Promised: "nothing", Actual: loss, Kept: happened.Lost == ""},
		{ID: "nobody_else_gained", Label: "Nobody else gains", Promised: "nobody", Actual: others, Kept: !happened.Others},
	}...)
}

// words returns the id and label of a receipt's row and the text of its promise. otherwise
// describes the other promised outcome.
func words(b plan.Bound, otherwise string) (id, label, promised string) {
	amount := b.Amount().String()
	switch b.Role {
	case plan.RoleInput:
		return "spent_at_most", "Leaves at most", amount
	case plan.RoleFee:
		return "fee_at_most", "Fee", "at most " + amount
	case plan.RolePayment:
		if !b.Exact() {
			amount = "at least " + amount
		}
		return "recipient_gained", "The recipient gets it, or nothing happens", amount
	case plan.RoleOutput:
		return "minimum_arrived", "Arrives, or " + otherwise, "at least " + amount
	}
	least, most := "any amount", "any amount"
	if b.Least != nil {
		least = plan.SignedText(b.Least.String(), b.Coin)
	}
	if b.Most != nil {
		most = plan.SignedText(b.Most.String(), b.Coin)
	}
	if b.Role == plan.RoleReturn {
		return "unused_returned", "What was not used comes back", "from " + least + " to " + most
	}
	return "net_change", "Changes in sum", "from " + least + " to " + most
}
