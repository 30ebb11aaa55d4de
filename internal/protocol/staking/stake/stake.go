// Package stake prepares reviews that stake SUI with a validator, or withdraw a stake.
//
// The amount and the validator are in the bytes, and so is the minimum that a withdrawal pays. The
// payment is fixed until the epoch ends, so the minimum is the simulated amount.
package stake

import (
	"context"
	"slices"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/floor"
	"github.com/sayurintent/sayurintent/internal/protocol/floored"
	"github.com/sayurintent/sayurintent/internal/protocol/staking"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/readback"
)

// Stages of these adapters.
const (
	StageValidator plan.StageID = "validator_resolved"
	StageStake     plan.StageID = "stake_resolved"
	StageQuote     plan.StageID = "quote_evidence_fetched"
	StagePolicy    plan.StageID = "staking_policy_derived"
)

const (
	prefix        = "staking"
	slug          = "sui"
	termValidator = "Validator"
	termStake     = "Stake"
	stakeID       = "staking.stake"
	entryID       = "staking.stake_entry" // a hardware wallet shows this call
	unstakeID     = "staking.unstake"
	leastStake    = 1_000_000_000 // MIST
)

// Fields of an intent that only these actions have.
const (
	fieldValidator = "validator"   // the validator's address
	fieldStake     = "stakedSuiId" // the id of a stake's object
)

var (
	system = sui.MustAddress("0x3")
	state  = plan.SharedObject{ID: sui.MustAddress("0x5"), Initial: 1} // version at which the system object was shared
)

// Source reads validators and stakes. staking.Reader implements it.
type Source interface {
	Validator(ctx context.Context, at sui.Address) (sui.ActiveValidator, bool, error)
	One(ctx context.Context, owner sui.Address, id sui.ObjectID) (staking.Stake, sui.Object, error)
}

// Stake prepares staking. It implements plan.Adapter.
type Stake struct{ source Source }

// NewStake returns a Stake that reads from source.
func NewStake(source Source) *Stake { return &Stake{source} }

// Meta implements plan.Adapter.
func (*Stake) Meta() plan.Meta {
	return plan.Meta{
		Aliases: []string{"stake", "stakesui", "delegate"}, Takes: []string{"from", fieldValidator},
		Fields: []plan.Field{plan.AddressField(fieldValidator, "stake")},
		Action: "stake", Slug: slug, Protocol: "Sui", Label: "Sui", AdapterID: "sui-stake",
		StageCatalog: "sui_stake_review_v1", CheckPrefix: prefix,
		Stages: []plan.StageID{plan.StageIntent, StageValidator, StagePolicy},
		Words: plan.StageWords{StageValidator: "Looking up the validator",
			StagePolicy: "Determining what the transaction must contain"},
		Packages: []sui.ObjectID{system}, Functions: []string{"sui_system::request_add_stake_non_entry",
			"sui_system::request_add_stake"},
	}
}

// Plan implements plan.Adapter. Its errors name the field.
func (*Stake) Plan(in plan.Intent, _ time.Time) (plan.Plan, error) {
	if err := in.Only("from", fieldValidator); err != nil {
		return plan.Plan{}, err
	}
	if in.From.Symbol != plan.SUI.Symbol {
		return plan.Plan{}, fault.New(fault.InputInvalid, "Only SUI can be staked.").With("field", "intent.from.symbol")
	}
	amount, err := plan.ReadAmount("intent.from.amount", in.From.Amount, plan.SUI)
	if err != nil {
		return plan.Plan{}, err
	}
	if amount.Raw < leastStake {
		return plan.Plan{}, fault.New(fault.InputInvalid, "A stake must be at least 1 SUI.").With("field",
			"intent.from.amount")
	}
	to, err := sui.ParseAccount(in.Own[fieldValidator])
	if err != nil {
		return plan.Plan{}, fault.New(fault.InputInvalid,
			"validator must be the complete address of a validator. read.list_validators lists them.").With("field",
			"intent."+fieldValidator)
	}
	return plan.Plan{
		Title: "Stake " + amount.String(), Asked: "stake " + amount.String() + " with the validator " + to.String(),
		Summary: "Stake " + amount.String() + " with the validator " + to.String() + ".",
		Same:    to.String(), Promise: promise(amount),
	}, nil
}

// promise returns the promise of staking: exactly the amount leaves.
func promise(a plan.Amount) plan.Promise {
	return plan.Promise{Outcomes: []plan.Outcome{{Name: "staked",
		Bounds: []plan.Bound{plan.Moves(plan.RoleInput, plan.Party{}, a, true)}}}}
}

func asked(p plan.Plan) plan.Stage {
	return plan.Stage{ID: plan.StageIntent, Run: func(_ context.Context, s *plan.Step) error {
		s.Check(plan.Pass(plan.SourceAdapter, prefix+"_display_intent", "Request", "You asked to "+p.Asked+"."))
		return nil
	}}
}

