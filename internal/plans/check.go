package plans

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/request"
	"github.com/sayurintent/sayurintent/internal/strictjson"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// found is the result of checking all steps of a plan.
type found struct {
	account sui.Address
	defects []Defect
}

// check answers the call that set a plan: it reports whether every step can be requested.
func (s *Service) check(ctx context.Context, c Call, p Plan) error {
	look, err := s.look(ctx, p)
	if err != nil {
		return err
	}
	return s.c.Store.AnswerPlan(ctx, c, func(p *Plan, _ Ask) (bus.Body, error) {
		if len(look.defects) == 0 {
			p.Account = look.account
		}
		return c.update(len(look.defects) == 0, checkedOf(*p, look.defects))
	})
}

// look checks every step of a plan.
func (s *Service) look(ctx context.Context, p Plan) (found, error) {
	var look found
	for n, i := range Order(p.Groups) {
		g := p.Groups[i]
		account, list, err := s.judge(ctx, p.label(n, g), g)
		switch {
		case fault.Is(err, fault.ActiveAccountNotSet):
			look.defects = append(look.defects, defectOf("", "", err)) // concerns the whole plan
			return look, nil
		case ctx.Err() != nil:
			return look, ctx.Err()
		case err != nil:
			list = append(list, defectOf(g.ID, "", err))
		}
		if look.account == (sui.Address{}) {
			look.account = account
		}
		look.defects = append(look.defects, list...)
	}
	return look, nil
}

// label returns the title that a group's bundle has on its page: the position in the plan, and the
// client's text.
func (p Plan) label(n int, g Group) string {
	return fmt.Sprintf("Group %d of %d: %s", n+1, len(p.Groups), g.Title)
}

// judge checks the steps of one group.
func (s *Service) judge(ctx context.Context, label string, g Group) (sui.Address, []Defect, error) {
	// If a result is not known yet, check the step with the amount 1.
	wanted, defects := s.wanted(ctx, g, func(Taken, string) (string, error) { return "1", nil })
	if len(defects) > 0 {
		return sui.Address{}, defects, nil
	}
	if g.Atomic {
		made, err := s.c.Make.Read(ctx, together(wanted))
		return made.Account, nil, err
	}
	account, wrong, err := s.c.Requests.Judge(ctx, label, wanted)
	for i, one := range wrong {
		if one != nil {
			defects = append(defects, defectOf(g.ID, g.Steps[i].ID, one))
		}
	}
	return account, defects, err
}

// wanted returns the steps of a group with their recipients, and a defect for each address-book
// entry that does not exist. amount returns the amount that a step takes from another group's
// result, in whole coins.
func (s *Service) wanted(ctx context.Context, g Group, amount func(t Taken, symbol string) (string,
	error)) (list []request.Wanted, defects []Defect) {
	for i, w := range g.Steps {
		if at := slices.IndexFunc(g.Takes, func(t Taken) bool { return t.Step == i }); at >= 0 {
			n, err := amount(g.Takes[at], w.Intent.From.Symbol)
			if err != nil {
				defects = append(defects, defectOf(g.ID, w.ID, err))
			}
			w.Intent.From.Amount = n
		}
		if w.Entry != "" {
			e, err := s.c.Book.Recipient(ctx, w.Entry)
			if err != nil {
				d := defectOf(g.ID, w.ID, err)
				d.unknown = true
				defects = append(defects, d)
			}
			w.Intent.Recipient = e.Address
		}
		list = append(list, w)
	}
	return list, defects
}

// result returns the amount that a step takes from another group's result.
func (p Plan) result(t Taken, symbol string) (string, error) {
	i := slices.IndexFunc(p.Groups, func(g Group) bool { return g.ID == t.Group })
	from := p.Groups[i]
	place := slices.IndexFunc(from.Steps, func(w request.Wanted) bool { return w.ID == t.Of })
	var did *record.Done
	if from.Ran != nil && place < len(from.Ran.Steps) {
		did = from.Ran.Steps[place].Done
	}
	//mutant:never ./internal/plans TestTakes
	if did == nil || did.Out == nil || did.Out.Symbol != symbol {
		return "", fault.New(fault.InputInvalid, "Step %q of group %q has no known result in %s that this step could use.",
			plan.Clip(t.Of), plan.Clip(t.Group), plan.Clip(symbol))
	}
	n, ok := plan.ShareOf(*did.Out, cmp.Or(t.Share, "all"))
	if !ok {
		return "", fault.New(fault.InputInvalid, "%s of %s is nothing. Use more.", plan.Clip(t.Share), did.Out)
	}
	return string(n.Display), nil
}

