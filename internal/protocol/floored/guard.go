package floored

import (
	"context"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review/plan"
)

// guard asks the protocol what its description says that must not be, such as loans.
func (p *protocol) guard(ctx context.Context, u Use, s *plan.Step) error {
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
		//mutant:never ./internal/protocol/floored TestLoansRefused
		if !sim.Status.OK || at >= len(sim.Returns) || g.Result >= len(sim.Returns[at]) ||
			len(sim.Returns[at][g.Result].BCS) == 0 {
			return fault.New(fault.ProviderMismatch, "The node's simulation does not say whether %s refuses this account.",
				p.Name)
		}
		//mutant:never ./internal/protocol/floored TestLoansRefused
		if len(sim.Returns[at][g.Result].BCS) != 1 || sim.Returns[at][g.Result].BCS[0] != 0 { // an empty vector is one zero
			return &plan.Stop{Reason: plan.UnsupportedAction, Check: plan.Fail(plan.SourceNetwork, p.check("_account"), p.Name,
				g.Say, g.Do)}
		}
		s.Check(plan.Pass(plan.SourceNetwork, p.check("_account"), p.Name, g.Pass))
	}
	return nil
}
