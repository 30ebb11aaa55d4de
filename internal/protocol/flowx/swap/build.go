package swap

import (
	"cmp"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/flowx"
	"github.com/sayurintent/sayurintent/internal/protocol/flowx/registry"
	"github.com/sayurintent/sayurintent/internal/protocol/venue"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/readback"
)

// terms returns the terms of a call other than amounts. It returns false if the deadline is out of
// range.
func terms(c flowx.Call) ([]plan.Term, bool) {
	deadline, ok := plan.Stamp(c.Deadline)
	return []plan.Term{
		inPool(c.Pool), {Name: termDeadline, Value: deadline + ", or fails"},
	}, ok
}

// termDeadline names the term with the deadline, which no event reports.
const termDeadline = "Runs until"

func inPool(p registry.Pool) plan.Term {
	return plan.Term{Name: "Pool", Value: p.Key() + ", fee " + rate(p) + " of what is paid"}
}

// Read implements plan.Adapter. It accepts one call: a swap through the pinned package with a pinned
// fee, a deadline, and no limit on the price.
func (*Adapter) Read(r *readback.Reader) (plan.StepFacts, error) {
	return venue.ReadOne(r, func(paid readback.Funding) (venue.One, error) {
		c, err := swapped(r, paid)
		if err != nil {
			return venue.One{}, err
		}
		agreed, ok := terms(c)
		if !ok {
			return venue.One{}, readback.Unlike("Its deadline is out of range.")
		}
		tags := c.TypeArgs()
		return venue.One{From: venue.Asset(c.From), Least: venue.Asset(c.To()).Of(c.MinOut), Facts: plan.StepFacts{
			Package: registry.Package, Function: function, TypeArgs: []string{tags[0].String(), tags[1].String()},
			Route: c.Pool.Key(), RouteID: registry.Object, Terms: agreed,
		}}, nil
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
	from, err := venue.Tagged(call.TypeArgs[0], registry.FindCoin)
	if err != nil {
		return none, err
	}
	to, err := venue.Tagged(call.TypeArgs[1], registry.FindCoin)
	if err != nil {
		return none, err
	}
	pool, ok := registry.PoolAt(from.Type, to.Type, fee)
	if !ok {
		return none, readback.Unlike("It names a pool that is not in the pinned registry.")
	}
	c := flowx.Call{Pool: pool, From: from}
	return c, limits(r, call, &c)
}

// limits reads the minimum, the price limit, the deadline, and the two objects that the call only
// reads.
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
	c.MinOut = sui.Raw(minimum)
	return cmp.Or(venue.Takes(r, call.Arguments[6], registry.VersionedInput(), "FlowX's Versioned object"),
		venue.Takes(r, call.Arguments[7], sui.ClockInput(), "the chain's clock"))
}
