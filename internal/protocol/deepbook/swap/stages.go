package swap

import (
	"context"
	"fmt"
	"math/big"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/protocol/venue"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// work is the state that the stages of one computation share.
type work struct {
	source    Source
	plan      plan.Plan
	pool      registry.Pool
	direction registry.Direction
	snapshot  deepbook.Snapshot
}

// Resolve implements venue.Swap.
func (w *work) Resolve(d *plan.Step) error {
	pool, err := registry.FindPool(w.plan.Route)
	if err != nil {
		return err
	}
	w.pool, w.direction = pool, registry.QuoteToBase
	if pool.Base.Type == w.plan.Input().CoinType {
		w.direction = registry.BaseToQuote
	}
	in, out, err := pool.Sides(w.direction)
	if err != nil {
		return err
	}
	if in.Type != w.plan.Input().CoinType || out.Type != w.plan.Output().CoinType {
		return fault.New(fault.RegistryMiss, "The pool %s does not trade these two coins.", pool.Key)
	}
	d.Check(plan.Pass(plan.SourceRegistry, prefix+"_pool_resolution", "Pool",
		"The swap happens in the pinned DeepBook pool "+pool.Key+"."))
	return nil
}

// Quote implements venue.Swap.
func (w *work) Quote(ctx context.Context, d *plan.Step) error {
	before, err := d.Before(ctx, plan.Amount{})
	if err != nil {
		return err
	}
	ask := deepbook.Request{PoolKey: w.pool.Key, Direction: w.direction, Amount: w.plan.Input().Raw, FeeMode: w.asked()}
	if before != nil {
		ask.After = &before.Transaction
	}
	s, err := w.source.Snapshot(ctx, ask)
	if err != nil {
		return w.unquoted(err)
	}
	w.snapshot = s
	for _, rule := range s.Parameters.Rules() {
		d.Read(plan.Reading{Name: rule.Name, Value: rule.Value})
	}
	if !s.Quote.Tradable() {
		return w.untradable(d)
	}
	if err := w.wantFee(d); err != nil {
		return err
	}
	w.answer(d)
	if c := w.versionCheck(); c != nil {
		d.Check(*c)
	}
	d.Check(plan.Pass(plan.SourceQuote, prefix+"_raw_quote_evidence", "Quote",
		"The pool would give "+d.Quote.Expected.String()+" at this moment."))
	d.Check(w.feeCheck(d.Quote))
	if c := w.lotCheck(d.Quote); c != nil {
		d.Check(*c)
	}
	return nil
}

// unquoted returns a stop with specific advice for a pool that refuses to quote. Without such advice,
// it returns err.
func (w *work) unquoted(err error) error {
	f := fault.As(err)
	stop := func(id, label, do string) error {
		return &plan.Stop{Reason: plan.QuoteUnavailable,
			Check: plan.Fail(plan.SourceQuote, prefix+id, label, f.Text, do)}
	}
	switch {
	case f.Code != fault.QuoteUnavailable:
	case f.Detail.Get("reason") == deepbook.NoVersion:
		return stop("_version_gate", "DeepBook version",
			"Install a newer release of Say Ur Intent, or check again later.")
	case f.Detail.Get("module") == "deep_price":
		return stop("_quote_source_failed", "Quote", "Check again later, or prepare a new review with feeMode input.")
	}
	return err
}

// versionCheck returns a check if the pool does not admit the newest package.
func (w *work) versionCheck() *plan.Check {
	newest, called := registry.Packages()[0], w.snapshot.Quote.Package
	if called == newest.ID {
		return nil
	}
	c := plan.Warn(plan.SourceQuote, prefix+"_version_gate", "DeepBook version",
		fmt.Sprintf("The pool %s does not admit the newest DeepBook package that this program knows (number %d), so the "+
			"older package "+
			"number %d is called. DeepBook still admits it.", w.pool.Key, newest.Number, deepbook.Number(called)),
		"").AsNote()
	return &c
}

// untradable returns the stop for a quote that trades nothing.
func (w *work) untradable(d *plan.Step) error {
	base, fee := venue.Asset(w.pool.Base), ""
	if w.snapshot.Parameters.TakerFee > 0 {
		fee = " after the fee"
	}
	var next []plan.Intent
	if least := w.least(); w.plan.Input().Raw < least {
		in := d.Intent.Asking()
		in.From.Amount = string(w.plan.Input().Of(least).Display)
		next = []plan.Intent{in}
	}
	return &plan.Stop{Reason: plan.QuoteUnavailable, Next: next,
		Check: plan.Fail(plan.SourceQuote, prefix+"_quote_source_failed", "Quote",
			"The pool "+w.pool.Key+" would trade nothing for "+w.plan.Input().String()+": its minimum trade is "+
				base.Of(w.snapshot.Parameters.Min).String()+fee+", in steps of "+base.Of(w.snapshot.Parameters.Lot).String()+
				", or its book is too thin.", "Choose a larger amount in a new review, or check again later.")}
}

// least returns the smallest base amount with which the pool trades its minimum size and takes its
// fee. It returns 0 if the quote coin is paid, because that amount depends on the price.
func (w *work) least() sui.Raw {
	if w.direction != registry.BaseToQuote {
		return 0
	}
	n, p := uint64(w.snapshot.Parameters.Min), w.snapshot.Parameters
	if w.mode() == modeInput {
		// DeepBook charges a fee in the input at five quarters of its rate, in billionths.
		fee := plan.BigInt(sui.Raw(n))
		fee.Mul(fee, plan.BigInt(p.TakerFee)).Mul(fee, big.NewInt(5)).Div(fee, big.NewInt(4_000_000_000))
		n = plan.AddSaturating(n, fee.Uint64()+1)
	}
	// Round up to a hundredth of the minimum size, to show a short number.
	step := max(uint64(p.Min)/100, 1)
	return sui.Raw(plan.AddSaturating(n, step-1) / step * step)
}

// Call implements venue.Swap.
func (w *work) Call(d *plan.Step) (venue.Call, error) {
	call := Call{Package: w.snapshot.Quote.Package, Pool: w.pool, SharedVersion: w.snapshot.SharedVersion,
		Direction: w.direction, MinOut: d.Quote.Minimum.Raw}
	return venue.Call{
		Target: plan.Target{
			Package: call.Package, Function: "pool::" + swapFunction(w.direction), RouteID: w.pool.ID,
			Shared:   call.SharedVersion,
			TypeArgs: []sui.TypeTag{w.pool.Base.Type.Tag(), w.pool.Quote.Type.Tag()},
		},
		Append: func(b *plan.Builder) error {
			return Append(b, call, d.Promise.Amounts(plan.RoleInput, plan.RoleFee)...)
		},
		Explain: w.explain,
	}, nil
}
