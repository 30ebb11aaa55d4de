package review

import (
	"fmt"
	"math/big"
	"time"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// receiptOf sets what the chain says beside what the released bytes promised.
func receiptOf(s Session, rel Release, e sui.Executed, t executionReport, now time.Time) *Receipt {
	r := &Receipt{
		TxDigest: e.Digest.String(), Sender: e.Sender, OK: e.Status.OK, Epoch: e.Epoch, Checkpoint: e.Checkpoint,
		Timestamp: e.Timestamp, Gas: e.Gas, GasNet: e.Gas.Net(), FetchedAt: now, BalanceChanges: []sui.BalanceChange{},
	}
	if !e.Status.OK {
		r.FailureKind = identifier(e.Status.Kind)
	}
	for _, c := range e.Balances {
		if c.Owner == s.Account {
			r.BalanceChanges = append(r.BalanceChanges, c)
		}
	}
	r.Promises, r.Outcome = append(results(s.Account, rel.Facts, e.Effects, t.changes), t.results()...), t.said
	return r
}

// results judges effects against the facts that were shown, row by row: each is
// kept where any outcome that was promised happened, a failure included.
func results(account sui.Address, f Facts, e sui.Effects, changes []Change) (list []PromiseResult) {
	p := f.Promise()
	seen := Observe(account, e, changes...)
	happened := p.Happened(seen)
	otherwise := "nothing happens"
	if len(p.Outcomes) > 1 {
		otherwise = p.Outcomes[1].Name
	}
	counts := map[string]int{}
	for i, l := range happened.Lines {
		asked := p.Bounds()[i]
		if !l.Observed || l.Party.Object {
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
		list = append(list, PromiseResult{ID: id, Label: label, Promised: promised, Actual: shown(change.String(), l.Coin), Kept: l.Within})
	}
	others, loss := "nobody", "nothing"
	if happened.Others {
		others = "another address gained"
	}
	if happened.Lost != "" {
		loss = string(happened.Lost)
	}
	return append(list, []PromiseResult{
		{ID: "gas_within_budget", Label: "Gas", Promised: "at most " + suiAsset.Of(f.Gas.Budget).String(),
			Actual: shown(seen.gas.String(), suiAsset), Kept: seen.gas.Cmp(number(f.Gas.Budget)) <= 0},
		{ID: "nothing_else_lost", Label: "Nothing else leaves", Promised: "nothing", Actual: loss, Kept: happened.Lost == ""},
		{ID: "nobody_else_gained", Label: "Nobody else gains", Promised: "nobody", Actual: others, Kept: !happened.Others},
	}...)
}

// words names a row of a receipt and says what was promised of it. otherwise is
// what may happen instead.
func words(b Bound, otherwise string) (id, label, promised string) {
	amount := b.Amount().String()
	switch b.Role {
	case RoleInput:
		return "spent_at_most", "Leaves at most", amount
	case RoleFee:
		return "fee_at_most", "Fee", "at most " + amount
	case RolePayment:
		return "recipient_gained", "The recipient gets it, or nothing happens", amount
	case RoleOutput:
		return "minimum_arrived", "Arrives, or " + otherwise, "at least " + amount
	}
	least, most := "any amount", "any amount"
	if b.Least != nil {
		least = shown(b.Least.String(), b.Coin)
	}
	if b.Most != nil {
		most = shown(b.Most.String(), b.Coin)
	}
	return "net_change", "Changes in sum", "from " + least + " to " + most
}

// shown writes a signed raw number of an asset as exact display text.
func shown(raw string, a Asset) string {
	d, err := sui.ParseDelta(raw)
	if err != nil {
		return raw + " raw units of " + a.Symbol
	}
	return d.Decimal(a.Decimals) + " " + a.Symbol
}
