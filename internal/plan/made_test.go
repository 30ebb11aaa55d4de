package plan_test

import (
	"slices"
	"testing"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/sui"
)

func TestMade(t *testing.T) {
	t.Run("stands for an object, and for no other", func(t *testing.T) {
		for n := range 3 {
			id := plan.Made(n)
			if plan.MadeAs(id) != n {
				t.Errorf("%d is %d", n, plan.MadeAs(id))
			}
			id[0] ^= 1
			if plan.MadeAs(id) != 0 {
				t.Errorf("%s stands for something", id)
			}
		}
		for _, id := range []sui.ObjectID{{}, sui.MustAddress("0x1"), sui.MustAddress("0x2")} {
			if plan.MadeAs(id) != 0 || plan.MadeText(id) != id.String() {
				t.Errorf("%s stands for something", id)
			}
		}
	})
	makes, uses := plan.Plan{Makes: "0x9::safe::Safe"}, plan.Plan{}
	intent := func(of ...int) plan.Intent {
		in := plan.Intent{Type: plan.Bundle}
		for _, n := range of {
			in.Steps = append(in.Steps, plan.Intent{ManagerOf: n})
		}
		return in
	}
	for name, c := range map[string]struct {
		of    []int
		plans []plan.Plan
		good  bool
	}{
		"an earlier step makes it":   {[]int{0, 1}, []plan.Plan{makes, uses}, true},
		"several use it":             {[]int{0, 1, 1}, []plan.Plan{makes, uses, uses}, true},
		"an earlier step makes none": {[]int{0, 1}, []plan.Plan{uses, uses}, false},
		"a later one makes it":       {[]int{2, 0}, []plan.Plan{uses, makes}, false},
		"the step itself makes it":   {[]int{0, 2}, []plan.Plan{makes, makes}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if err := plan.Wire(intent(c.of...), c.plans); (err == nil) != c.good || err != nil && !fault.Is(err,
				fault.InputInvalid) {
				t.Error(err)
			}
		})
	}
	t.Run("a builder shares what it makes at the end, once", func(t *testing.T) {
		b := plan.NewBuilder(sui.Address{})
		share := sui.MoveCall{Module: "transfer", Function: "public_share_object"}
		if _, err := b.Made(1); err == nil {
			t.Error("it has an object that nobody made")
		}
		b.Make(b.Add(sui.MoveCall{Module: "safe", Function: "new"}), share)
		if a, err := b.Made(1); err != nil || a != sui.ResultArg(0) {
			t.Errorf("%v %v", a, err)
		}
		b.Add(sui.MoveCall{Module: "safe", Function: "fill"})
		for range 2 {
			if k := b.Kind(); len(k.Commands) != 3 || k.Commands[2].(sui.MoveCall).Function != share.Function {
				t.Errorf("%+v", k.Commands)
			}
		}
	})
	t.Run("a result names what was made", func(t *testing.T) {
		id := sui.MustAddress("0xaa")
		r := plan.Result{Holds: []plan.Term{{Name: "Safe", Value: id.String()}, {Name: "Safe",
			Value: plan.MadeText(plan.Made(1))}},
			Moved: []plan.Moved{{Holder: plan.ObjectParty(plan.Made(1))}},
			Each:  []plan.StepResult{{Moved: []plan.Moved{{Holder: plan.ObjectParty(plan.Made(1))}}}}}
		r.Settle([]sui.ObjectID{id})
		if !slices.Equal(r.Holds, []plan.Term{{Name: "Safe", Value: id.String()}}) ||
			r.Moved[0].Holder != plan.ObjectParty(id) ||
			r.Each[0].Moved[0].Holder != plan.ObjectParty(id) {
			t.Errorf("%+v", r)
		}
	})
}
