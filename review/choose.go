package review

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review/gate"
)

// Venue is a protocol that supports an action, with its display name. Why explains why it cannot
// carry out an intent; "" if it can.
type Venue struct {
	Slug  string
	Label string
	Why   string
}

// way is an adapter with its plan for an intent, or the reason why it has none.
type way struct {
	adapter plan.Adapter
	in      plan.Intent
	plan    plan.Plan
	err     error
}

func (w way) venue() Venue {
	v := Venue{Slug: w.adapter.Meta().Slug, Label: w.adapter.Meta().Label}
	if w.err != nil {
		v.Why = fault.As(w.err).Text
	}
	return v
}

// able lists the adapters of the intent's action.
func (s *Service) able(in plan.Intent) ([]plan.Adapter, error) {
	var actions []string
	var able []plan.Adapter
	for _, a := range s.c.Adapters {
		if !slices.Contains(actions, a.Meta().Action) {
			actions = append(actions, a.Meta().Action)
		}
		if a.Meta().Action == in.Type {
			able = append(able, a)
		}
	}
	if len(able) == 0 {
		return nil, fault.New(fault.UnsupportedAction, "The action %q cannot be reviewed.", plan.Clip(in.Type)).
			With("field", "intent.type").WithList("availableActions", actions)
	}
	return able, nil
}

// choose plans the intent with the adapter that it names or, if it names none, with each adapter
// for its action. It returns the only plan that succeeded. If several succeed, it returns an error
// that lists them, because only the user chooses.
func (s *Service) choose(ctx context.Context, account sui.Address, able []plan.Adapter, in plan.Intent,
	now time.Time) (way, error) {
	if in.Protocol != "" {
		i := slices.IndexFunc(able, func(a plan.Adapter) bool { return a.Meta().Slug == in.Protocol })
		if i < 0 {
			return way{}, choice(able, nil, fault.New(fault.InputInvalid, "There is no protocol %q here. "+
				"Use one of availableProtocols.", plan.Clip(in.Protocol)).
				With("field", "intent.protocol").With("reason", "unknown_protocol"))
		}
		able = able[i : i+1]
	}
	var fit []way
	var fitting []plan.Adapter
	var unfit []way
	for _, a := range able {
		w := s.planned(ctx, a, in, now)
		if w.err != nil {
			unfit = append(unfit, w)
			continue
		}
		fit, fitting = append(fit, w), append(fitting, a)
	}
	switch len(fit) {
	case 0:
		return way{}, nobody(unfit)
	case 1:
		return fit[0], nil
	}
	return way{}, choice(fitting, s.expect(ctx, account, fit), fault.New(fault.InputInvalid,
		"Several protocols can do this. Ask the user which one, "+
			"then call again with intent.protocol.").
		With("field", "intent.protocol").With("reason", "protocol_choice_required"))
}

// expect returns what each venue would deliver now, according to a preflight; "" if unknown.
func (s *Service) expect(ctx context.Context, account sui.Address, ways []way) []string {
	out := make([]string, len(ways))
	var looks sync.WaitGroup
	for i, w := range ways {
		looks.Go(func() {
			in := w.stored()
			looked := gate.Look(ctx, s.gates, record.Session{Network: s.c.Network, Account: account, Protocol: in.Protocol,
				Action: in.Type, Intent: in, Status: record.Proposed})
			if looked.Expected != nil {
				out[i] = looked.Expected.Expected.String()
			}
		})
	}
	looks.Wait()
	return out
}

// planned plans the intent with one adapter.
func (s *Service) planned(ctx context.Context, a plan.Adapter, in plan.Intent, now time.Time) way {
	w := way{adapter: a, in: in}
	if w.in.From, w.err = s.unit(ctx, a, in.From); w.err == nil {
		w.plan, w.err = plan.PlanStep(a, w.in, now)
	}
	return w
}

// nobody returns the error for an intent that no adapter can plan. It has the common reason if all
// adapters agree, and otherwise the reason of each.
func nobody(ways []way) error {
	first := fault.As(ways[0].err)
	same := !slices.ContainsFunc(ways, func(w way) bool { return fault.As(w.err).Text != first.Text })
	if same {
		return ways[0].err
	}
	var said strings.Builder
	for _, w := range ways {
		said.WriteString(" " + w.venue().Label + ": " + w.venue().Why)
	}
	all := *first
	all.Text = "No protocol here can do this." + said.String()
	return &all
}

// choice adds to an error the protocols that the client can choose: their slugs, display names and
// expected results.
func choice(of []plan.Adapter, expected []string, e *fault.Error) error {
	var slugs []string
	var rows []fault.Detail
	for i, a := range of {
		m := a.Meta()
		slugs = append(slugs, m.Slug)
		row := fault.Detail{{Name: "slug", Value: m.Slug}, {Name: "label", Value: m.Label}}
		if i < len(expected) && expected[i] != "" {
			row = append(row, fault.Field{Name: "expected", Value: expected[i]})
		}
		rows = append(rows, row)
	}
	return e.WithList("availableProtocols", slugs).WithRows("choices", rows)
}

// Venues returns, for an intent that names no protocol, the slug of the adapter that carries it out
// and the reasons why the others cannot. It does no I/O.
func (s *Service) Venues(in plan.Intent, slug string) (used Venue, others []Venue) {
	able, err := s.able(in)
	if err != nil {
		return Venue{}, nil
	}
	for _, a := range able {
		if a.Meta().Slug == slug {
			used = way{adapter: a}.venue()
			continue
		}
		w := way{adapter: a}
		_, w.err = a.Plan(in, s.now())
		others = append(others, w.venue())
	}
	return used, others
}
