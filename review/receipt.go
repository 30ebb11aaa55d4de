package review

import (
	"time"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// receiptOf sets what the chain says beside what the released bytes promised.
func receiptOf(s Session, rel Release, e sui.Executed, t testimony, now time.Time) *Receipt {
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
	r.Promises, r.Outcome = append(promises(s.Account, rel.Facts, e.Effects), t.kept()...), t.said
	return r
}

// promises judges effects against the facts that were shown. When the
// transaction failed, the minimum is kept if nothing was spent either.
func promises(account sui.Address, f Facts, e sui.Effects) []Promise {
	v := judgeEffects(account, f, e)
	minimum := f.Minimum
	arrived := v.gained.Cmp(number(minimum.Raw)) >= 0
	untouched := v.gained.Sign() == 0 && v.spent.Sign() <= 0
	others := "nobody"
	if v.otherGain {
		others = "another address gained"
	}
	loss := "nothing"
	if v.otherLoss != "" {
		loss = string(v.otherLoss)
	}
	var list []Promise
	if minimum.CoinType != "" {
		label := "Arrives, or nothing is swapped"
		if len(f.Spends) == 0 {
			label = "Arrives, or nothing happens"
		}
		list = append(list, Promise{ID: "minimum_arrived", Label: label, Promised: "at least " + minimum.String(),
			Actual: shown(v.gained.String(), minimum.Asset), Kept: arrived || untouched})
	}
	if len(f.Spends) > 0 {
		spend := f.Spends[0]
		list = append(list, Promise{ID: "spent_at_most", Label: "Leaves at most", Promised: spend.String(),
			Actual: shown(v.spent.String(), spend.Asset), Kept: v.spent.Cmp(number(spend.Raw)) <= 0})
		if f.pays() {
			list = append(list, Promise{ID: "recipient_gained", Label: "The recipient gets it, or nothing happens", Promised: spend.String(),
				Actual: shown(v.paid.String(), spend.Asset), Kept: v.paid.Cmp(number(spend.Raw)) == 0 || v.paid.Sign() == 0 && v.spent.Sign() <= 0})
		}
	}
	if len(f.Spends) > 1 {
		fee := f.Spends[1]
		list = append(list, Promise{ID: "fee_at_most", Label: "Fee", Promised: "at most " + fee.String(),
			Actual: shown(v.fee.String(), fee.Asset), Kept: v.fee.Cmp(number(fee.Raw)) <= 0})
	}
	return append(list, []Promise{
		{ID: "gas_within_budget", Label: "Gas", Promised: "at most " + suiAsset.Of(f.Gas.Budget).String(),
			Actual: shown(v.gas.String(), suiAsset), Kept: v.gas.Cmp(number(f.Gas.Budget)) <= 0},
		{ID: "nothing_else_lost", Label: "Nothing else leaves", Promised: "nothing", Actual: loss, Kept: v.otherLoss == ""},
		{ID: "nobody_else_gained", Label: "Nobody else gains", Promised: "nobody", Actual: others, Kept: !v.otherGain},
	}...)
}

// shown gives a signed raw number of an asset as exact display text.
func shown(raw string, a Asset) string {
	d, err := sui.ParseDelta(raw)
	if err != nil {
		return raw + " raw units of " + a.Symbol
	}
	return d.Decimal(a.Decimals) + " " + a.Symbol
}
