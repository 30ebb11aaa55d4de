package tools

import (
	"context"
	"slices"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/request"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// bundles creates bundles whose steps are executed one after another.
type bundles interface {
	Ask(ctx context.Context, label string, skip bool, steps []request.Wanted) (request.Request, error)
	Atomic(ctx context.Context, b request.Request) bool
	Look(ctx context.Context, b request.Request) (blockers []record.StepBlocker, whole bool)
}

// bundleState is the state of a bundle in modeSteps.
type bundleState request.State

// Values lists the states.
func (bundleState) Values() (list []string) {
	for _, s := range request.Approved() {
		list = append(list, string(s))
	}
	return list
}

// receiptSeconds is how long to wait for the receipt of a step.
type receiptSeconds int64

// Shape implements tool.Shaped.
func (receiptSeconds) Shape() tool.Shape {
	return tool.Between(int64(request.LeastReceipt/time.Second), int64(request.MostReceipt/time.Second))
}

const (
	stepsNextStep = "The user opens reviewUrl on this machine and approves or rejects there. Each step is then signed on its own page. Call task.get for the result."
	priorNextStep = "The user approved exactly these steps before. They open reviewUrl on this machine, and sign each step on its own page. Call task.get for the result."
	atomicAdvice  = "These steps could be one transaction (mode atomic): then all or none execute, with one signature."
)

// wanted converts the steps of modeSteps, which must be in order.
func (in signBundleIn) wanted(ctx context.Context, names addressBook, steps []bundleStep) ([]request.Wanted, error) {
	var list []request.Wanted
	for i, s := range steps {
		w, err := s.wanted(ctx, names, steps[:i])
		if err != nil {
			return nil, err
		}
		list = append(list, w)
	}
	return list, nil
}

// wanted converts one step; earlier holds the steps before it.
func (s bundleStep) wanted(ctx context.Context, names addressBook, earlier []bundleStep) (w request.Wanted, err error) {
	w = request.Wanted{ID: string(s.ID), Sequence: int64(s.Sequence), Chain: string(s.Chain), Label: string(s.Action),
		Review: record.ID(s.Review),
		Wait:   s.Wait == nil || *s.Wait, Timeout: request.DefaultReceipt}
	if s.Timeout > 0 {
		w.Timeout = time.Duration(s.Timeout) * time.Second
	}
	//mutant:never ./tools TestBundleSteps
	if (s.Intent == nil) == (s.Review == "") || s.Review != "" && (s.ResultOf != "" || s.Manager != "") {
		return w, fault.New(fault.InputInvalid,
			"Step %d needs exactly one of intent and reviewSessionId. Only an intent can take a result.", len(earlier)+1).
			With("field", "transactions[].intent")
	}
	if s.Intent != nil {
		w.Intent, err = s.read(ctx, names, earlier)
		w.Entry = string(s.Intent.RecipientEntry)
	}
	return w, err
}

// read returns the intent of a step; earlier holds the steps before it.
func (s bundleStep) read(ctx context.Context, names addressBook, earlier []bundleStep) (plan.Intent, error) {
	if s.Intent == nil {
		return plan.Intent{}, fault.New(fault.InputInvalid, "Step %q has no intent.", plan.Clip(string(s.ID))).With("field",
			"transactions[].intent")
	}
	one := s.Intent.read()
	if err := byEntry(ctx, names, s.Intent, &one); err != nil {
		return one, err
	}
	for _, of := range []struct {
		id    bookText
		place *int
		field string
	}{{s.ResultOf, &one.From.ResultOf, "resultOf"}, {s.Manager, &one.ManagerOf, "managerOf"}} {
		if of.id == "" {
			continue
		}
		from := slices.IndexFunc(earlier, func(o bundleStep) bool { return o.ID == of.id })
		if from < 0 {
			return one, fault.New(fault.InputInvalid, "No step before this one has the id %q.", plan.Clip(string(of.id))).
				With("field", "transactions[]."+of.field)
		}
		*of.place = from + 1
	}
	return one, s.parted(&one)
}

// askSteps creates a bundle for the user to approve, and a link to its page.
func askSteps(c tool.Call, all bundles, names addressBook, page opener, in signBundleIn, steps []bundleStep,
	network string) (signBundleOut, error) {
	out := signBundleOut{}
	if len(steps) < 1 || len(steps) > mostSteps {
		return out, fault.New(fault.InputInvalid, "A bundle takes 1 to %d steps.", mostSteps).With("field", "transactions")
	}
	list, err := in.wanted(c.Context(), names, steps)
	if err != nil {
		return out, err
	}
	b, err := all.Ask(c.Context(), string(in.Label), in.Skip, list)
	if err != nil {
		return out, err
	}
	out.Bundle = string(b.ID)
	if out.URL, err = page.link.make(c.Context(), pagetoken.Bundle, out.Bundle); err != nil {
		return out, err
	}
	if all.Atomic(c.Context(), b) {
		out.Advice = atomicAdvice
	}
	out.Preflight = lookAtSteps(c.Context(), all, b)
	out.Task, out.State, out.Opening, out.OpenTarget, out.NextStep = b.Task, bundleState(b.State), linkOnly, systemBrowser,
		stepsNextStep
	if b.Approval == request.ByPrior {
		out.NextStep = priorNextStep
	}
	out.Network, out.Account, out.ExpiresAt = network, b.Account, b.ApproveBy.UTC()
	out.Skipped, out.NotSkipped = b.Approval == request.ByPrior, b.NotHonoured
	for _, s := range b.Steps {
		out.Steps = append(out.Steps, bundleStepOut{ID: s.ID, Sequence: s.Sequence, Chain: s.Chain, Asked: s.Intent.Asked,
			Protocol:  s.Protocol,
			Recipient: payeeOf(c.Context(), names, s.Entry, s.Intent)})
	}
	return out, nil
}

// lookAtSteps returns the preflight of a bundle in modeSteps.
func lookAtSteps(ctx context.Context, all bundles, b request.Request) preflight {
	found, whole := all.Look(ctx, b)
	p := preflight{Status: preflightClear, Blockers: []blocker{}}
	if !whole {
		p.Status = preflightUnknown
	}
	for _, f := range found {
		shown := blocker{Check: f.Check, Message: f.Message, Do: f.Do}
		if f.Step > 0 {
			shown.Step = b.Steps[f.Step-1].ID
		}
		p.Status, p.Blockers = preflightBlockers, append(p.Blockers, shown)
	}
	return p
}
