package tools

import (
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/account/activity"
	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Rows about past transactions. In a summary, fact rows contain the effect on the account, and
// transaction rows only a reference to the details.

// factRow describes what a transaction did to the account. With full detail it has the fields of
// activity.Fact.
type factRow struct {
	Digest        sui.Digest               `json:"digest" description:"transaction digest"`
	What          string                   `json:"what" description:"effect on the account, in words"`
	Status        sui.PastStatus           `json:"status" description:"success, failure or unknown"`
	At            *time.Time               `json:"timestamp,omitempty" description:"the chain's time, UTC"`
	Effect        shownEffect              `json:"requestedAccountEffect" description:"effect on the account"`
	Checkpoint    *uint64                  `json:"checkpoint,omitempty,string" description:"its checkpoint"`
	Role          activity.Role            `json:"role,omitempty" description:"how the account took part"`
	Evidence      activity.BalanceEvidence `json:"accountBalanceChangeEvidence,omitempty" description:"what the changes prove"`
	Completeness  activity.Completeness    `json:"balanceChangeCompleteness,omitempty" description:"how many changes there are"`
	AbsenceProven *bool                    `json:"accountBalanceChangeAbsenceProven,omitempty" description:"a flag, no amount"`
	Inference     activity.Inference       `json:"accountBalanceChangeInferencePolicy,omitempty" description:"what may be concluded"`
	Balances      []activity.Balance       `json:"accountBalanceChanges,omitzero" description:"raw changes"`
	Context       *activity.Context        `json:"transactionContext,omitempty" description:"the transaction as a whole"`
	Lookup        *activity.Lookup         `json:"detailLookup,omitempty" description:"where details are"`
}

// shownEffect is an activity.Effect with sums in display form.
type shownEffect struct {
	Changes       []string                 `json:"changes" description:"sum for each coin, gas included; coins that are not pinned in smallest units"`
	Role          activity.Role            `json:"role" description:"sender, or affected_only"`
	Completeness  activity.Completeness    `json:"balanceChangeCompleteness" description:"complete, or unknown in part"`
	Inference     activity.Inference       `json:"accountBalanceChangeInferencePolicy" description:"what may be concluded"`
	Limitations   []string                 `json:"limitations,omitzero" description:"what limits it"`
	Scope         string                   `json:"scope,omitempty" description:"requested_account"`
	Evidence      activity.BalanceEvidence `json:"balanceChangeEvidence,omitempty" description:"what the changes prove"`
	AbsenceProven *bool                    `json:"accountBalanceChangeAbsenceProven,omitempty" description:"a flag, no amount"`
	Balances      []activity.Balance       `json:"balanceChanges,omitzero" description:"raw changes"`
	Flows         []activity.Flow          `json:"coinFlows,omitzero" description:"raw sums"`
}

// transactionRow describes a transaction. With full detail it has the fields of activity.Row.
type transactionRow struct {
	Digest     sui.Digest        `json:"digest" description:"transaction digest"`
	What       string            `json:"what" description:"effect on the account, in words"`
	Lookup     activity.Lookup   `json:"detailLookup" description:"where details are"`
	Status     sui.PastStatus    `json:"status,omitempty" description:"success, failure or unknown"`
	Sender     *sui.Address      `json:"sender,omitempty" description:"who sent it"`
	Checkpoint *uint64           `json:"checkpoint,omitempty,string" description:"its checkpoint"`
	At         *time.Time        `json:"timestamp,omitempty" description:"the chain's time, UTC"`
	Effect     *shownEffect      `json:"requestedAccountEffect,omitempty" description:"effect on the account"`
	Context    *activity.Context `json:"transactionContext,omitempty" description:"the transaction as a whole"`
}

func showEffect(e activity.Effect, detail detailLevel) shownEffect {
	out := shownEffect{Changes: flowTexts(e.Flows), Role: e.Role, Completeness: e.Completeness, Inference: e.Inference}
	if detail == detailFull || len(e.Limitations) > 0 {
		out.Limitations = e.Limitations
	}
	if detail == detailFull {
		absent := e.AbsenceProven
		out.Scope, out.Evidence, out.AbsenceProven, out.Balances, out.Flows = e.Scope, e.Evidence, &absent, e.Balances,
			e.Flows
	}
	return out
}

func showFact(f activity.Fact, what string, detail detailLevel) factRow {
	out := factRow{Digest: f.Digest, What: what, Status: f.Status, At: f.At, Effect: showEffect(f.Effect, detail)}
	if detail == detailFull {
		absent, lookup := f.AbsenceProven, f.Lookup
		out.Checkpoint, out.Role, out.Evidence, out.Completeness = f.Checkpoint, f.Role, f.Evidence, f.Completeness
		out.AbsenceProven, out.Inference, out.Balances, out.Context, out.Lookup = &absent, f.Inference, f.Balances, f.Context,
			&lookup
	}
	return out
}

func showRow(r activity.Row, what string, detail detailLevel) transactionRow {
	out := transactionRow{Digest: r.Digest, What: what, Lookup: r.Lookup}
	if detail == detailFull {
		effect := showEffect(r.Effect, detail)
		out.Status, out.Sender, out.Checkpoint, out.At, out.Effect, out.Context = r.Status, r.Sender, r.Checkpoint, r.At,
			&effect, r.Context
	}
	return out
}

// flowTexts returns each coin's sum, as in "-9.9 SUI".
func flowTexts(flows []activity.Flow) []string {
	out := []string{}
	for _, f := range flows {
		if n, ok := new(big.Int).SetString(f.Net, 10); ok {
			sign := "+"
			if n.Sign() < 0 {
				sign = "-"
			}
			out = append(out, sign+coinText(n, f.Coin))
		}
	}
	return out
}

// coinText returns an amount without its sign: with the symbol of a pinned coin, otherwise in the
// smallest units of its type.
func coinText(n *big.Int, of sui.CoinType) string {
	amount := new(big.Int).Abs(n)
	c, ok := coins.ByType(of)
	if !ok || !amount.IsUint64() {
		return amount.String() + " smallest units of " + string(of)
	}
	return string(sui.Raw(amount.Uint64()).Decimal(c.Decimals)) + " " + c.Symbol
}

// feesPaid is what an account paid for its transactions, in display form.
type feesPaid struct {
	Gas     string   `json:"gas" description:"net gas of the account, in SUI"`
	Market  []string `json:"market" description:"fees that the venues' events report; excludes fees included in a price"`
	Total   []string `json:"totalCost,omitempty" description:"total of gas and market fees, by coin"`
	Unknown int      `json:"unknownRowCount,omitempty" description:"sent transactions whose gas or events are not known"`
}

func showFees(f activity.Fees) feesPaid {
	out := feesPaid{Gas: "0 SUI", Market: []string{}, Unknown: f.Unknown}
	gas := new(big.Int)
	for _, flow := range f.Gas() {
		if n, ok := new(big.Int).SetString(flow.Net, 10); ok {
			gas, out.Gas = n, costText(n, flow.Coin)
		}
	}
	rest := gas.Sign() != 0 // whether the gas in SUI still has to be added to the total
	for _, flow := range f.Market() {
		n, ok := new(big.Int).SetString(flow.Increase, 10)
		if !ok {
			continue
		}
		out.Market = append(out.Market, coinText(n, flow.Coin))
		if flow.Coin == sui.SUI {
			n, rest = n.Add(n, gas), false
		}
		out.Total = append(out.Total, costText(n, flow.Coin))
	}
	if out.Total != nil && rest {
		out.Total = append([]string{out.Gas}, out.Total...)
	}
	return out
}

// costText formats an amount that was paid. A negative amount is a refund.
func costText(n *big.Int, of sui.CoinType) string {
	if n.Sign() < 0 {
		return "-" + coinText(n, of)
	}
	return coinText(n, of)
}

// whatOf describes what a transaction did to an account, based on changes of its coins, recipients,
// called functions and events of orders. other is the counterparty, or nil. Changes in SUI are
// given without gas if it is known how much gas the account paid.
func whatOf(status sui.PastStatus, e activity.Effect, c *activity.Context, other *sui.Address, name called) string {
	switch {
	case status == sui.PastFailed && e.Role == activity.RoleSender:
		return "failed; only gas was paid"
	case status == sui.PastFailed:
		return "failed; nothing changed"
	case status != sui.PastSuccess || e.Inference == activity.DoNotInfer:
		return "changes are not known completely"
	}
	out, in, gas := sides(e)
	w := wording{out: out, in: in, sent: e.Role == activity.RoleSender, actions: e.Report.Actions,
		gains: gainsText(e.Gains, out, name)}
	if other != nil {
		w.from = name(*other)
	}
	w.where = arrivedIn(e)
	if c != nil {
		for _, m := range c.Matches {
			if m.Action != sui.ActionUnknown && w.action == "" {
				w.action, w.venue = m.Action, m.Name
			}
		}
		for _, call := range c.Calls {
			if !slices.Contains(sends, call.What) {
				w.calls = append(w.calls, call.What)
			}
		}
	}
	return w.text() + gas
}

// sends lists framework functions that only transfer coins or objects.
var sends = []string{framework + "::transfer::public_transfer", framework + "::coin::send_funds", framework +
	"::balance::send_funds"}

var framework = sui.MustAddress("0x2").String()

// sides lists the coins that left the account and those that arrived. If gas cannot be separated
// from the amounts, gas is a note that says so.
func sides(e activity.Effect) (out, in, gas string) {
	var left, came []string
	for _, f := range e.Flows {
		n, ok := new(big.Int).SetString(f.Net, 10)
		if !ok {
			continue
		}
		if f.Coin == sui.SUI && e.Role == activity.RoleSender {
			if e.GasPaid != nil {
				n.Add(n, e.GasPaid.Big())
			} else {
				gas = " (gas included)"
			}
		}
		switch n.Sign() {
		case -1:
			left = append(left, coinText(n, f.Coin))
		case 1:
			came = append(came, coinText(n, f.Coin))
		}
	}
	return strings.Join(left, " and "), strings.Join(came, " and "), gas
}

// arrivedIn returns a phrase if everything that arrived is in the address balance, which older
// wallets do not display. Otherwise it returns "".
func arrivedIn(e activity.Effect) string {
	came := 0
	for _, f := range e.Flows {
		if !strings.HasPrefix(f.Net, "-") && f.Net != "0" {
			//mutant:never ./tools TestActivityNames
			if came++; !slices.Contains(e.Funds, f.Coin) {
				return ""
			}
		}
	}
	if came == 0 {
		return ""
	}
	return " in the address balance"
}

// wording holds the parts of a description.
type wording struct {
	out, in string
	where   string // phrase about where arrived amounts are held, or ""
	sent    bool
	action  sui.ActionKind
	venue   string
	calls   []string // package::module::function
	actions []string // what the protocols' events report
	gains   string   // recipients and amounts
	from    string   // the sender's name in the address book
}

// text describes the coins that moved, followed by what the events report.
func (w wording) text() string {
	actions := strings.Join(w.actions, "; ")
	switch {
	case actions == "":
		return w.moved()
	case w.out == "" && w.in == "":
		return actions + w.at()
	}
	return w.moved() + "; " + actions
}

// at returns a phrase that names the venue, or "".
func (w wording) at() string {
	if w.venue == "" {
		return ""
	}
	return " at " + w.venue
}

func (w wording) moved() string {
	switch {
	case w.action == sui.ActionSwap && w.out != "" && w.in != "":
		return "swapped " + w.out + " for " + w.in
	case w.action == sui.ActionCustody && w.out != "" && w.in == "":
		return "put " + w.out + " into " + w.venue + w.gains
	case w.action == sui.ActionCustody && w.in != "" && w.out == "":
		return "took " + w.in + " out of " + w.venue
	case w.action == sui.ActionOrder && w.out == "" && w.in == "":
		return w.order() + w.at()
	case w.out != "" && w.in != "":
		return w.out + " left, " + w.in + " arrived" + w.gains
	case w.out != "" && w.sent && len(w.calls) == 0:
		return "sent " + w.out + w.gains
	case w.out != "":
		return w.out + " left" + w.gains
	case w.in != "" && !w.sent && w.from != "":
		return "received " + w.in + w.where + " from " + w.from
	case w.in != "" && !w.sent:
		return "received " + w.in + w.where
	case w.in != "":
		return w.in + " arrived" + w.where
	case !w.sent:
		return "the account took part, but its coins did not change"
	case len(w.calls) > 0:
		last := strings.SplitN(w.calls[0], "::", 2)
		return "called " + last[len(last)-1] + "; no coins moved"
	}
	return "no coins moved"
}

// order describes what happened to an order, based on the called functions. An order that is
// canceled and placed again in one transaction counts as changed.
func (w wording) order() string {
	called := func(verb string) bool {
		return slices.ContainsFunc(w.calls, func(call string) bool { return strings.Contains(call, verb) })
	}
	placed, cancelled := called("::place_"), called("::cancel_")
	switch {
	case called("::modify_"), placed && cancelled:
		return "changed an order"
	case placed:
		return "placed an order"
	case cancelled:
		return "cancelled an order"
	}
	return "did something to an order"
}
