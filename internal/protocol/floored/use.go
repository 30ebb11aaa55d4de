// Package floored prepares actions of the protocols that package floor describes. It builds their
// calls, quotes them by simulating the same calls with a minimum of one unit, and reads them back.
package floored

import (
	"context"
	"slices"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/floor"
	"github.com/sayurintent/sayurintent/internal/protocol/venue"
	"github.com/sayurintent/sayurintent/internal/protocol/versions"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/readback"
)

// Chain is the part of a node that this package uses.
type Chain interface {
	versions.Node
	Simulate(ctx context.Context, tx *sui.Transaction, checks bool) (sui.Simulation, error)
	// Present reads objects, and omits those that do not exist.
	Present(ctx context.Context, ids []sui.ObjectID) ([]sui.Object, error)
	// Balance returns an account's balance of a coin.
	Balance(ctx context.Context, owner sui.Address, coin sui.CoinType) (sui.Balance, error)
}

// Use is one use of a function with its arguments.
type Use struct {
	Function *floor.Function
	Inputs   floor.Inputs
	Pays     plan.Amount       // zero if no coin is paid
	Route    plan.SharedObject // the shared object that the review names as the route
}

// Function returns a function of this program's protocols. It returns nil if the id is unknown.
func Function(id string) *floor.Function {
	f, _ := floor.Known().Function(id)
	return f
}

// kind collects a transaction that is inspected or simulated but never signed.
type kind struct{ sui.Kind }

// Input adds an input. A shared object is a single input even if it is used several times.
func (k *kind) Input(in sui.Input) sui.Argument {
	if shared, ok := in.(sui.SharedInput); ok {
		for i, old := range k.Inputs {
			if before, is := old.(sui.SharedInput); is && before.ID == shared.ID {
				before.Mutable = before.Mutable || shared.Mutable
				k.Inputs[i] = before
				return sui.InputArg(i)
			}
		}
	}
	k.Inputs = append(k.Inputs, in)
	return sui.InputArg(len(k.Inputs) - 1)
}

// Add appends a command.
func (k *kind) Add(c sui.Command) sui.Argument {
	k.Commands = append(k.Commands, c)
	return sui.ResultArg(len(k.Commands) - 1)
}

// Next returns the index of the next command.
func (k *kind) Next() int { return len(k.Commands) }

// Target returns the target of the main call, and the shared objects that the use changes.
func (u Use) Target() (plan.Target, error) {
	k := &kind{}
	u.Inputs.Paid = sui.GasCoin // a placeholder: Target does not report arguments
	built, err := u.Function.Build(k, u.Inputs)
	if err != nil {
		return plan.Target{}, wrong(err)
	}
	t := plan.Target{Package: built.Call.Package, Function: built.Call.Module + "::" + built.Call.Function,
		TypeArgs: built.Call.TypeArgs, RouteID: u.Route.ID, Shared: u.Route.Initial}
	for _, in := range k.Inputs {
		if s, ok := in.(sui.SharedInput); ok && s.Mutable && s.ID != u.Route.ID {
			t.Also = append(t.Also, plan.SharedObject{ID: s.ID, Initial: s.InitialVersion})
		}
	}
	return t, nil
}

func wrong(err error) error {
	return fault.Wrap(err, fault.InternalError, "The calls of the protocol cannot be built.")
}

// Append returns a function that adds the calls to a transaction, with a minimum of least.
func (u Use) Append(least sui.Raw) func(*plan.Builder) error {
	return func(b *plan.Builder) (err error) {
		in := u.Inputs
		in.Least = least
		if u.Pays.Raw > 0 {
			if in.Paid, err = b.Fund(u.Pays); err != nil {
				return err
			}
		}
		built, err := u.Function.Build(b, in)
		if err != nil {
			return wrong(err)
		}
		home := built.Home
		if built.Coin != "" && !b.Pass(built.Coin, built.Out) {
			home = append(home, built.Out)
		}
		if len(home) > 0 {
			b.Add(sui.TransferObjects{Objects: home, Recipient: b.Input(sui.PureAddress(b.Account))})
		}
		return nil
	}
}

// Quoted is the result of simulating a use.
type Quoted struct {
	Out    sui.Raw
	At     time.Time
	Failed *sui.ExecutionStatus // set if the simulation failed
	Events []sui.Event
}

// Quote simulates the calls with a minimum of one unit, after the earlier steps. It reads the amount
// from the call's result, because the account's balance change would include gas.
func (u Use) Quote(ctx context.Context, chain Chain, s *plan.Step) (Quoted, error) {
	tx, at, err := u.question(ctx, s)
	if err != nil {
		return Quoted{}, err
	}
	sim, err := chain.Simulate(ctx, tx, false)
	if err != nil {
		return Quoted{}, err
	}
	q := Quoted{At: sim.At, Events: sim.Events}
	if q.At.IsZero() {
		q.At = s.Now()
	}
	if !sim.Status.OK {
		q.Failed = &sim.Status
		return q, nil
	}
	if u.Function.Floor == nil {
		return q, nil
	}
	out, ok := floor.Returned(sim, at)
	if !ok {
		return q, fault.New(fault.ProviderMismatch,
			"The node's simulation returned values of an unexpected shape.")
	}
	q.Out = out
	return q, nil
}

