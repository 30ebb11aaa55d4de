package rpc

import (
	"cmp"
	"context"

	"github.com/shurcooL/graphql"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// rest is an incomplete list inside a transaction. ask fetches its next page and appends it.
type rest struct {
	page  *graphForward
	count func() int
	size  int
	ask   func(ctx context.Context, variables map[string]any) error
}

// follow fetches the rest of a transaction's lists, within the limits. A list that remains incomplete
// stays marked.
func (h *History) follow(ctx context.Context, digest sui.Digest, t *graphTransaction, limits sui.PastLimits) error {
	left := mostFurther
	for _, r := range h.rests(t, limits) {
		for r.page.HasNextPage && left > 0 && r.count() < mostItems {
			after := r.page.EndCursor
			if after == nil || *after == "" || len(*after) > maxCursor {
				return mismatch("a list inside a transaction continues without a cursor")
			}
			left--
			err := r.ask(ctx, map[string]any{
				"digest": graphql.String(digest.String()), "first": graphql.Int(r.size), "after": graphql.String(*after),
			})
			if fault.Is(err, fault.TooLarge) {
				break // keep the partial list, marked as incomplete
			}
			if err != nil {
				return err
			}
			if r.page.HasNextPage && r.page.EndCursor != nil && *r.page.EndCursor == *after {
				return mismatch("a list inside a transaction does not advance")
			}
		}
	}
	return nil
}

// rests returns the incomplete lists of a reported transaction.
func (h *History) rests(t *graphTransaction, limits sui.PastLimits) []rest {
	var list []rest
	if k := t.Kind; k != nil {
		if c := k.Commands; c != nil {
			list = append(list, rest{&c.PageInfo, func() int { return len(c.Nodes) }, limits.Calls, h.moreCommands(c)})
		}
		if in := k.Inputs; in != nil {
			list = append(list, rest{&in.PageInfo, func() int { return len(in.Nodes) }, limits.Inputs, h.moreInputs(in)})
		}
	}
	e := t.Effects
	if e == nil {
		return list
	}
	if b := e.BalanceChanges; b != nil {
		list = append(list, rest{&b.PageInfo, func() int { return len(b.Nodes) }, limits.Balances, h.moreBalances(b)})
	}
	if o := e.ObjectChanges; o != nil {
		list = append(list, rest{&o.PageInfo, func() int { return len(o.Nodes) }, limits.Objects, h.moreObjects(o)})
	}
	if v := e.Events; v != nil {
		list = append(list, rest{&v.PageInfo, func() int { return len(v.Nodes) }, limits.Events, h.moreEvents(v)})
	}
	return list
}

// gone returns the error for a reported transaction, or a list of one, that is no longer available.
func gone() error { return mismatch("a list inside a transaction disappeared while it was read") }

// kindNext requests one list of a programmable transaction. K is its kind with that list.
func kindNext[K any](ctx context.Context, h *History, variables map[string]any) (K, error) {
	var none K
	var answer struct {
		ChainIdentifier string
		Transaction     *struct{ Kind *K } `graphql:"transaction(digest: $digest)"`
	}
	if err := h.put(ctx, &answer, variables); err != nil {
		return none, err
	}
	if err := h.onChain(answer.ChainIdentifier); err != nil {
		return none, err
	}
	if answer.Transaction == nil || answer.Transaction.Kind == nil {
		return none, gone()
	}
	return *answer.Transaction.Kind, nil
}

// effectsNext requests one list of a transaction's effects. L holds that list.
func effectsNext[L any](ctx context.Context, h *History, variables map[string]any) (L, error) {
	var none L
	var answer struct {
		ChainIdentifier string
		Transaction     *struct{ Effects *L } `graphql:"transaction(digest: $digest)"`
	}
	if err := h.put(ctx, &answer, variables); err != nil {
		return none, err
	}
	if err := h.onChain(answer.ChainIdentifier); err != nil {
		return none, err
	}
	if answer.Transaction == nil || answer.Transaction.Effects == nil {
		return none, gone()
	}
	return *answer.Transaction.Effects, nil
}

// join appends the next page of a list.
func join[N any](nodes *[]*N, page *graphForward, next []*N, nextPage graphForward) {
	*nodes, *page = append(*nodes, next...), nextPage
}

type nextCommands struct {
	Commands *graphCommands `graphql:"commands(first: $first, after: $after)"`
}

type nextInputs struct {
	Inputs *graphInputs `graphql:"inputs(first: $first, after: $after)"`
}

func (h *History) moreCommands(c *graphCommands) func(context.Context, map[string]any) error {
	return func(ctx context.Context, variables map[string]any) error {
		next, err := kindNext[struct {
			nextCommands `graphql:"... on ProgrammableTransaction"`
		}](ctx, h, variables)
		if err != nil || next.Commands == nil {
			return cmp.Or(err, gone())
		}
		join(&c.Nodes, &c.PageInfo, next.Commands.Nodes, next.Commands.PageInfo)
		return nil
	}
}

func (h *History) moreInputs(in *graphInputs) func(context.Context, map[string]any) error {
	return func(ctx context.Context, variables map[string]any) error {
		next, err := kindNext[struct {
			nextInputs `graphql:"... on ProgrammableTransaction"`
		}](ctx, h, variables)
		if err != nil || next.Inputs == nil {
			return cmp.Or(err, gone())
		}
		join(&in.Nodes, &in.PageInfo, next.Inputs.Nodes, next.Inputs.PageInfo)
		return nil
	}
}

func (h *History) moreBalances(b *graphBalances) func(context.Context, map[string]any) error {
	return func(ctx context.Context, variables map[string]any) error {
		next, err := effectsNext[struct {
			BalanceChanges *graphBalances `graphql:"balanceChanges(first: $first, after: $after)"`
		}](ctx, h, variables)
		if err != nil || next.BalanceChanges == nil {
			return cmp.Or(err, gone())
		}
		join(&b.Nodes, &b.PageInfo, next.BalanceChanges.Nodes, next.BalanceChanges.PageInfo)
		return nil
	}
}

func (h *History) moreObjects(o *graphObjects) func(context.Context, map[string]any) error {
	return func(ctx context.Context, variables map[string]any) error {
		next, err := effectsNext[struct {
			ObjectChanges *graphObjects `graphql:"objectChanges(first: $first, after: $after)"`
		}](ctx, h, variables)
		if err != nil || next.ObjectChanges == nil {
			return cmp.Or(err, gone())
		}
		join(&o.Nodes, &o.PageInfo, next.ObjectChanges.Nodes, next.ObjectChanges.PageInfo)
		return nil
	}
}

func (h *History) moreEvents(v *graphEvents) func(context.Context, map[string]any) error {
	return func(ctx context.Context, variables map[string]any) error {
		next, err := effectsNext[struct {
			Events *graphEvents `graphql:"events(first: $first, after: $after)"`
		}](ctx, h, variables)
		if err != nil || next.Events == nil {
			return cmp.Or(err, gone())
		}
		join(&v.Nodes, &v.PageInfo, next.Events.Nodes, next.Events.PageInfo)
		return nil
	}
}
