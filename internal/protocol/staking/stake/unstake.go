package stake

import (
	"context"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/floor"
	"github.com/sayurintent/sayurintent/internal/protocol/floored"
	"github.com/sayurintent/sayurintent/internal/protocol/staking"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/readback"
)

// Unstake prepares withdrawing a whole stake. It implements plan.Adapter.
type Unstake struct {
	source Source
	chain  floored.Chain
}

// NewUnstake returns an Unstake that reads from source and simulates on chain.
func NewUnstake(source Source, chain floored.Chain) *Unstake { return &Unstake{source, chain} }

// Meta implements plan.Adapter.
func (*Unstake) Meta() plan.Meta {
	return plan.Meta{
		Aliases: []string{"unstake", "unstakesui", "withdrawstake", "undelegate"}, Takes: []string{fieldStake, "to"},
		Fields:   []plan.Field{plan.AddressField(fieldStake, "unstake")},
		Harmless: true,
		Action:   "unstake", Slug: slug, Protocol: "Sui", Label: "Sui", AdapterID: "sui-unstake",
		StageCatalog: "sui_unstake_review_v1", CheckPrefix: prefix,
		Stages: []plan.StageID{plan.StageIntent, StageStake, StageQuote, StagePolicy},
		Words: plan.StageWords{StageStake: "Looking up the stake", StageQuote: "Simulating the withdrawal",
			StagePolicy: "Calculating the minimum you receive"},
		Packages: []sui.ObjectID{system}, Functions: []string{"sui_system::request_withdraw_stake_non_entry"},
		Unreported: []string{termStake},
	}
}

// Plan implements plan.Adapter. Its errors name the field.
func (*Unstake) Plan(in plan.Intent, _ time.Time) (plan.Plan, error) {
	if err := in.Only(fieldStake, "to"); err != nil {
		return plan.Plan{}, err
	}
	id, err := plan.ReadObjectID("intent."+fieldStake, in.Own[fieldStake], "the stake")
	if err != nil {
		return plan.Plan{}, err
	}
	if in.To.Symbol != plan.SUI.Symbol {
		return plan.Plan{}, fault.New(fault.InputInvalid,
			"A stake is withdrawn as SUI: set to.symbol to SUI.").With("field", "intent.to.symbol")
	}
	return plan.Plan{
		Title: "Withdraw a stake", Asked: "withdraw the stake " + id.String(), Subject: id,
		Summary: "Withdraw the stake " + id.String() + " with its reward. It arrives at once.",
		Promise: plan.Promise{Outcomes: []plan.Outcome{{Name: "withdrawn",
			Bounds: []plan.Bound{{Role: plan.RoleOutput, Coin: plan.SUI}}}}},
	}, nil
}

// ReadAbort implements plan.AbortReader.
func (*Unstake) ReadAbort(a sui.MoveAbort, _ plan.StepFacts) *plan.Stop { return refused(unstakeID)(a) }

// withdrawal is the state of one computation of a withdrawal.
type withdrawal struct {
	*Unstake
	use floored.Use
	out sui.Raw
}

// Stages implements plan.Adapter.
func (a *Unstake) Stages(p plan.Plan) []plan.Stage {
	w := &withdrawal{Unstake: a}
	return []plan.Stage{
		asked(p),
		{ID: StageStake, Run: func(ctx context.Context, s *plan.Step) error { return w.resolve(ctx, s, p.Subject) }},
		{ID: StageQuote, Run: w.quote},
		{ID: StagePolicy, Run: func(_ context.Context, s *plan.Step) error { return w.policy(s, p.Subject) }},
	}
}