// together returns an intent that combines several steps in one transaction.
func together(steps []request.Wanted) plan.Intent {
	in := plan.Intent{Type: plan.Bundle}
	for _, w := range steps {
		in.Steps = append(in.Steps, w.Intent)
	}
	return in
}

// Defect is the reason why a step, a group or the whole plan cannot be requested.
type Defect struct {
	Group   string `json:"group,omitempty"`
	Step    string `json:"step,omitempty"`
	Code    string `json:"code"`
	Message string `json:"message"`

	unknown bool // the recipient is unknown
}

func defectOf(group, step string, err error) Defect {
	f := fault.As(err)
	return Defect{Group: group, Step: clipped(step, maxStepID), Code: string(f.Code),
		Message: clipped(f.Text, maxMessage)}
}

// maxMessage and maxStepID limit the length of a message and of a step ID, in bytes. An event then
// has room for maxShown defects, and for as many ended groups.
const (
	maxMessage = 200
	maxStepID  = 60
)

// checked is the result of the call that set a plan.
type checked struct {
	Plan        ID       `json:"plan_id"`
	Order       []string `json:"order"` // IDs of groups; each follows those that it depends on
	Unsupported []Defect `json:"unsupported_steps"`
	Missing     []Defect `json:"missing_facts"`
	Defects     []Defect `json:"defects"` // all other obstacles
	LeftOut     int      `json:"left_out,omitempty"`
	Next        string   `json:"next"`
}

// unsupported and missing classify defects by what can be done: choose another action, or wait
// until missing data is available.
var (
	unsupported = []fault.Code{fault.UnsupportedAction, fault.RegistryMiss}
	missing     = []fault.Code{fault.ActiveAccountNotSet, fault.SessionNotFound, fault.QuoteUnavailable,
		fault.ProviderUnavailable, fault.ProviderRefused, fault.ProviderMismatch, fault.MetadataCacheUnavailable}
)

func checkedOf(p Plan, defects []Defect) checked {
	v := checked{Plan: p.ID, Order: []string{}, Unsupported: []Defect{}, Missing: []Defect{}, Defects: []Defect{},
		Next: "Call " + NextTool + " with plan_id to have the first groups asked for."}
	for _, i := range Order(p.Groups) {
		v.Order = append(v.Order, p.Groups[i].ID)
	}
	for i, d := range defects {
		if i == maxShown {
			v.LeftOut = len(defects) - i
			break
		}
		switch code := fault.Code(d.Code); {
		case slices.Contains(unsupported, code):
			v.Unsupported = append(v.Unsupported, d)
		case d.unknown || slices.Contains(missing, code):
			v.Missing = append(v.Missing, d)
		default:
			v.Defects = append(v.Defects, d)
		}
	}
	switch {
	case len(v.Unsupported)+len(v.Defects) > 0:
		v.Next = "No group was requested. Set the plan again without the listed items."
	case len(v.Missing) > 0:
		v.Next = "No group is requested until the missing entries exist. Then call " + NextTool + ": it looks again."
	}
	return v
}

// failure is the result of a call that failed.
type failure struct {
	Plan    ID     `json:"plan_id"`
	Code    string `json:"code"`
	Message string `json:"message"`
	Next    string `json:"next"`
}

// update returns the event that answers a call, in the form that the specification requires.
func (c Call) update(ok bool, value any) (bus.Body, error) {
	text, err := strictjson.Encode(value)
	if err != nil {
		return nil, err
	}
	answer := bus.CallResult{Tool: nameOf(c.Tool), Call: c.ID}
	answer.Result.OK, answer.Result.Value = ok, text
	return bus.Update(answer, true)
}

// nameOf returns a tool's name in the specification, without its group prefix.
func nameOf(tool string) string { return strings.TrimPrefix(tool, "agent.") }
