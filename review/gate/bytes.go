package gate

import (
	"context"
	"slices"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/readback"
)

// framework reports whether a package is part of the chain's framework: Move's library or Sui's.
func framework(id sui.ObjectID) bool {
	return id == sui.ObjectID{31: 1} || id == sui.ObjectID{31: 2}
}

// mismatch returns the stop for bytes that break a rule.
func mismatch(reason plan.Reason, rule plan.RuleID, what string) *plan.Stop {
	return &plan.Stop{Reason: reason, Check: plan.Fail(plan.SourceAdapter, checkBytes, "Built bytes",
		"The built transaction differs from the request: "+what+".",
		"This is a fault of Say Ur Intent; please report it.").Under(rule)}
}

// inspect checks the decoded bytes by the rules that apply to every adapter. It runs before the
// adapter reads them, so that a faulty adapter cannot hide a violation.
func (r *decoded) inspect() *plan.Stop {
	for _, in := range r.tx.Inputs {
		s, ok := in.(sui.SharedInput)
		if ok && s.Mutable && !slices.ContainsFunc(r.shares(), func(o plan.SharedObject) bool { return o.ID == s.ID }) {
			return mismatch(plan.AllowlistViolation, "C14",
				"it could change the shared object "+s.ID.String()+", which is only to be read")
		}
	}
	for _, c := range r.tx.Commands {
		if stop := r.inspectCommand(c); stop != nil {
			return stop
		}
	}
	return nil
}

func (r *decoded) inspectCommand(c sui.Command) *plan.Stop {
	given := func(args []sui.Argument) *plan.Stop {
		if slices.Contains(args, sui.GasCoin) {
			return mismatch(plan.AllowlistViolation, "C09", "it gives the coin that pays for gas away")
		}
		return nil
	}
	switch c := c.(type) {
	case sui.SplitCoins:
		return nil
	case sui.MergeCoins:
		return given(c.Sources)
	case sui.MoveCall:
		if stop := r.inspectCall(c); stop != nil {
			return stop
		}
		return given(c.Arguments)
	case sui.TransferObjects:
		if stop := r.inspectRecipient(c.Recipient); stop != nil {
			return stop
		}
		return given(c.Objects)
	}
	return mismatch(plan.AllowlistViolation, "C07", "it has a command that no review has")
}

func (r *decoded) inspectCall(c sui.MoveCall) *plan.Stop {
	called, exact := false, false
	for _, s := range r.steps {
		t := r.target(s)
		called = called || c.Package == t.Package && c.Module+"::"+c.Function == t.Function
		exact = exact || c.Package == t.Package && c.Module+"::"+c.Function == t.Function &&
			t.Calls(c.TypeArgs)
	}
	switch {
	case called && !exact:
		return mismatch(plan.AssetMismatch, "C02", "it is about other coins")
	case framework(c.Package):
		return r.inspectFramework(c)
	//mutant:never ./review/gate TestForeignPackage
	case !slices.ContainsFunc(r.steps, func(s *plan.Step) bool { return s.Target.Package == c.Package }):
		return mismatch(plan.AllowlistViolation, "C05",
			"it calls the package "+c.Package.Short()+", which is not the pinned one")
	}
	return nil
}

// inspectFramework checks a call of a framework package. Many framework functions transfer objects,
// so only these are allowed: those that create or combine coins and balances, which adapters trace;
// transfers of an object, or of funds if no gas is paid, whose recipient is checked like a
// payment's; and sharing an object of the protocol, never a coin.
func (r *decoded) inspectFramework(c sui.MoveCall) *plan.Stop {
	//mutant:never ./review/gate TestAddressBalance
	if redeems := readback.IsRedeem(c) || r.chosen.free && readback.IsRedeemBalance(c); redeems &&
		len(r.chosen.withdrawals()) > 0 {
		return nil // checked by the ownership gate
	}
	switch c.Module + "::" + c.Function {
	case "coin::zero", "coin::from_balance", "coin::into_balance", "coin::split", "balance::destroy_zero", "option::none":
		return nil
	case "transfer::public_transfer", "balance::send_funds", "coin::send_funds":
		//mutant:never ./review/gate TestFundsSentBesideGas
		if c.Function == "send_funds" && !r.chosen.free {
			break
		}
		if len(c.Arguments) != 2 {
			return mismatch(plan.WalletMismatch, "C01", "it sends something to a recipient that cannot be read")
		}
		return r.inspectRecipient(c.Arguments[1])
	case "transfer::public_share_object":
		for _, s := range r.steps {
			if p := s.Target.Package; len(c.TypeArgs) == 1 && c.TypeArgs[0].Kind == sui.TypeStruct &&
				c.TypeArgs[0].Struct.Address == p && !framework(p) {
				return nil
			}
		}
		return mismatch(plan.AllowlistViolation, "C07", "it shares an object that is not the protocol's own")
	}
	//mutant:never ./review/gate TestFrameworkCalls
	if r.declared(c) {
		return nil
	}
	return mismatch(plan.AllowlistViolation, "C07", "it calls code of the chain's own that no review calls")
}