// question builds the transaction to simulate. It is never signed.
func (u Use) question(ctx context.Context, s *plan.Step) (*sui.Transaction, floor.Place, error) {
	k, in := &kind{}, u.Inputs
	in.Least = 1 // any minimum, so that the commands are those of the signed transaction
	before, err := s.Funded(ctx, u.Pays)
	switch {
	case err != nil:
		return nil, floor.Place{}, err
	case before != nil:
		k.Inputs, k.Commands = slices.Clone(before.Transaction.Inputs), slices.Clone(before.Transaction.Commands)
		in.Paid = before.Paid
	case u.Pays.Raw > 0:
		in.Paid = sui.NestedArg(k.Next(), 0)
		k.Add(sui.SplitCoins{Coin: sui.GasCoin, Amounts: []sui.Argument{k.Input(sui.PureU64(uint64(u.Pays.Raw)))}})
	}
	built, err := u.Function.Build(k, in)
	if err != nil {
		return nil, floor.Place{}, wrong(err)
	}
	home := built.Home
	if built.Coin != "" {
		home = append(home, built.Out)
	}
	if len(home) > 0 {
		k.Add(sui.TransferObjects{Objects: home, Recipient: k.Input(sui.PureAddress(s.Account))})
	}
	return &sui.Transaction{Inputs: k.Inputs, Commands: k.Commands, Sender: s.Account, Gas: sui.Gas{Owner: s.Account},
		Expiration: sui.NoExpiration{}}, built.At, nil
}

// Read reads the next commands of a transaction as a use of one of the functions.
func Read(r *readback.Reader, ids ...string) (*floor.Reading, error) {
	return floor.Known().ReadStep(r, func(f *floor.Function) bool { return slices.Contains(ids, f.ID) })
}

// Facts returns the facts of a step that follow from a reading, without its promise, terms and route.
func Facts(r *floor.Reading) plan.StepFacts {
	call := r.Main()
	f := plan.StepFacts{Package: call.Package, Function: call.Fn, TypeArgs: []string{}}
	for _, t := range call.Types {
		f.TypeArgs = append(f.TypeArgs, t.String())
	}
	for _, a := range r.Floors() {
		f.Floors = append(f.Floors, plan.Floor{Command: a.Split, Least: Asset(a.Coin).Of(a.Least)})
	}
	for _, n := range r.Notes {
		f.Commands = append(f.Commands, say(r, n)...)
	}
	if len(r.Arrives)+len(r.Gives) > 0 {
		f.Sends = r.Account
		if slices.ContainsFunc(r.Arrives, func(a floor.Arrival) bool { return a.Kept }) {
			f.Commands = append(f.Commands, "Keep the result for a later step.")
		}
	}
	return f
}

// say describes the commands of a note in sentences.
func say(r *floor.Reading, n floor.Note) []string {
	switch n.Kind {
	case floor.NoteFunds:
		funded := r.Funded[n.At]
		return plan.FundedWords(funded, Asset(r.Leaves[n.At].Coin).Of(funded.Amount))
	case floor.NoteCall:
		if n.At == 0 {
			return []string{r.Headline(floor.Name)}
		}
		return []string{"Call " + r.Calls[n.At].Fn + "."}
	case floor.NoteEmpty:
		return []string{"Make an empty " + Asset(n.Coin).Symbol + " coin, which the call takes."}
	case floor.NoteCoin:
		return []string{"Make a coin from the result."}
	case floor.NoteFloor:
		a, _ := r.AtFloor(n.At)
		return []string{"Split " + Asset(a.Coin).Of(a.Least).String() +
			" off the result. If it holds less, the transaction fails.",
			"Merge it back."}
	case floor.NoteSend:
		return []string{"Send the result to " + r.Account.String() + "."}
	}
	return []string{"Prepare what the call takes."}
}

// Asset returns a coin in the form that reviews show.
func Asset(of sui.CoinType) plan.Asset {
	if c, ok := floor.Known().CoinByType(of); ok {
		return venue.Asset(c)
	}
	return plan.UnreadCoin(of)
}

// Explain returns a function that converts an abort to a stop, using the description's texts. check
// and label identify the failed check.
func (u Use) Explain(check, label string) func(sui.MoveAbort) *plan.Stop {
	return func(a sui.MoveAbort) *plan.Stop {
		text, ok := u.Function.Abort(a)
		if !ok {
			return nil
		}
		return &plan.Stop{Reason: plan.ObjectResolutionFailed,
			Check: plan.Fail(plan.SourceSimulation, check, label, text,
				"Check again. If it fails again, prepare a new review.")}
	}
}
