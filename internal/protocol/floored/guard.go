package floored

import (
	"context"
	"slices"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/floor"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Debts reads an account's debts in lending positions that are controlled by an object of the account.
// positions.Reader implements it.
type Debts interface {
	Owes(ctx context.Context, owner sui.Address, protocol string) (owes, known bool, err error)
}

// keyed reports whether the protocol has positions that an object of the account controls.
func (p *protocol) keyed() bool {
	return p.debts != nil && slices.ContainsFunc(p.Functions, floor.Function.TakesObject)
}

// loans stops the review if the account has loans in such a position, or may have.
func (p *protocol) loans(ctx context.Context, s *plan.Step) error {
	owes, known, err := p.debts.Owes(ctx, s.Account, p.Name)
	why, do := "", "Use "+p.Name+"'s own pages for an account with loans."
	switch {
	case err != nil:
		return err
	//mutant:never ./internal/protocol/floored TestLoansRefused
	case owes:
		why = "This account has loans at " + p.Name + ", which a change of its supply can put at risk."
	//mutant:never ./internal/protocol/floored TestUnreadPosition
	case !known:
		why, do = "This account holds a position of "+p.Name+" that could not be read, so it may have loans.",
			"Use "+p.Name+"'s own pages, or update Say Ur Intent."
	default:
		s.Check(plan.Pass(plan.SourceNetwork, p.check("_account"), p.Name, "This account has no loans at "+p.Name+"."))
		return nil
	}
	return &plan.Stop{Reason: plan.UnsupportedAction, Check: plan.Fail(plan.SourceNetwork, p.check("_account"), p.Name,
		why, do)}
}

// guard makes the calls in the description that detect accounts to refuse, such as accounts with
// loans.
func (p *protocol) guard(ctx context.Context, u Use, s *plan.Step) error {
	if p.keyed() {
		if err := p.loans(ctx, s); err != nil {
			return err
		}
	}
	for i, g := range u.Function.Refuse {
		k, in := &kind{}, u.Inputs
		in.Addresses = map[string]sui.Address{"account": s.Account}
		at, err := u.Function.BuildGuard(k, in, i)
		if err != nil {
			return wrong(err)
		}
		sim, err := p.chain.Simulate(ctx, &sui.Transaction{Inputs: k.Inputs, Commands: k.Commands, Sender: s.Account,
			Gas: sui.Gas{Owner: s.Account}, Expiration: sui.NoExpiration{}}, false)
		if err != nil {
			return err
		}
		//mutant:never ./internal/protocol/floored TestGuardUnanswered
		if !sim.Status.OK || at >= len(sim.Returns) || g.Result >= len(sim.Returns[at]) ||
			len(sim.Returns[at][g.Result].BCS) == 0 {
			return fault.New(fault.ProviderMismatch, "The node's simulation does not show whether %s refuses this account.",
				p.Name)
		}
		//mutant:never ./internal/protocol/floored TestLoansRefused
		// an empty vector is a single zero byte
		if len(sim.Returns[at][g.Result].BCS) != 1 || sim.Returns[at][g.Result].BCS[0] != 0 {
			return &plan.Stop{Reason: plan.UnsupportedAction, Check: plan.Fail(plan.SourceNetwork, p.check("_account"), p.Name,
				g.Say, g.Do)}
		}
		s.Check(plan.Pass(plan.SourceNetwork, p.check("_account"), p.Name, g.Pass))
	}
	return nil
}
