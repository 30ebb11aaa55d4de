package balancemanager

import (
	"slices"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/managed"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/readback"
)

// Read implements plan.Adapter. It accepts any number of collections from different markets, followed
// by a withdrawal.
func (*Everything) Read(r *readback.Reader) (plan.StepFacts, error) {
	var keys, commands []string
	var trades []managed.Trade
	for managed.Trades(r, collect) {
		t, err := managed.ReadTrade(r, collect, 0)
		if err != nil {
			return plan.StepFacts{}, err
		}
		if slices.Contains(keys, t.Pool.Key) {
			return plan.StepFacts{}, readback.Unlike("It collects from one market twice.")
		}
		trades, keys = append(trades, t), append(keys, t.Pool.Key)
		commands = append(commands, "Prove that you own the balance manager.",
			"Collect into it what its orders earned in "+t.Pool.Key+".")
		r.Again() // later calls use the same manager
	}
	f, err := readWithdrawals(r)
	if err != nil {
		return plan.StepFacts{}, err
	}
	if plan.MadeAs(f.Holder.ID) > 0 {
		return plan.StepFacts{}, readback.Unlike("It withdraws everything from a balance manager that an earlier step " +
			"creates.")
	}
	for _, t := range trades {
		//mutant:never ./internal/protocol/deepbook/managed TestWithdrawAll/of two managers
		if t.Manager != f.RouteID || t.Call.Package != f.Package {
			return plan.StepFacts{}, readback.Unlike("It collects into a different manager than the one that it withdraws from.")
		}
	}
	f.Terms = allTerms(f.RouteID, f.Promise.Amounts(plan.RoleOutput), keys)
	f.Commands = append(commands, f.Commands...)
	return f, nil
}

// readWithdrawals reads the withdrawal of one coin, or of several coins that are sent together.
// Withdrawals with separate transfers are separate steps.
func readWithdrawals(r *readback.Reader) (plan.StepFacts, error) {
	var values []sui.Argument
	next := r.Ahead(r.Left())
	for _, c := range next {
		call, ok := c.(sui.MoveCall)
		if !ok || call.Module != managed.Module || call.Function != withdraw {
			break
		}
		values = append(values, sui.ResultArg(r.At()+len(values)))
	}
	sent, ok := sui.TransferObjects{}, false
	if n := len(values); n > 1 && n < len(next) {
		sent, ok = next[n].(sui.TransferObjects)
	}
	if !ok || len(sent.Objects) < 2 {
		return readWithdraw(r)
	}
	var all plan.StepFacts
	var rows []plan.Bound
	for n := range values {
		out, f, err := readOut(r)
		if err != nil {
			return plan.StepFacts{}, err
		}
		if n == 0 {
			all = f // including the first call's type arguments
		}
		again := func(b plan.Bound) bool { return b.Coin == out.Asset }
		//mutant:never ./internal/protocol/deepbook/managed TestWithdrawEveryCoin/of two managers
		if f.RouteID != all.RouteID || f.Package != all.Package || slices.ContainsFunc(rows, again) {
			return plan.StepFacts{}, readback.Unlike("It does not withdraw each coin from one manager once.")
		}
		rows, all.Commands = append(rows, f.Promise.Bounds()...), append(all.Commands, takes(out))
		r.Again() // later calls use the same manager
	}
	all.Promise.Outcomes[0].Bounds = rows
	to, err := r.Sent(values...)
	all.Sends, all.Commands = to, append(all.Commands, "Send all of it to "+to.String()+".")
	return all, err
}

// FromEvents implements plan.Adapter. It reports the amounts that each manager paid.
func (*Everything) FromEvents(account sui.Address, events []sui.Event) (plan.Reported, error) {
	return managed.MovesFromEvents(events, account, false, true)
}