// Stages implements plan.Adapter.
func (a *Stake) Stages(p plan.Plan) []plan.Stage {
	to := sui.MustAddress(p.Same)
	return []plan.Stage{
		asked(p),
		{ID: StageValidator, Run: func(ctx context.Context, s *plan.Step) error { return a.resolve(ctx, s, to) }},
		{ID: StagePolicy, Run: func(_ context.Context, s *plan.Step) error { return policy(s, p.Input(), to) }},
	}
}

// resolve looks up the validator.
func (a *Stake) resolve(ctx context.Context, s *plan.Step, to sui.Address) error {
	v, ok, err := a.source.Validator(ctx, to)
	if err != nil {
		return err
	}
	if !ok {
		return stop("Validator", "No validator of this epoch has the address "+to.String()+".",
			"Ask your AI client for the list of validators.")
	}
	commission := plan.Percent(int(v.Commission))
	s.Outlook.Subject = &plan.Subject{Title: "Stake with a validator", Holder: to, Part: "Validator",
		Says: "It calls itself “" + v.Name + "” and keeps " + commission + " of rewards."}
	s.Read(plan.Reading{Name: "commission", Value: commission})
	s.Check(plan.Pass(plan.SourceNetwork, prefix+"_validator", "Validator",
		"The validator is active and keeps "+commission+" of rewards."))
	return nil
}

func stop(label, message, do string) *plan.Stop {
	return &plan.Stop{Reason: plan.ObjectResolutionFailed,
		Check: plan.Fail(plan.SourceNetwork, prefix+"_stake", label, message, do)}
}

func policy(s *plan.Step, amount plan.Amount, to sui.Address) (err error) {
	id := stakeID
	if s.Device {
		id = entryID
	}
	use := floored.Use{Function: floored.Function(id), Pays: amount, Route: state,
		Inputs: floor.Inputs{Addresses: map[string]sui.Address{"validator": to}}}
	if s.Target, err = use.Target(); err != nil {
		return err
	}
	s.Promise, s.Needs = promise(amount), []plan.CoinRequest{{Role: plan.RoleInput, Amount: amount}}
	s.Terms = []plan.Term{{Name: termValidator, Value: to.String()}}
	s.Append, s.Explain = use.Append(0), refused(stakeID)
	s.Guarantee = "Exactly " + amount.String() + " is staked with " + to.String() +
		", or the transaction fails and only gas is spent. " +
		"The reward is not guaranteed."
	s.Locks = []string{"The stake earns from the next epoch on. You can withdraw it at any time; the SUI arrives at once."}
	return nil
}

// Read implements plan.Adapter.
func (*Stake) Read(r *readback.Reader) (plan.StepFacts, error) {
	got, err := floored.Read(r, stakeID, entryID)
	if err != nil {
		return plan.StepFacts{}, err
	}
	if len(got.Leaves) != 1 || len(got.Named) != 1 {
		return plan.StepFacts{}, readback.Unlike("It does not stake one amount with one validator.")
	}
	f := floored.Facts(got)
	f.Promise, f.RouteID = promise(plan.SUI.Of(got.Leaves[0].Most)), state.ID
	f.Terms = []plan.Term{{Name: termValidator, Value: got.Named[0].Address.String()}}
	return f, nil
}

// requested is the size in bytes of validator::StakingRequestEvent: pool, validator, staker, epoch,
// amount.
const requested = 3*32 + 2*8

// FromEvents implements plan.Adapter.
func (*Stake) FromEvents(account sui.Address, events []sui.Event) (plan.Reported, error) {
	var out plan.Reported
	for at, e := range events {
		if e.Type != system.String()+"::validator::StakingRequestEvent" {
			continue
		}
		if len(e.Contents) != requested || sui.Address(e.Contents[64:96]) != account {
			return out, fault.New(fault.ProviderMismatch,
				"The node reports a malformed stake, or one of another account.")
		}
		out.All = append(out.All, at)
		out.Actions = append(out.Actions, plan.Action{Events: []int{at},
			Terms: []plan.Term{{Name: termValidator, Value: sui.Address(e.Contents[32:64]).String()}}})
	}
	return out, nil
}

// ReadAbort implements plan.AbortReader.
func (*Stake) ReadAbort(a sui.MoveAbort, _ plan.StepFacts) *plan.Stop { return refused(stakeID)(a) }

// refused returns a function that explains the aborts of a described function.
func refused(id string) func(sui.MoveAbort) *plan.Stop {
	return floored.Use{Function: floored.Function(id)}.Explain(prefix+"_refused", "Staking")
}

// ReportResult implements plan.ResultReporter. It names the created stake.
func (*Stake) ReportResult(e sui.Executed, s plan.StepFacts) plan.Result {
	amount := s.Promise.Amount(plan.RoleInput).String()
	r := plan.Result{Title: "Staked " + amount, Where: amount +
		" is in a stake of your account, and earns from the next epoch on.",
		Next: "To withdraw it, ask your AI client to unstake it.", Holds: slices.Clone(s.Terms)}
	for _, o := range e.Objects {
		if o.Change == "created" && o.Type == staking.StakedType {
			r.Holds = append(r.Holds, plan.Term{Name: termStake, Value: o.ID.String()})
		}
	}
	return r
}