// declared reports whether a framework call is one that the step's adapter declares. The ownership
// gate limits its effects on objects.
func (r *planned) declared(c sui.MoveCall) bool {
	name := c.Module + "::" + c.Function
	return slices.ContainsFunc(r.steps, func(s *plan.Step) bool {
		t := s.Target
		return t.Package == c.Package && t.Function == name && t.Calls(c.TypeArgs) &&
			slices.Contains(s.Meta.Packages, c.Package) && slices.Contains(s.Meta.Functions, name)
	})
}

func (r *decoded) inspectRecipient(a sui.Argument) *plan.Stop {
	if a.Kind == sui.ArgInput && int(a.Index) < len(r.tx.Inputs) {
		if pure, ok := r.tx.Inputs[a.Index].(sui.PureInput); ok {
			if to, ok := pure.Address(); ok {
				return r.strange(to)
			}
		}
	}
	return mismatch(plan.WalletMismatch, "C01", "it sends something to a recipient that cannot be read")
}

// strange returns a stop if a recipient is neither the account nor the requested recipient, or nil.
func (r *planned) strange(to sui.Address) *plan.Stop {
	paid := false
	for _, s := range r.steps {
		payee := s.Promise.Payee()
		if to == payee && !payee.IsZero() {
			return nil
		}
		paid = paid || !payee.IsZero()
	}
	switch {
	case to == r.session.Account:
		return nil
	//mutant:never ./review/gate TestCrossBytes/recipient that looks like the account
	case to.LooksLike(r.session.Account):
		return mismatch(plan.WalletMismatch, "C16", "it sends to "+to.String()+", which only looks like your account")
	case paid:
		return mismatch(plan.WalletMismatch, "C01", "it sends to "+to.String()+", which nobody asked to pay")
	}
	return mismatch(plan.WalletMismatch, "C01", "it sends to "+to.String()+", which is not your account")
}

// Bounds of a gas budget in MIST. A budget above easyGas must be in proportion to the simulated
// cost. None may exceed mostGas.
const (
	easyGas = 50_000_000
	mostGas = 1_000_000_000
)

// weighGas compares the gas budget with the simulated cost.
func weighGas(_ context.Context, r *simulated) error {
	budget, used := uint64(r.facts.Gas.Budget), uint64(r.sim.Gas.Computation)
	if net := r.sim.Gas.Net(); !net.Negative {
		used = max(used, uint64(net.Amount))
	}
	if r.facts.Gas.Free() {
		r.check(plan.Pass(plan.SourceAdapter, checkGas, "Gas",
			"No gas is paid: the chain moves this coin from one address balance to another for nothing."))
		return nil
	}
	text := "Gas costs at most " + plan.SUI.Of(r.facts.Gas.Budget).String() + "; the simulation used " +
		plan.SignedText(r.sim.Gas.Net().String(), plan.SUI) + "."
	switch {
	//mutant:never ./review/gate TestWeighGas/C10 more than the most
	case budget > mostGas:
		return &plan.Stop{Reason: plan.AllowlistViolation,
			Check: plan.Fail(plan.SourceAdapter, checkGas, "Gas", text+" No review sets aside more than 1 SUI.",
				"Check again. If the problem persists, report it.").Under("C10")}
	case budget > max(easyGas, plan.MultiplySaturating(used, 5)):
		r.check(plan.Warn(plan.SourceAdapter, checkGas, "Gas", text+" That is far more than it should need.",
			"Only what is used is taken. Update to estimate again.").Under("C10"))
	default:
		r.check(plan.Pass(plan.SourceAdapter, checkGas, "Gas", text))
	}
	return nil
}
