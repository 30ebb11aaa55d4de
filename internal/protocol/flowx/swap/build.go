package swap

import (
	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/protocol/flowx"
	"github.com/sayurintent/sayurintent/internal/protocol/flowx/registry"
	"github.com/sayurintent/sayurintent/internal/protocol/venue"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/readback"
	"github.com/sayurintent/sayurintent/review/plan"
)

// Append adds the calls of a swap: fund the coin that is paid, swap it, and send what
// comes out to the account, unless a later step takes it.
func Append(b *plan.Builder, c flowx.Call, paid plan.Amount) error {
	var recipient sui.Argument
	if !b.Passes() {
		recipient = b.Input(sui.PureAddress(b.Account))
	}
	coin, err := b.Fund(paid)
	if err != nil {
		return err
	}
	out := b.Add(c.MoveCall(b.Input, coin))
	if !b.Pass(c.To().Type, out) {
		b.Add(sui.TransferObjects{Objects: []sui.Argument{out}, Recipient: recipient})
	}
	return nil
}

// terms returns what a call agrees to besides amounts; false for a deadline that no calendar has.
func terms(c flowx.Call) ([]plan.Term, bool) {
	deadline, ok := plan.Stamp(c.Deadline)
	return []plan.Term{
		inPool(c.Pool), {Name: termDeadline, Value: deadline + ", or fails"},
	}, ok
}

// termDeadline names the term that no event tells.
const termDeadline = "Runs until"

func inPool(p registry.Pool) plan.Term {
	return plan.Term{Name: "Pool", Value: p.Key() + ", fee " + rate(p) + " of what is paid"}
}

// Read implements plan.Adapter. It accepts one call: a swap through the pinned package with a
// pinned fee, a deadline, and no limit on the price.
func (*Adapter) Read(r *readback.Reader) (plan.StepFacts, error) {
	return venue.Read(r, func(paid readback.Funding) (d venue.Decoded, err error) {
		at := r.At()
		call, err := swapped(r, paid)
		if err != nil {
			return d, err
		}
		agreed, ok := terms(call)
		if !ok {
			return d, readback.Unlike("Its deadline is beyond every calendar.")
		}
		d.Out = readback.Result{Value: sui.ResultArg(at), Coin: call.To().Type, Least: call.MinOut}
		d.Back = []sui.Argument{d.Out.Value}
		tags, leaves, least := call.TypeArgs(), asset(call.From).Of(paid.Amount), asset(call.To()).Of(call.MinOut)
		d.Facts = plan.StepFacts{
			Promise: plan.SwapPromise([]plan.Amount{leaves}, least),
			Package: registry.Package, Function: flowx.Module + "::" + flowx.Function,
			TypeArgs: []string{tags[0].String(), tags[1].String()},
			Route:    call.Pool.Key(), RouteID: registry.Object, Terms: agreed,
		}
		d.Facts.Commands = append(plan.FundedWords(paid, leaves),
			"Swap in the pool "+d.Facts.Route+" for at least "+least.String()+".")
		return d, nil
	})
}

// swapped reads the call of the router.
func swapped(r *readback.Reader, paid readback.Funding) (flowx.Call, error) {
	none := flowx.Call{}
	call, err := r.Call(flowx.Module, []string{flowx.Function},
		func(id sui.ObjectID) bool { return id == registry.Package })
	if err != nil {
		return none, err
	}
	if len(call.Arguments) != 8 || len(call.TypeArgs) != 2 || call.Arguments[2] != paid.Result {
		return none, readback.Unlike("The swap does not take the coin that was made for it.")
	}
	if at, err := r.Shared(call.Arguments[0], true); err != nil || at.ID != registry.Object {
		return none, readback.Unlike("The swap does not take FlowX's pool registry.")
	}
	fee, err := r.U64(call.Arguments[1])
	if err != nil {
		return none, err
	}
	from, err := pinned(call.TypeArgs[0])
	if err != nil {
		return none, err
	}
	to, err := pinned(call.TypeArgs[1])
	if err != nil {
		return none, err
	}
	pool, ok := registry.PoolAt(from.Type, to.Type, fee)
	if !ok {
		return none, readback.Unlike("It names a pool that is not in the pinned registry.")
	}
	c := flowx.Call{Pool: pool, From: from}
	if err := limits(r, call, &c); err != nil {
		return none, err
	}
	if !paid.Pays(from.Type) {
		return none, readback.Unlike("The amount is split from a coin of another kind than the one that is paid.")
	}
	return c, nil
}

// limits reads minimum, price limit, deadline and the two objects that are only
// looked at.
func limits(r *readback.Reader, call sui.MoveCall, c *flowx.Call) error {
	minimum, err := r.U64(call.Arguments[3])
	if err != nil {
		return err
	}
	limit, err := r.Bytes(call.Arguments[4], 16)
	if err != nil {
		return err
	}
	if [16]byte(limit) != [16]byte{} {
		return readback.Unlike("It has a limit on the price, which no review agrees to.")
	}
	if c.Deadline, err = r.U64(call.Arguments[5]); err != nil {
		return err
	}
	if at, err := r.Shared(call.Arguments[6], false); err != nil || at != registry.VersionedInput() {
		return readback.Unlike("The swap does not take FlowX's Versioned object.")
	}
	if at, err := r.Shared(call.Arguments[7], false); err != nil || at != sui.ClockInput() {
		return readback.Unlike("The swap does not take the chain's clock.")
	}
	c.MinOut = sui.Raw(minimum)
	return nil
}

// pinned returns the pinned coin of a type argument.
func pinned(t sui.TypeTag) (coins.Coin, error) {
	if t.Kind != sui.TypeStruct {
		return coins.Coin{}, readback.Unlike("Its type arguments are not coins.")
	}
	c, err := registry.FindCoin(t.String())
	if err != nil {
		return coins.Coin{}, readback.Unlike("It is about a coin that is not pinned.")
	}
	return c, nil
}
