package record

import (
	"math/big"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Done describes one step of an executed review. Only the first step of a transaction has its gas.
type Done struct {
	What    string        `json:"what"`
	Amounts []string      `json:"amounts,omitempty"` // as in "10 SUI left your account"
	Order   string        `json:"orderNumber,omitempty"`
	Where   string        `json:"where,omitempty"`
	Fees    []plan.Amount `json:"fees,omitempty"`
	Gas     *sui.Delta    `json:"gas,omitempty"`
	Out     *plan.Amount  `json:"out,omitempty"` // what arrived in the account, if that is one known coin
}

// termOrder names the number of an order that was placed or is gone.
const termOrder = "Order number"

// Did describes a step according to the receipt; place counts from 0. It returns nil if the review
// did not succeed or has no receipt.
func (s Session) Did(place int) *Done {
	if s.Status != Success || s.Execution == nil || s.Execution.Receipt == nil {
		return nil
	}
	r, result := s.Execution.Receipt, s.Result()
	if s.Facts == nil {
		return &Done{What: result.Title}
	}
	d := &Done{What: result.Title, Where: result.Where}
	if place == 0 {
		gas := r.GasNet
		d.Gas = &gas
	}
	reports, moved := r.Outcome, result.Moved
	switch {
	case place < len(result.Each):
		one := result.Each[place]
		d.What, d.Where, d.Amounts, moved = one.Title, one.Where, one.Amounts, one.Moved
		d.Fees, reports, d.Out = plan.MarketFees(one.Moved, one.Fees), one.Reports, one.Out
	case len(s.Intent.Steps) > 0:
		return d // it did something else than requested; the text describes the whole
	default:
		d.Amounts, d.Fees = ownChanges(promised{s.Facts}, r), plan.MarketFees(result.Moved, result.Fees)
		if rows := s.Facts.Promise().Of(plan.RoleOutput); len(rows) == 1 && rows[0].Party.IsAccount() {
			d.Out = arrived(r, rows[0].Coin)
		}
	}
	for _, m := range moved {
		if m.Why != plan.ForMove || len(s.Intent.Steps) == 0 {
			d.Amounts = append(d.Amounts, m.Text(s.Facts.HolderName()))
		}
	}
	if place < len(s.Facts.Steps) {
		d.Order = numberIn(s.Facts.Steps[place].Terms) // of an order that is canceled, or changed
	}
	for _, t := range reports {
		if t.Name != termOrder && t.Value != "Nothing" {
			d.Amounts = append(d.Amounts, t.Name+": "+t.Value)
		}
	}
	if number := numberIn(reports); number != "" {
		d.Order = number
	}
	return d
}

func numberIn(terms []plan.Term) string {
	for _, t := range terms {
		if t.Name == termOrder {
			return t.Value
		}
	}
	return ""
}

// withoutGas returns a change of the account's coins without what it paid for gas.
func withoutGas(r *Receipt, c sui.BalanceChange) sui.Delta {
	if c.Coin != sui.SUI {
		return c.Amount
	}
	n := c.Amount.Big()
	if d, err := sui.ParseDelta(n.Add(n, r.GasNet.Big()).String()); err == nil {
		return d
	}
	return c.Amount
}

// arrived returns how much of a coin the account received, or nil if none.
func arrived(r *Receipt, coin plan.Asset) *plan.Amount {
	for _, c := range r.BalanceChanges {
		if change := withoutGas(r, c); c.Coin == coin.CoinType && !change.Negative && change.Amount > 0 {
			out := coin.Of(change.Amount)
			return &out
		}
	}
	return nil
}

// promised knows the coins in a review's promise.
type promised struct{ *plan.Facts }

// assetOf returns how a coin is written: as the review had it, else in smallest units.
func (p promised) assetOf(coin sui.CoinType) plan.Asset {
	if coin == sui.SUI {
		return plan.SUI
	}
	for _, b := range p.Promise().Bounds() {
		if b.Coin.CoinType == coin {
			return b.Coin
		}
	}
	return plan.UnreadCoin(coin)
}

// ownChanges describes the account's balance changes without gas.
func ownChanges(f promised, r *Receipt) (list []string) {
	for _, c := range r.BalanceChanges {
		change := withoutGas(r, c)
		if change.Amount == 0 {
			continue
		}
		text := f.assetOf(c.Coin).Of(change.Amount).String()
		if change.Negative {
			list = append(list, text+" left your account")
		} else {
			list = append(list, text+" arrived in your account")
		}
	}
	return list
}

// StepDone describes one step. Digest and status are those of its transaction.
type StepDone struct {
	ID      string   `json:"id,omitempty"` // of a step of a bundle
	What    string   `json:"what"`
	Amounts []string `json:"amounts"`
	Order   string   `json:"order_number,omitempty"`
	Where   string   `json:"where,omitempty"`
	Market  []string `json:"market_fees,omitempty"`
	TxHash  string   `json:"tx_hash"`
	Status  string   `json:"status"`
}

// Fees is what the confirmed steps cost together. Market lists fees that venues report; one that is
// part of a price is not among them. Total adds both up by coin; it is empty if there is only gas.
type Fees struct {
	Gas    string   `json:"gas"`
	Market []string `json:"market"`
	Total  []string `json:"total_cost,omitempty"`
}

// Shown returns the entry of a result. digest and status are those of the transaction.
func (d *Done) Shown(digest, status string) StepDone {
	out := StepDone{What: d.What, Amounts: append([]string{}, d.Amounts...), Order: d.Order, Where: d.Where,
		TxHash: digest, Status: status}
	for _, f := range d.Fees {
		out.Market = append(out.Market, f.String())
	}
	return out
}

// FeesOf sums the costs of steps, or returns nil if there are none.
func FeesOf(steps []*Done) *Fees {
	if len(steps) == 0 {
		return nil
	}
	gas, market := new(big.Int), map[sui.CoinType]*big.Int{}
	var paid []plan.Asset
	for _, d := range steps {
		if d.Gas != nil {
			gas.Add(gas, d.Gas.Big())
		}
		for _, f := range d.Fees {
			if market[f.CoinType] == nil {
				market[f.CoinType], paid = new(big.Int), append(paid, f.Asset)
			}
			market[f.CoinType].Add(market[f.CoinType], plan.BigInt(f.Raw))
		}
	}
	total := &Fees{Gas: plan.SignedText(gas.String(), plan.SUI), Market: []string{}}
	rest := gas.Sign() != 0 // of the gas, to be named in the total
	for _, coin := range paid {
		n := market[coin.CoinType]
		total.Market = append(total.Market, plan.SignedText(n.String(), coin))
		if coin.CoinType == sui.SUI {
			n, rest = n.Add(n, gas), false
		}
		total.Total = append(total.Total, plan.SignedText(n.String(), coin))
	}
	if total.Total != nil && rest {
		total.Total = append([]string{total.Gas}, total.Total...)
	}
	return total
}

// Done describes every step of a successful review, or returns nil for any other.
func (s Session) Done() (steps []StepDone, total *Fees) {
	var all []*Done
	for i := range s.Intent.Each() {
		d := s.Did(i)
		if d == nil {
			return nil, nil
		}
		all, steps = append(all, d), append(steps, d.Shown(s.Execution.TxDigest, string(stageConfirmed)))
	}
	return steps, FeesOf(all)
}
