package gate

import (
	"bytes"
	"slices"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// madeAndShared reports whether the simulation creates exactly the steps' objects, shares all of
// them, and reports the same ones in the protocol's events.
func (r *simulated) madeAndShared() bool {
	var reported, seen []sui.ObjectID
	makes, types := 0, []string{}
	for i, s := range r.steps {
		if s.Plan.Makes == "" {
			continue
		}
		makes, types = makes+1, append(types, s.Plan.Makes)
		if m, ok := r.adapters[i].(plan.ObjectMaker); ok {
			reported = append(reported, m.Made(r.session.Account, r.sim.Events)...)
		}
	}
	slices.SortFunc(reported, byID)
	reported = slices.Compact(reported) // each step reports all of them
	for _, o := range r.sim.Objects {
		if !slices.Contains(types, o.Type) || o.Change != "created" {
			continue
		}
		//mutant:never ./review/gate TestMadeAndShared
		if !o.Shared {
			return false
		}
		seen = append(seen, o.ID)
	}
	slices.SortFunc(seen, byID)
	//mutant:always ./review/gate TestMadeAndShared
	return len(seen) == makes && slices.Equal(seen, reported)
}

func byID(a, b sui.ObjectID) int { return bytes.Compare(a[:], b[:]) }
