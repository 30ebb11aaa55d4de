package gate

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// simulate is the gate review_time_simulation. It simulates the exact bytes, with all checks that a
// real execution makes.
func simulate(ctx context.Context, from *described) (*simulated, error) {
	r := &simulated{described: from}
	sim, err := r.c.Simulator.SimulateBytes(ctx, r.bytes, true)
	if err != nil {
		return r, err
	}
	if !sim.Status.OK {
		return r, r.failed(r.tx, sim.Status).Under("C19")
	}
	if sim.Digest != r.digest || sim.Sender != r.session.Account {
		return r, &plan.Stop{Reason: plan.EffectsMismatch,
			Check: plan.Fail(plan.SourceSimulation, "review_time_simulation_result_invalid", "Simulation",
				"The node answered for another transaction than the one it was asked to simulate.",
				"Do not use this node; choose another one, then check again.").Under("C19")}
	}
	r.sim = sim
	r.summary = &record.SimulationSummary{
		Provider: "sui_full_node", ChecksEnabled: true, Success: true, SimulatedAt: r.c.Now(), Gas: sim.Gas,
		GasNet:         sim.Gas.Net(),
		BalanceChanges: orEmpty(sim.Balances), ObjectChanges: orEmpty(sim.Objects), BoundToCommitment: r.commitment,
	}
	r.check(plan.Pass(plan.SourceSimulation, "review_time_simulation_evidence", "Simulation",
		"A node simulated these exact bytes with all checks on, and they succeeded."))
	return r, nil
}

func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// failed converts a failed simulation to a stop. It asks the adapters first, because they know
// their protocol's abort codes. A market that moved requires a refresh and does not block.
func (r *planned) failed(tx *sui.Transaction, s sui.ExecutionStatus) *plan.Stop {
	for _, step := range r.steps {
		if s.Abort == nil || step.Explain == nil {
			continue
		}
		if stop := step.Explain(*s.Abort); stop != nil {
			return stop
		}
	}
	fail := func(reason plan.Reason, message, do string) *plan.Stop {
		return &plan.Stop{Reason: reason,
			Check: plan.Fail(plan.SourceSimulation, "review_time_simulation_result_failed", "Simulation", message, do)}
	}
	kind := strings.ToUpper(s.Kind)
	if floor, short := r.short(tx, s); short {
		return fail(plan.QuoteStale, "Less than "+floor.Least.String()+" would come out now, so nothing would be done.",
			"Update to ask again.")
	}
	switch {
	case s.Abort != nil:
		return fail(plan.ObjectResolutionFailed,
			fmt.Sprintf("The simulation failed: the contract %s::%s refused with code %d.",
				s.Abort.Package.Short(), plan.SafeName(s.Abort.Module), s.Abort.Code),
			"Check again. If the problem persists, prepare a new review.")
	case strings.Contains(kind, "DENIED_FOR_COIN"):
		return fail(plan.UnsupportedAction,
			"The simulation failed because the coin's issuer has blocked your account or the recipient. "+
				"Nobody here can change that.",
			"Ask the issuer of the coin, or prepare a new review with another recipient or coin.")
	case strings.Contains(kind, "GLOBAL_PAUSE"):
		return fail(plan.UnsupportedAction,
			"The simulation failed because the coin's issuer has paused all transfers.",
			"Wait until the issuer ends the pause, then check again.")
	case strings.Contains(kind, "INSUFFICIENT_GAS"), strings.Contains(kind, "GAS_BALANCE"):
		return fail(plan.InsufficientGas, "The simulation ran out of gas.", "Update to estimate the gas again.")
	case strings.Contains(kind, "INSUFFICIENT"):
		return fail(plan.InsufficientBalance, "The simulation failed because a coin holds less than the transaction "+
			"takes from it.",
			"Update to read the balances again.")
	}
	return fail(plan.ObjectResolutionFailed, "The simulation failed: "+plan.SafeName(s.Kind)+".",
		"Check again. If the problem persists, prepare a new review.")
}

// short returns the minimum that was missed, or false if the transaction failed for another reason.
func (r *planned) short(tx *sui.Transaction, s sui.ExecutionStatus) (plan.Floor, bool) {
	if s.Kind != sui.InsufficientCoin {
		return plan.Floor{}, false
	}
	facts, err := plan.ReadFacts(tx, r.adapters)
	if err != nil {
		return plan.Floor{}, false
	}
	return facts.Short(s)
}

// earlier returns a function that builds the first n steps for a step's simulations, and caches
// them.
func (r *planned) earlier(n int, fed plan.Fed, always bool) func(context.Context, plan.Amount) (*plan.Ahead, error) {
	built := map[plan.Amount]*plan.Ahead{}
	var one sync.Mutex // the adapters on a second node call it concurrently
	return func(ctx context.Context, pays plan.Amount) (*plan.Ahead, error) {
		one.Lock()
		defer one.Unlock()
		if a, ok := built[pays]; ok {
			return a, nil
		}
		a, err := r.ahead(ctx, n, fed, pays, always)
		if err == nil {
			built[pays] = a
		}
		return a, err
	}
}

// ahead builds the first n steps with their coins, as the start of the next step's quote. The
// result is never signed. Unless always is set, it returns nil for a step that takes no result if
// no earlier step uses a shared object or creates one.
func (r *planned) ahead(ctx context.Context, n int, fed plan.Fed, pays plan.Amount, always bool) (*plan.Ahead, error) {
	steps := r.steps[:n]
	changes := slices.ContainsFunc(steps, func(s *plan.Step) bool {
		return !s.Target.RouteID.IsZero() ||
			s.Plan.Makes != ""
	})
	if fed.Step == 0 && !changes && !always {
		return nil, nil
	}
	before := &funded{planned: &planned{input: r.input, steps: slices.Clone(steps)}}
	if fed.Step == 0 && pays.Raw > 0 {
		before.steps = append(before.steps, &plan.Step{Needs: []plan.CoinRequest{{Role: plan.RoleInput, Amount: pays}}})
	}
	var rows []plan.Bound
	for _, s := range before.steps {
		for _, n := range s.Needs {
			rows = append(rows, plan.Leaves(n.Role, n.Amount))
		}
	}
	before.promise = plan.Promise{Outcomes: []plan.Outcome{{Bounds: rows}}}
	p, err := before.collect(ctx)
	if err != nil {
		return nil, err
	}
	chosen, err := before.choose(p, r.c.Limits.LeastGasBudget)
	if err != nil {
		return nil, err
	}
	b := plan.NewBuilder(r.session.Account, chosen.selections...)
	for _, s := range steps {
		b.Begin(s.Feeds, s.Fed)
		if err := s.Append(b); err != nil {
			return nil, err
		}
	}
	b.Begin(nil, fed)
	kind, paid, err := b.Ahead(pays)
	if err != nil {
		return nil, err
	}
	return &plan.Ahead{Paid: paid, Transaction: sui.Transaction{Inputs: kind.Inputs, Commands: kind.Commands,
		Sender: r.session.Account,
		Gas:    sui.Gas{Owner: r.session.Account}, Expiration: sui.NoExpiration{}}}, nil
}
