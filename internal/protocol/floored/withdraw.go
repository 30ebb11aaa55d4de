package floored

import (
	"context"
	"math"
	"math/big"
	"strconv"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/floor"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/readback"
)

// withdraw prepares withdrawing all or part of a supply. It implements plan.Adapter.
type withdraw struct{ *protocol }

// Meta implements plan.Adapter.
func (a *withdraw) Meta() plan.Meta {
	m := a.meta(floor.SupplyWithdraw)
	m.Aliases = []string{"supplywithdraw", "withdrawsupply", "redeemsupply"}
	m.Takes, m.Harmless = []string{"to"}, true
	m.Stages = []plan.StageID{plan.StageIntent, stageAccount, stageQuote, stagePolicy}
	m.Words = plan.StageWords{stageAccount: "Reading what you supplied", stageQuote: "Simulating the withdrawal",
		stagePolicy: "Calculating the minimum you receive"}
	return m
}

// Plan implements plan.Adapter. Without an amount, everything is withdrawn. Its errors name the field.
func (a *withdraw) Plan(in plan.Intent, _ time.Time) (plan.Plan, error) {
	if err := in.Only("from", "to", "to.amount"); err != nil {
		return plan.Plan{}, err
	}
	if in.To.Symbol == "" {
		return plan.Plan{}, unspecific("intent.to.symbol")
	}
	coin, err := a.coin(in.To.Symbol, floor.SupplyWithdraw, arrives)
	if err != nil {
		return plan.Plan{}, plan.AtField("intent.to.symbol", err)
	}
	w, _ := a.way(floor.SupplyWithdraw, "", coin.CoinType)
	var receipt plan.Asset
	if w.In != "" {
		receipt = Asset(w.In)
	}
	// A stored intent also names the receipt.
	if in.From != (plan.IntentSource{}) && (w.In == "" || in.From != plan.IntentSource{Symbol: receipt.Symbol}) {
		return plan.Plan{}, fault.New(fault.InputInvalid,
			"A withdrawal names what arrives, not what leaves: leave from out.").
			With("field", "intent.from")
	}
	amount, what := coin.Of(0), "all "+coin.Symbol
	if in.To.Amount != "" {
		if amount, err = plan.ReadAmount("intent.to.amount", in.To.Amount, coin); err != nil {
			return plan.Plan{}, err
		}
		what = amount.String()
	}
	return plan.Plan{Title: "Withdraw " + what, Asked: "withdraw " + what + " from " + a.Name, Route: w.Label,
		Summary: "Withdraw " + what + " that you supplied to " + a.Name + ".", Promise: withdrawn(receipt.Of(0), amount)}, nil
}

// withdrawn returns the promise of a withdrawal: at most the receipts leave, if there are any, and at
// least the minimum arrives. A minimum of zero means that it is not known yet.
func withdrawn(receipts, least plan.Amount) plan.Promise {
	o := plan.Outcome{Name: "withdrawn"}
	switch {
	case receipts.CoinType == "":
	case receipts.Raw == 0:
		o.Bounds = append(o.Bounds, plan.Bound{Role: plan.RoleInput, Coin: receipts.Asset})
	default:
		o.Bounds = append(o.Bounds, plan.Leaves(plan.RoleInput, receipts))
	}
	o.Bounds = append(o.Bounds, arriving(least))
	return plan.Promise{Outcomes: []plan.Outcome{o}}
}

// withdrawing is the state of one computation of a withdrawal.
type withdrawing struct {
	*withdraw
	way  floor.Way
	asks plan.Amount // zero means everything
	used Use
	out  plan.Amount
}

// Stages implements plan.Adapter.
func (a *withdraw) Stages(p plan.Plan) []plan.Stage {
	w := &withdrawing{withdraw: a, asks: p.Output()}
	w.way, _ = a.way(floor.SupplyWithdraw, "", w.asks.CoinType)
	return []plan.Stage{
		a.asked(p.Asked),
		{ID: stageAccount, Run: w.account},
		{ID: stageQuote, Run: w.quote},
		{ID: stagePolicy, Run: w.policy},
	}
}

// account determines how much can be withdrawn, by simulating a withdrawal of everything.
func (w *withdrawing) account(ctx context.Context, s *plan.Step) error {
	all, pays := uint64(math.MaxUint64), plan.Amount{}
	s.Bare = w.bare(w.way)
	if w.way.In != "" {
		b, err := w.chain.Balance(ctx, s.Account, w.way.In)
		if err != nil {
			return err
		}
		if b.Total == 0 {
			return w.none()
		}
		pays = Asset(w.way.In).Of(b.Total)
	}
	var err error
	if w.used, err = w.use(ctx, w.way, pays, map[string]string{"amount": strconv.FormatUint(all, 10)}); err != nil {
		return err
	}
	if err := w.guard(ctx, w.used, s); err != nil {
		return err
	}
	return w.simulate(ctx, s)
}

