package swap

import (
	"fmt"
	"strings"

	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review/plan"
)

// explain says what an abort of the called package means: by package, module
// and code. A code of it that is not known is said to be unknown; an abort of
// another package is left to the platform.
func (w *work) explain(a sui.MoveAbort) *plan.Stop {
	called := w.snapshot.Quote.Package
	// Nodes name the package that was called or the original one.
	if a.Package != called && a.Package != registry.OriginalPackage {
		return nil
	}
	use := deepbook.ForSwap
	if w.mode() == modeDeep {
		use = deepbook.ForSwapInDeep
	}
	r, ok := deepbook.Meaning(a, called, use)
	if !ok {
		r.Reason, r.Advice = string(plan.ObjectResolutionFailed),
			"Check again; if it stays, prepare a new review with another amount."
		r.Message = fmt.Sprintf("DeepBook refused the swap for a reason that this program does not know (%s, code %d).",
			named(a.Module), a.Code)
	}
	return &plan.Stop{Reason: plan.Reason(r.Reason),
		Check: plan.Fail(plan.SourceSimulation, prefix+"_swap_refused", "Swap", r.Message, r.Advice)}
}

// named shows a module's name that a node told, where it looks like one.
func named(module string) string {
	if module == "" || len(module) > 64 || strings.Trim(module, "abcdefghijklmnopqrstuvwxyz_0123456789") != "" {
		return "an unnamed module"
	}
	return "module " + module
}