// resolve reads the stake.
func (w *withdrawal) resolve(ctx context.Context, s *plan.Step, id sui.ObjectID) error {
	held, o, err := w.source.One(ctx, s.Account, id)
	if fault.Is(err, fault.InputInvalid) {
		return stop("Stake", fault.As(err).Text, "Ask your AI client which stakes this account has.")
	}
	if err != nil {
		return err
	}
	says := "You staked " + plan.SUI.Of(held.Principal).String()
	if v := held.Validator; v != nil {
		says += " with a validator that calls itself “" + v.Name + "”"
	}
	says += "."
	if reward := held.Reward(); reward != nil {
		says += " It has earned about " + plan.SUI.Of(*reward).String() + "."
	}
	s.Outlook.Subject = &plan.Subject{Title: "Withdraw a stake", Part: "Stake", Says: says}
	s.Check(plan.Pass(plan.SourceNetwork, prefix+"_stake", "Stake", says))
	s.Objects = []plan.OwnedObject{{Ref: o.Ref, Type: staking.StakedType}}
	w.use = floored.Use{Function: floored.Function(unstakeID), Route: state, Inputs: floor.Inputs{Own: &o.Ref}}
	return nil
}

// quote simulates the withdrawal without a minimum.
func (w *withdrawal) quote(ctx context.Context, s *plan.Step) error {
	q, err := w.use.Quote(ctx, w.chain, s)
	if err != nil {
		return err
	}
	if q.Failed != nil {
		why := "The simulation failed."
		if a := q.Failed.Abort; a != nil {
			if text, ok := w.use.Function.Abort(*a); ok {
				why = text
			}
		}
		return stop("Stake", "The stake cannot be withdrawn. "+why, "Check again later.")
	}
	//mutant:never ./internal/protocol/staking/stake TestUnstakeRefused
	if q.Out == 0 {
		return stop("Stake", "The withdrawal would pay nothing.", "Check again later.")
	}
	w.out = q.Out
	pays := plan.SUI.Of(q.Out).String()
	s.Read(plan.Reading{Name: "withdrawal", Value: pays, Moves: true})
	s.Check(plan.Pass(plan.SourceQuote, prefix+"_quote", "Simulation",
		"The withdrawal pays "+pays+" until the epoch ends."))
	return nil
}

func (w *withdrawal) policy(s *plan.Step, id sui.ObjectID) (err error) {
	if s.Target, err = w.use.Target(); err != nil {
		return err
	}
	least := plan.SUI.Of(w.out)
	s.Promise, s.Terms = withdrawn(least), terms(id)
	s.Append, s.Explain = w.use.Append(least.Raw), refused(unstakeID)
	s.Guarantee = "At least " + least.String() + " arrives, or nothing is withdrawn and only gas is spent."
	s.Locks = []string{"The stake ends, and earns nothing from now on."}
	return nil
}

// withdrawn returns the promise of a withdrawal.
func withdrawn(least plan.Amount) plan.Promise {
	return plan.Promise{Outcomes: []plan.Outcome{{Name: "withdrawn", Bounds: []plan.Bound{plan.Arrives(least)}}}}
}

func terms(id sui.ObjectID) []plan.Term { return []plan.Term{{Name: termStake, Value: id.String()}} }

// Read implements plan.Adapter. It rejects a withdrawal without a minimum.
func (*Unstake) Read(r *readback.Reader) (plan.StepFacts, error) {
	got, err := floored.Read(r, unstakeID)
	if err != nil {
		return plan.StepFacts{}, err
	}
	floors := got.Floors()
	//mutant:never ./internal/protocol/staking/stake TestReadRefuses
	if len(floors) != 1 || len(got.Own) != 1 {
		return plan.StepFacts{}, readback.Unlike("It does not withdraw one stake with a minimum.")
	}
	f := floored.Facts(got)
	f.Promise, f.RouteID, f.Terms = withdrawn(plan.SUI.Of(floors[0].Least)), state.ID, terms(got.Own[0].ID)
	return f, nil
}

// FromEvents implements plan.Adapter. It reports nothing, because no event names the stake.
func (*Unstake) FromEvents(sui.Address, []sui.Event) (plan.Reported, error) {
	return plan.Reported{}, nil
}
