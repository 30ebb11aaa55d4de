package material

import (
	"context"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Reading is a decoded transaction, with a simulation of exactly the same bytes.
type Reading struct {
	Adapters   []plan.Adapter // one per step
	Facts      plan.Facts
	Simulation sui.Simulation
}

// Read decodes a complete transaction of an account, for someone who will sign exactly those bytes.
// It makes the same checks as Meaning, but accepts every action that adapters can decode. It
// accounts for every byte.
func (r *Reader) Read(ctx context.Context, account sui.Address, chainID string, tx *sui.Transaction,
	raw []byte) (Reading, error) {
	var out Reading
	if err := r.network(ctx, chainID); err != nil {
		return out, err
	}
	for _, check := range []func() error{
		func() error { return commands(tx) },
		func() error { return sender(tx, account, Details{}) },
		func() error { return r.gas(tx, account, false) },
		func() error { return r.packages(tx) },
	} {
		if err := check(); err != nil {
			return out, err
		}
	}
	var err error
	if out.Facts, out.Adapters, err = plan.FindFacts(tx, r.c.Adapters); err != nil {
		return out, refuse(Unsupported, fault.As(err).Text+" It is not signed here.")
	}
	if _, err := r.inputs(ctx, tx, account, false); err != nil {
		return out, err
	}
	if out.Simulation, err = r.simulate(ctx, tx, raw, false); err != nil {
		return out, err
	}
	if out.Simulation.Digest != sui.TransactionDigest(raw) || out.Simulation.Sender != account {
		return out, refuse(Effects, "The node simulated a different transaction.")
	}
	plan.Units(&out.Facts, listed())
	return out, out.holds(account)
}

// listed returns the known coins.
func listed() (all []plan.Asset) {
	for _, c := range coins.All() {
		all = append(all, plan.Asset{Symbol: c.Symbol, CoinType: c.Type, Decimals: c.Decimals})
	}
	return all
}

// holds returns a Refused if the simulated changes and the protocols' events contradict the
// promise.
func (r Reading) holds(account sui.Address) error {
	terms := make([][]plan.Term, len(r.Facts.Steps))
	for i, s := range r.Facts.Steps {
		terms[i] = s.Terms
	}
	reported, err := plan.ActionsOf(r.Adapters, terms, account, r.Simulation.Events)
	if err != nil {
		return refuse(Effects, "In a simulation its events cannot be read: "+fault.As(err).Text)
	}
	var changes []plan.Change
	for i, action := range reported {
		changes = append(changes, action.Changes...)
		if wrong := plan.Unlike(r.Adapters[i].Meta().ReportedTerms(terms[i]), action.Terms); wrong != "" {
			return refuse(Effects, "In a simulation the protocol's events differ from its decoded intent. "+wrong)
		}
	}
	//mutant:never ./internal/material TestReadForMembers
	if !r.Facts.Promise().Outcomes[0].Compare(plan.Observe(account, r.Simulation.Effects, changes...)).Holds() {
		return refuse(Effects, "Its simulated effects differ from its decoded intent.")
	}
	return nil
}
