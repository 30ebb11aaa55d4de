package venue

import (
	"context"
	"math/big"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Opinion is the output that a protocol's own router predicts for a swap, and the pool that it would
// use.
type Opinion struct {
	Out  sui.Raw
	Pool string
}

// opinionTimeout limits the wait for the router, whose answer is shown for comparison only.
const opinionTimeout = 3 * time.Second

// Ask queries a router in the background. ask is nil without a router. The returned function waits for
// the router's answer and compares it with a quote.
func (v Venue) Ask(ctx context.Context, ask func(context.Context) (Opinion, error)) func(plan.Amount) plan.Check {
	if ask == nil {
		return func(plan.Amount) plan.Check {
			return v.beside("was not asked; the quote is the simulation's.", "")
		}
	}
	var said Opinion
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		ctx, stop := context.WithTimeout(ctx, opinionTimeout)
		defer stop()
		defer fault.Recover(&err)
		said, err = ask(ctx)
	}()
	return func(quoted plan.Amount) plan.Check {
		<-done
		if err != nil {
			return v.beside("gave nothing to compare with: "+fault.As(err).Text,
				"The quote comes from the simulation and does not depend on it.").AsNote()
		}
		return v.compared(quoted, said)
	}
}

// compared compares the router's answer with a quote. A difference of more than one percent is a
// warning.
func (v Venue) compared(quoted plan.Amount, said Opinion) plan.Check {
	text := "says " + quoted.Of(said.Out).String() + " over " + said.Pool + ". "
	apart := new(big.Int).Sub(plan.BigInt(said.Out), plan.BigInt(quoted.Raw))
	if apart.Abs(apart).Mul(apart, big.NewInt(100)).Cmp(plan.BigInt(quoted.Raw)) > 0 {
		return v.beside(text+"That is more than one percent away from the simulation.",
			"Trust neither as a forecast; only the minimum is guaranteed. Update to ask both again.")
	}
	return v.beside(text+"The simulation agrees within one percent.", "")
}

// beside returns the check that reports the router's answer. It is a warning if do is not empty.
func (v Venue) beside(text, do string) plan.Check {
	id, label := v.Prefix+"_router_beside", v.Label+"'s router"
	if do != "" {
		return plan.Warn(plan.SourceQuote, id, label, label+" "+text, do)
	}
	return plan.Pass(plan.SourceQuote, id, label, label+" "+text)
}
