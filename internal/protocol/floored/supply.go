package floored

import (
	"context"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/floor"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/readback"
)

// Stages of supplies and withdrawals.
const (
	stageAccount plan.StageID = "position_read"
	stageQuote   plan.StageID = "quote_evidence_fetched"
	stagePolicy  plan.StageID = "minimum_derived"
)

// supply prepares lending a coin to a protocol. The account receives at least a minimum of a receipt
// coin, or the protocol records the supply without a receipt. It implements plan.Adapter.
type supply struct{ *protocol }

// Meta implements plan.Adapter.
func (a *supply) Meta() plan.Meta {
	m := a.meta(floor.Supply)
	m.Aliases, m.Takes = []string{"supply", "lend", "supplycoin"}, []string{"from"}
	m.Stages = []plan.StageID{plan.StageIntent, stageAccount, stageQuote, stagePolicy}
	m.Words = plan.StageWords{stageAccount: "Looking for loans", stageQuote: "Simulating the supply",
		stagePolicy: "Determining what the transaction must contain"}
	return m
}

// Plan implements plan.Adapter. Its errors name the field.
func (a *supply) Plan(in plan.Intent, _ time.Time) (plan.Plan, error) {
	if err := in.Only("from", "to"); err != nil {
		return plan.Plan{}, err
	}
	if in.From.Symbol == "" {
		return plan.Plan{}, unspecific("intent.from.symbol")
	}
	coin, err := a.coin(in.From.Symbol, floor.Supply, paid)
	if err != nil {
		return plan.Plan{}, plan.AtField("intent.from.symbol", err)
	}
	amount, err := plan.ReadAmount("intent.from.amount", in.From.Amount, coin)
	if err != nil {
		return plan.Plan{}, err
	}
	w, _ := a.way(floor.Supply, coin.CoinType, "")
	p := plan.Plan{Title: "Supply " + amount.String(), Asked: "supply " + amount.String() + " to " + a.Name,
		Route:   w.Label,
		Summary: "Supply " + amount.String() + " to " + a.Name + ".", Promise: supplied(amount, plan.Amount{})}
	receipt := Asset(w.Out)
	if in.To.Symbol != "" && (w.Out == "" || in.To.Symbol != receipt.Symbol) { // a stored intent names the receipt
		return plan.Plan{}, fault.New(fault.InputInvalid, "A supply specifies what leaves the account, not what arrives: omit to.").
			With("field", "intent.to.symbol")
	}
	if w.Out != "" {
		p.Summary += " You receive " + receipt.Symbol + ", its receipt."
		p.Promise = supplied(amount, receipt.Of(0))
	}
	return p, nil
}

// supplied returns the promise of a supply. A receipt of zero means that it is not quoted yet.
func supplied(in, receipt plan.Amount) plan.Promise {
	if receipt.CoinType == "" {
		return plan.Promise{Outcomes: []plan.Outcome{{Name: "supplied",
			Bounds: []plan.Bound{plan.Moves(plan.RoleInput, plan.Party{}, in, true)}}}}
	}
	return plan.Promise{Outcomes: []plan.Outcome{{Name: "supplied",
		Bounds: []plan.Bound{plan.Leaves(plan.RoleInput, in), arriving(receipt)}}}}
}

// arriving returns the bound for the minimum received, or zero if it is not known yet.
func arriving(least plan.Amount) plan.Bound {
	if least.Raw == 0 {
		return plan.Bound{Role: plan.RoleOutput, Coin: least.Asset}
	}
	return plan.Arrives(least)
}

// supplying is the state of one computation of a supply.
type supplying struct {
	*supply
	way   floor.Way
	used  Use
	least plan.Amount
}

// Stages implements plan.Adapter.
func (a *supply) Stages(p plan.Plan) []plan.Stage {
	w := &supplying{supply: a}
	w.way, _ = a.way(floor.Supply, p.Input().CoinType, "")
	return []plan.Stage{
		a.asked(p.Asked),
		{ID: stageAccount, Run: func(ctx context.Context, s *plan.Step) error { return w.account(ctx, s, p.Input()) }},
		{ID: stageQuote, Run: w.quote},
		{ID: stagePolicy, Run: w.policy},
	}
}

