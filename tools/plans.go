package tools

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/evidence"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/plans"
	"github.com/sayurintent/sayurintent/internal/screen"
	"github.com/sayurintent/sayurintent/tools/tool"

	names "github.com/sayurintent/sayurintent/internal/book"
)

// Shared code of the two plan tools. Their results are delivered as events.

// planner stores plans and starts their groups.
type planner interface {
	Set(ctx context.Context, groups []plans.Group) (plans.Call, error)
	Next(ctx context.Context, id plans.ID) (plans.Call, error)
	Withdraw(ctx context.Context, c plans.Call) error
}

// mostGroupTitle is the maximum length of a title in characters; longer titles are cut.
const mostGroupTitle = 80

// groupID is the id of a group within its plan.
type groupID string

// Shape implements tool.Shaped.
func (groupID) Shape() tool.Shape {
	return tool.Shape{Pattern: `^[A-Za-z0-9_.-]+$`, Rule: "letters, digits, and . _ -", MinLength: 1, MaxLength: 40}
}

// planID is the id of a plan.
type planID string

// Shape implements tool.Shaped.
func (planID) Shape() tool.Shape {
	return tool.Shape{Pattern: `^[A-Za-z0-9_-]+$`, Rule: "the plan_id of an earlier answer", MinLength: 1, MaxLength: 80}
}

// planGroup is one group of steps in the arguments.
type planGroup struct {
	ID        groupID      `json:"id" description:"unique"`
	Title     bookText     `json:"title" description:"shown as your words"`
	DependsOn []groupID    `json:"depends_on,omitempty" brief:"" description:"groups to be done before"`
	Mode      bundleMode   `json:"mode,omitempty" description:"as of a bundle"`
	Steps     []bundleStep `json:"steps" brief:"" description:"1 to 10, atomic 2 to 8, each as in transactions of a bundle; resultOf also takes group/step"`
}

// planCallOut is the answer of both tools. The result arrives as an event, and the answer also
// contains it if it is ready in time.
type planCallOut struct {
	Accepted bool        `json:"accepted" description:"true if the result follows as an event with this call_id"`
	Call     string      `json:"call_id" description:"of this call"`
	Plan     string      `json:"plan_id" description:"the plan"`
	Result   *planResult `json:"result,omitempty" description:"the same result, if already known"`
	URL      string      `json:"reviewUrl,omitempty" description:"link for the user to pending requests; works once"`
	Cursor   string      `json:"cursor,omitempty" description:"ID of the event with the result, for events.wait"`
	Network  string      `json:"network" description:"network of this server"`

	call plans.Call
	kind pagetoken.Kind // page that the link opens
	page string
}

// planResult is the result in an answer, as in the event.
type planResult struct {
	OK    bool   `json:"ok" description:"false: value says why"`
	Value string `json:"valueJson" description:"the complete result as JSON text"`
}

// planAnswerTime is how long a call waits for its result.
const planAnswerTime = 2 * time.Second

// planning holds the dependencies of the two plan tools.
type planning struct {
	planner
	bus     conversations
	page    opener
	network string
}

// call makes a call to the planner and waits briefly for its result.
func (p planning) call(ctx context.Context, make func() (plans.Call, error)) (planCallOut, error) {
	from, err := waitFrom(ctx, p.bus, p.bus.Bus(ctx), eventsWaitIn{})
	if err != nil {
		return planCallOut{}, err
	}
	c, err := make()
	if err != nil {
		return planCallOut{}, err
	}
	out := planCallOut{Accepted: true, Call: c.ID, Plan: string(c.Plan), Network: p.network, call: c}
	if err := p.await(ctx, from, &out); err != nil {
		return out, nil // the event delivers the result
	}
	return out, nil
}

// await waits for the event with the result, and adds the result to out with a link for the user.
func (p planning) await(ctx context.Context, from bus.Cursor, out *planCallOut) error {
	ctx, stop := context.WithTimeout(ctx, planAnswerTime)
	defer stop()
	f := bus.Filter{Session: out.call.Session, Sees: bus.Agent, Types: []bus.Type{bus.TypeAsyncUpdate}}
	for {
		page, _, err := nextPage(ctx, p.bus, from, f, planAnswerTime)
		if err != nil || len(page.Events) == 0 {
			return err
		}
		for _, e := range page.Events {
			from.Seq = e.Seq
			var v struct {
				Value struct {
					Call   string `json:"call_id"`
					Result struct {
						OK    bool            `json:"ok"`
						Value json.RawMessage `json:"value"`
					} `json:"result"`
				} `json:"value"`
			}
			if json.Unmarshal(e.Payload, &v) == nil && v.Value.Call == out.Call {
				out.Result, out.Cursor = &planResult{v.Value.Result.OK, string(v.Value.Result.Value)}, from.String()
				return p.link(ctx, v.Value.Result.Value, out)
			}
		}
	}
}