// none returns the stop for an account that supplied nothing.
func (w *withdrawing) none() *plan.Stop {
	return &plan.Stop{Reason: plan.InsufficientBalance, Check: plan.Fail(plan.SourceNetwork, w.check("_supplied"),
		"Supplied",
		"This account supplied no "+w.asks.Symbol+" to "+w.Name+", as the node reports.",
		"Ask your AI client what this account holds.")}
}

// simulate sets out to the amount that the calls pay now.
func (w *withdrawing) simulate(ctx context.Context, s *plan.Step) error {
	q, err := w.protocol.quote(ctx, &w.used, s)
	switch {
	case err != nil:
		return err
	case q.Failed != nil:
		return w.failed(w.used, q)
	case q.Out == 0:
		return w.nothing()
	}
	w.out = w.asks.Of(q.Out)
	return nil
}

// quote sets the calls to the requested amount and simulates them.
func (w *withdrawing) quote(ctx context.Context, s *plan.Step) error {
	s.Check(plan.Pass(plan.SourceQuote, w.check("_supplied"), "Supplied",
		"All that this account can withdraw now is "+w.out.String()+", by simulation."))
	if w.asks.Raw > w.out.Raw {
		return &plan.Stop{Reason: plan.InsufficientBalance, Check: plan.Fail(plan.SourceQuote, w.check("_supplied"),
			"Supplied",
			"You requested "+w.asks.String()+". All that this account can withdraw now is "+w.out.String()+".",
			"Choose a smaller amount in a new review, or withdraw all.")}
	}
	ask := w.asks.Raw
	if ask == 0 {
		ask = above(w.out.Raw) // a smaller amount would leave a remainder
	}
	w.used.Inputs.Values["amount"] = ask.String()
	if w.asks.Raw > 0 {
		w.used.Pays.Raw = share(w.used.Pays.Raw, w.asks.Raw, w.out.Raw)
		w.used.Pays = w.used.Pays.Of(w.used.Pays.Raw)
		if err := w.simulate(ctx, s); err != nil {
			return err
		}
	}
	s.Read(plan.Reading{Name: "withdrawal", Value: w.out.String(), Moves: true})
	s.Check(plan.Pass(plan.SourceQuote, w.check("_quote"), "Simulation", w.Name+" pays "+w.out.String()+
		" now."))
	s.Check(w.risks(w.way.Function))
	return nil
}

// above returns a little more than a position, so that everything is withdrawn although interest makes
// the position grow until the transaction executes.
func above(position sui.Raw) sui.Raw {
	const thousandth, dust = 1000, 1001
	return sui.Raw(plan.AddSaturating(uint64(position), uint64(position)/thousandth+dust))
}

// share returns the number of receipts that pay part, if all receipts pay whole. It rounds up.
func share(receipts, part, whole sui.Raw) sui.Raw {
	n := new(big.Int).Mul(plan.BigInt(receipts), plan.BigInt(part))
	n.Add(n, plan.BigInt(whole)).Sub(n, big.NewInt(1)).Quo(n, plan.BigInt(whole))
	n.Add(n, big.NewInt(1)) // the protocol rounds the payment down
	return min(sui.Raw(n.Uint64()), receipts)
}

func (w *withdrawing) policy(_ context.Context, s *plan.Step) (err error) {
	if s.Target, err = w.used.Target(); err != nil {
		return err
	}
	least := w.out
	if w.asks.Raw > 0 && w.asks.Raw < least.Raw {
		least = w.asks
	}
	pays := w.used.Pays
	if pays.Raw > 0 {
		s.Needs = []plan.CoinRequest{{Role: plan.RoleInput, Amount: pays}}
	}
	s.Promise = withdrawn(pays, least)
	s.Append, s.Explain = w.used.Append(least.Raw), w.used.Explain(w.check("_refused"), w.Name)
	s.Guarantee = "At least " + least.String() + " arrives, or nothing is withdrawn and only gas is spent."
	s.Locks = []string{"The withdrawn amount stops earning."}
	return nil
}

// Read implements plan.Adapter. It rejects a withdrawal without a minimum.
func (a *withdraw) Read(r *readback.Reader) (plan.StepFacts, error) {
	got, way, err := a.read(r, floor.SupplyWithdraw)
	if err != nil {
		return plan.StepFacts{}, err
	}
	out, receipts, err := amounts(got, least, leaves, way.In != "")
	if err != nil {
		return plan.StepFacts{}, err
	}
	f := a.facts(got, way)
	f.Promise = withdrawn(receipts, out)
	return f, nil
}

// ReportResult implements plan.ResultReporter.
func (a *withdraw) ReportResult(e sui.Executed, s plan.StepFacts) plan.Result {
	least := s.Promise.Amount(plan.RoleOutput)
	return plan.Result{Title: "Withdrew at least " + least.String() + " from " + a.Name, Where: "It is in your account."}
}
