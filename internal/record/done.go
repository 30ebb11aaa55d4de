package record

import (
	"math/big"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Done describes one step of an executed review. Gas is set only for the first step of a
// transaction.
type Done struct {
	What    string        `json:"what"`
	Amounts []string      `json:"amounts,omitempty"` // as in "10 SUI left your account"
	Order   string        `json:"orderNumber,omitempty"`
	Where   string        `json:"where,omitempty"`
	Fees    []plan.Amount `json:"fees,omitempty"`
	Gas     *sui.Delta    `json:"gas,omitempty"`
	Out     *plan.Amount  `json:"out,omitempty"` // what arrived in the account, if that is one known coin
}

// termOrder is the name of the term with the number of an order that was placed or removed.
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
		d.Amounts, d.Fees = ownChanges(s.Facts, r), plan.MarketFees(result.Moved, result.Fees)
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
		d.Order = numberIn(s.Facts.Steps[place].Terms) // number of a canceled or changed order
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

// withoutGas returns a change in the account's coins, excluding what the account paid for gas.
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

// coinOf returns a coin's asset as the review had it, or one that counts smallest units.
func coinOf(f *plan.Facts, coin sui.CoinType) plan.Asset {
	if coin == sui.SUI {
		return plan.SUI
	}
	for _, b := range f.Promise().Bounds() {
		if b.Coin.CoinType == coin {
			return b.Coin
		}
	}
	return plan.UnreadCoin(coin)
}

// ownChanges describes the account's balance changes, excluding gas.
func ownChanges(f *plan.Facts, r *Receipt) (list []string) {
	for _, c := range r.BalanceChanges {
		change := withoutGas(r, c)
		if change.Amount == 0 {
			continue
		}
		text := coinOf(f, c.Coin).Of(change.Amount).String()
		if change.Negative {
			list = append(list, text+" left your account")
		} else {
			list = append(list, text+" arrived in your account")
		}
	}
	return list
}

// StepDone is the JSON form of a Done. TxHash and Status are those of its transaction.
type StepDone struct {
	ID      string   `json:"id,omitempty"` // id of the step in a bundle
	What    string   `json:"what"`
	Amounts []string `json:"amounts"`
	Order   string   `json:"order_number,omitempty"`
	Where   string   `json:"where,omitempty"`
	Market  []string `json:"market_fees,omitempty"`
	TxHash  string   `json:"tx_hash"`
	Status  string   `json:"status"`
}

// Fees is the total cost of the confirmed steps. Market lists fees that venues report separately
// from the price. Total adds gas and market fees by coin; it is empty if there is only gas.
type Fees struct {
	Gas    string   `json:"gas"`
	Market []string `json:"market"`
	Total  []string `json:"total_cost,omitempty"`
}

// Shown returns the JSON form of d. digest and status are those of the transaction.
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
	rest := gas.Sign() != 0 // whether gas still has to be added to the total
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

// Done describes every step of a successful review. It returns nil for any other review.
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