// link adds a link to the page where the user continues: the page of the group that waits for them,
// or the console if several do.
func (p planning) link(ctx context.Context, result json.RawMessage, out *planCallOut) (err error) {
	var v struct {
		Groups []struct {
			Bundle string `json:"bundle_id"`
			Review string `json:"reviewSessionId"`
		} `json:"groups"`
	}
	if json.Unmarshal(result, &v) != nil || len(v.Groups) == 0 {
		return nil
	}
	switch one := v.Groups[0]; {
	case len(v.Groups) > 1:
		out.kind, out.page = pagetoken.Console, out.call.Session
	case one.Bundle != "":
		out.kind, out.page = pagetoken.Bundle, one.Bundle
	default:
		out.kind, out.page = pagetoken.Review, one.Review
	}
	out.URL, err = p.page.link.make(ctx, out.kind, out.page)
	return err
}

// planCases returns the case of both tools. result is the reason to read the event.
func planCases(result string, answer ...string) []tool.Case[planCallOut] {
	return []tool.Case[planCallOut]{{
		Name: "accepted",
		Use: evidence.Use{
			Can:    evidence.Claims{evidence.CallAccepted},
			Cannot: notDone().And(evidence.Claims{evidence.RouteRecommendation, evidence.FundingSource}),
			Answer: append([]string{"accepted", "plan_id", "result"}, answer...),
			Next:   evidence.Ask(toolWaitEvents, result).Reading("events[].text", "events[].resultJson"),
		},
	}}
}

// unplanned returns a function that undoes a call if the client does not get the answer.
func unplanned(p planning) func(context.Context, *planCallOut) {
	return func(ctx context.Context, out *planCallOut) {
		if out.Accepted {
			_ = p.Withdraw(ctx, out.call) // on failure it expires
			p.page.withdraw.link(ctx, out.kind, out.page, out.URL)
		}
	}
}

// laterEntries is an address book without entries. It is used to parse a plan, because a missing
// entry is reported later, with the plan's result.
type laterEntries struct{ addressBook }

// Recipient returns an empty entry.
func (laterEntries) Recipient(context.Context, string) (names.Entry, error) {
	return names.Entry{}, nil
}

// read converts a group, with its steps in order.
func (g planGroup) read(ctx context.Context) (plans.Group, error) {
	out := plans.Group{ID: string(g.ID), Title: screen.Line(string(g.Title), mostGroupTitle),
		Atomic: g.Mode == modeAtomic}
	for _, d := range g.DependsOn {
		out.DependsOn = append(out.DependsOn, string(d))
	}
	in := signBundleIn{Transactions: g.Steps}
	steps, err := in.ordered()
	if err != nil {
		return out, g.named(err)
	}
	if out.Takes, err = elsewhere(steps); err != nil {
		return out, g.named(err)
	}
	list, err := in.wanted(ctx, laterEntries{}, steps)
	if err != nil {
		return out, g.named(err)
	}
	for i, w := range list {
		if g.Mode == modeAtomic && w.Review != "" {
			return out, g.named(fault.New(fault.InputInvalid,
				"Step %d is an existing review, which cannot be part of one transaction. "+
					"Pass its intent.", i+1).With("field", "groups[].steps[].reviewSessionId"))
		}
		out.Steps = append(out.Steps, w)
	}
	return out, nil
}

// elsewhere removes references to results of other groups from steps, and returns them. They have
// the form "group/step". A step of the same group with that id takes precedence.
func elsewhere(steps []bundleStep) (takes []plans.Taken, err error) {
	for i := range steps {
		s := &steps[i]
		group, of, ok := strings.Cut(string(s.ResultOf), "/")
		if !ok || slices.ContainsFunc(steps[:i], func(o bundleStep) bool { return o.ID == s.ResultOf }) {
			continue
		}
		if s.Intent == nil || s.Intent.From == nil && s.Coin == "" || s.Intent.From != nil && (s.Intent.From.Amount != "" ||
			s.Intent.From.Raw) {
			return nil, fault.New(fault.InputInvalid,
				"A step that takes a result must name its coin and omit the amount.").With("field",
				"groups[].steps[].intent.from")
		}
		if _, share := plan.ReadShare(cmp.Or(string(s.Share), "all")); !share {
			return nil, fault.New(fault.InputInvalid, "%s", plan.ShareForm).With("field", "groups[].steps[].share")
		}
		takes = append(takes, plans.Taken{Step: i, Group: group, Of: of, Share: string(s.Share)})
		intent := *s.Intent
		if intent.From == nil {
			intent.From = &intentFrom{Symbol: coinName(s.Coin)}
		}
		s.Intent, s.ResultOf, s.Share, s.Coin = &intent, "", "", ""
	}
	return takes, nil
}

// named adds the group to an error.
func (g planGroup) named(err error) error {
	f := *fault.As(err)
	f.Text = "Group " + string(g.ID) + ": " + f.Text
	return (&f).With("group", string(g.ID))
}
