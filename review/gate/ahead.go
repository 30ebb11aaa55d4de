package gate

import (
	"context"
	"slices"
	"sync"

	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review/plan"
)

// earlier returns what a step asks behind: the first n steps, built once.
func (r *run) earlier(n int, fed plan.Fed) func(context.Context, plan.Amount) (*plan.Ahead, error) {
	built := map[plan.Amount]*plan.Ahead{}
	var one sync.Mutex // a second node asks while others read
	return func(ctx context.Context, pays plan.Amount) (*plan.Ahead, error) {
		one.Lock()
		defer one.Unlock()
		if a, ok := built[pays]; ok {
			return a, nil
		}
		a, err := r.ahead(ctx, n, fed, pays)
		if err == nil {
			built[pays] = a
		}
		return a, err
	}
}

// ahead builds the first n steps, for the quote of the next one: with the coins that they
// would be given, nothing of which is signed. It is nil for a step that takes no result,
// where none before it trades.
func (r *run) ahead(ctx context.Context, n int, fed plan.Fed, pays plan.Amount) (*plan.Ahead, error) {
	steps := r.steps[:n]
	trades := slices.ContainsFunc(steps, func(s *plan.Step) bool { return s.Quote != nil || s.Limit != nil })
	if fed.Step == 0 && !trades {
		return nil, nil
	}
	before := *r
	before.steps = slices.Clone(steps)
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
	return &plan.Ahead{Paid: paid, Transaction: sui.Transaction{Inputs: kind.Inputs, Commands: kind.Commands, Sender: r.session.Account,
		Gas: sui.Gas{Owner: r.session.Account}, Expiration: sui.NoExpiration{}}}, nil
}
