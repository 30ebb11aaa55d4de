package gate

import (
	"context"
	"errors"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// LookSteps runs the preflight of steps that are signed one after another. It checks whether
// signing is paused, the limits over all steps, their recipients, and the account's balances, but
// not what depends on an earlier step's result. whole reports that everything else was checked in
// time.
func LookSteps(ctx context.Context, c Config, steps []record.LookedStep) (blockers []record.StepBlocker, whole bool) {
	ctx, stop := context.WithTimeout(ctx, c.Limits.FirstLook)
	defer stop()
	l := lookSteps{c: c, steps: steps, paid: make([]error, len(steps))}
	reads := []func() error{func() error { return l.hold(ctx) }, func() error { return l.allow(ctx) }}
	for i := range steps {
		reads = append(reads, func() error { return l.meet(ctx, i) })
	}
	whole = c.Together(reads...) == nil
	for i, err := range l.paid {
		if s := (*plan.Stop)(nil); errors.As(err, &s) {
			blockers = append(blockers, record.StepBlocker{Step: i + 1, Blocker: s.Blocks()})
		}
	}
	return append(append(blockers, l.limits...), l.short...), whole
}

// lookSteps is one such preflight. Its parts run concurrently, each with a separate list.
type lookSteps struct {
	c     Config
	steps []record.LookedStep

	paid          []error
	limits, short []record.StepBlocker
}

// meet checks the recipient of a step.
func (l *lookSteps) meet(ctx context.Context, i int) error {
	to, err := sui.ParseAccount(l.steps[i].Session.Intent.Recipient)
	if err != nil || to == l.steps[i].Session.Account {
		return nil
	}
	err = newInput(l.c, l.steps[i].Session).meetOne(ctx, to)
	if errors.As(err, new(*plan.Stop)) {
		l.paid[i], err = err, nil
	}
	return err
}

// allow checks the pause and the limits, for each step as if the earlier ones had happened.
func (l *lookSteps) allow(ctx context.Context) error {
	frozen, err := l.c.Store.Frozen(ctx)
	if err != nil {
		return err
	}
	if frozen {
		l.limits = append(l.limits, record.StepBlocker{Blocker: frozenBlocker()})
	}
	if l.c.Allowed == nil {
		return nil
	}
	now := l.c.Now()
	allowed, handed, err := l.c.limits(ctx)
	if err != nil {
		return err
	}
	for i, s := range l.steps {
		to, _ := sui.ParseAccount(s.Session.Intent.Recipient)
		f := plan.Facts{Sender: s.Session.Account, Steps: []plan.StepFacts{{Promise: s.Promise, Sends: to}}}
		if stop := record.Judged(allowed, s.Session, f, handed, now); stop != nil {
			l.limits = append(l.limits, record.StepBlocker{Step: i + 1, Blocker: stop.Blocks()})
		}
		handed = append(handed, record.Handed{Review: s.Session.ID, Release: record.Release{Facts: f, At: now}})
	}
	return nil
}

// hold compares what leaves in all steps with the account's balances. It omits coins that a step
// returns, because their amount is unknown.
func (l *lookSteps) hold(ctx context.Context) error {
	brought := map[sui.CoinType]bool{}
	for _, s := range l.steps {
		brought[s.Result] = true
	}
	leaves, order := map[sui.CoinType]plan.Amount{}, []sui.CoinType{}
	for _, s := range l.steps {
		for _, a := range s.Most {
			sum, known := leaves[a.CoinType]
			if !known {
				order = append(order, a.CoinType)
			}
			if a.Raw += sum.Raw; a.Raw < sum.Raw {
				return nil // more than any account has, and the step itself is rejected
			}
			leaves[a.CoinType] = a
		}
	}
	for _, coin := range order {
		if brought[coin] {
			continue
		}
		held, err := l.c.Chain.Balance(ctx, l.steps[0].Session.Account, coin)
		if err != nil {
			return err
		}
		if sum := leaves[coin]; held.Total < sum.Raw {
			do := "Ask for smaller amounts, or send " + sum.Symbol + " to the account first."
			if held.Total == 0 {
				do = "Send " + sum.Symbol + " to the account first, or connect an account that has some."
			}
			l.short = append(l.short, record.StepBlocker{Blocker: plan.Blocker{Check: "steps_insufficient_balance",
				Message: "All steps together need " + sum.String() + "; the account holds " + sum.Of(held.Total).String() + "." +
					wordOfNode,
				Do: do}})
		}
	}
	return nil
}

// frozenBlocker reports that signing is paused.
func frozenBlocker() plan.Blocker {
	return plan.Blocker{Check: "stopped", Message: "The user paused signing, so nothing is sent to a wallet.",
		Do: "Only the user can resume it, on the settings page. Tell them."}
}
