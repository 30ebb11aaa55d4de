package venue

import (
	"context"
	"math/big"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Opinion is what a protocol's own router says that a swap would give, and the pool.
type Opinion struct {
	Out  sui.Raw
	Pool string
}

// opinionTimeout limits the wait for an opinion, which decides nothing.
const opinionTimeout = 3 * time.Second

// Ask asks a router meanwhile; ask is nil if there is none. The result waits for the answer and
// compares it with a quote.
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
				"The quote is the simulation's and stands without it.").AsNote()
		}
		return v.compared(quoted, said)
	}
}

// compared shows an opinion beside a quote. More than one percent apart is a warning.
func (v Venue) compared(quoted plan.Amount, said Opinion) plan.Check {
	text := "says " + quoted.Of(said.Out).String() + " over " + said.Pool + ". "
	apart := new(big.Int).Sub(plan.BigInt(said.Out), plan.BigInt(quoted.Raw))
	if apart.Abs(apart).Mul(apart, big.NewInt(100)).Cmp(plan.BigInt(quoted.Raw)) > 0 {
		return v.beside(text+"That is more than one percent away from the simulation.",
			"Trust neither as a forecast; only the minimum is guaranteed. Update to ask both again.")
	}
	return v.beside(text+"The simulation agrees within one percent.", "")
}

// beside returns what is known of the router's answer; with something to do it is a warning.
func (v Venue) beside(text, do string) plan.Check {
	id, label := v.Prefix+"_router_beside", v.Label+"'s router"
	if do != "" {
		return plan.Warn(plan.SourceQuote, id, label, label+" "+text, do)
	}
	return plan.Pass(plan.SourceQuote, id, label, label+" "+text)
}
