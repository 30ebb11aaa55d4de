package swap

import (
	"fmt"
	"strings"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// explain returns the stop for an abort of the called package. It looks up the package, module and
// code, and reports an unknown code as such. For an abort of another package, it returns nil.
func (w *work) explain(a sui.MoveAbort) *plan.Stop {
	called := w.snapshot.Quote.Package
	if !ours(a, called) {
		return nil
	}
	if stop := known(a, called, w.mode() == modeDeep); stop != nil {
		return stop
	}
	return here().Refused(plan.ObjectResolutionFailed,
		fmt.Sprintf("DeepBook refused the swap for an unknown reason (%s, code %d).",
			named(a.Module), a.Code), "Check again. If it fails again, prepare a new review with another amount.")
}

// ReadAbort implements plan.AbortReader.
func (*Adapter) ReadAbort(a sui.MoveAbort, s plan.StepFacts) *plan.Stop {
	if !ours(a, s.Package) {
		return nil
	}
	return known(a, s.Package, len(s.Promise.Of(plan.RoleFee)) > 0)
}

var _ plan.AbortReader = (*Adapter)(nil)

// ours reports whether the called package aborted. Nodes report the id of the called package or the
// original one.
func ours(a sui.MoveAbort, called sui.ObjectID) bool {
	return a.Package == called || a.Package == registry.OriginalPackage
}

// known returns the meaning of an abort of the called package for a swap. inDeep is set if the fee is
// in DEEP. It returns nil for an unknown abort.
func known(a sui.MoveAbort, called sui.ObjectID, inDeep bool) *plan.Stop {
	use := deepbook.ForSwap
	if inDeep {
		use = deepbook.ForSwapInDeep
	}
	r, ok := deepbook.Meaning(a, called, use)
	if !ok {
		return nil
	}
	stop := here().Refused(plan.Reason(r.Reason), r.Message, r.Advice)
	stop.Short = r.Short()
	return stop
}

// named returns a reported module's name for display. A text that is not a plausible name is replaced.
func named(module string) string {
	if module == "" || len(module) > 64 || strings.Trim(module, "abcdefghijklmnopqrstuvwxyz_0123456789") != "" {
		return "an unnamed module"
	}
	return "module " + module
}