// account checks whether the account may supply, for example whether it has loans.
func (w *supplying) account(ctx context.Context, s *plan.Step, in plan.Amount) (err error) {
	if w.used, err = w.use(ctx, w.way, in, map[string]string{"amount": in.Raw.String()}); err != nil {
		return err
	}
	s.Needs, s.Bare = []plan.CoinRequest{{Role: plan.RoleInput, Amount: in}}, w.bare(w.way)
	s.Check(w.risks(w.way.Function))
	return w.guard(ctx, w.used, s)
}

// rateMoves is the allowed change of a receipt's rate before the transaction executes, in hundredths
// of a percent. Interest changes the rate far less.
const rateMoves = 1

// quote simulates the supply.
func (w *supplying) quote(ctx context.Context, s *plan.Step) error {
	q, err := w.protocol.quote(ctx, &w.used, s)
	if err != nil {
		return err
	}
	if q.Failed != nil {
		return w.failed(w.used, q)
	}
	if w.way.Out == "" {
		s.Check(plan.Pass(plan.SourceQuote, w.check("_quote"), "Simulation", w.Name+" takes the amount now."))
		return nil
	}
	out := Asset(w.way.Out).Of(q.Out)
	w.least = out.Of(plan.MinimumOut(q.Out, rateMoves))
	if w.least.Raw == 0 {
		return w.nothing()
	}
	s.Read(plan.Reading{Name: "receipt", Value: out.String(), Moves: true})
	s.Check(plan.Pass(plan.SourceQuote, w.check("_quote"), "Simulation",
		w.Name+" gives "+out.String()+" now. The minimum is "+plan.Percent(rateMoves)+
			" less, because interest moves the rate."))
	return nil
}

// nothing returns the stop for an amount that is too small to have a minimum.
func (p *protocol) nothing() *plan.Stop {
	return &plan.Stop{Reason: plan.QuoteUnavailable, Check: plan.Fail(plan.SourceQuote, p.check("_quote"), "Simulation",
		"The result would be too small to guarantee a minimum.", "Choose a larger amount in a new review.")}
}

func (w *supplying) policy(_ context.Context, s *plan.Step) (err error) {
	if s.Target, err = w.used.Target(); err != nil {
		return err
	}
	in := w.used.Pays
	s.Promise = supplied(in, w.least)
	s.Append, s.Explain = w.used.Append(w.least.Raw), w.used.Explain(w.check("_refused"), w.Name)
	s.Guarantee = "Exactly " + in.String() + " is supplied, or the transaction fails and only gas is spent. " +
		"A later withdrawal has no minimum yet."
	if w.least.Raw > 0 {
		s.Guarantee = "At least " + w.least.String() + " arrives for " + in.String() +
			", or nothing is supplied and only gas is spent. " +
			"It has no minimum value later."
	}
	s.Locks = w.locks()
	return nil
}

// locks describes the restrictions and risks of a supply.
func (w *supplying) locks() []string {
	list := []string{"You can withdraw at any time while " + w.Name + " has enough that is not lent out."}
	for _, r := range w.way.Function.Risks {
		list = append(list, floor.RiskText(r))
	}
	return list
}

// Read implements plan.Adapter.
func (a *supply) Read(r *readback.Reader) (plan.StepFacts, error) {
	got, way, err := a.read(r, floor.Supply)
	if err != nil {
		return plan.StepFacts{}, err
	}
	in, receipt, err := amounts(got, leaves, least, way.Out != "")
	if err != nil {
		return plan.StepFacts{}, err
	}
	f := a.facts(got, way)
	f.Promise = supplied(in, receipt)
	return f, nil
}

// ReportResult implements plan.ResultReporter.
func (a *supply) ReportResult(_ sui.Executed, s plan.StepFacts) plan.Result {
	amount := s.Promise.Amount(plan.RoleInput)
	r := plan.Result{Title: "Supplied " + amount.String() + " to " + a.Name,
		Where: amount.String() + " is lent out by " + a.Name + ", in your account's name.",
		Next:  "To take it back, ask your AI client to withdraw it from " + a.Name + "."}
	if receipt := s.Promise.Of(plan.RoleOutput); len(receipt) > 0 {
		r.Where = "Your account holds " + receipt[0].Coin.Symbol + " for it, which " + a.Name + " takes back for " +
			amount.Symbol + "."
	}
	return r
}
