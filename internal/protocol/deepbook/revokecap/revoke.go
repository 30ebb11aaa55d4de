// Package revokecap prepares reviews that revoke a cap of a DeepBook balance manager: its holder's
// permission to trade in the manager, to deposit or to withdraw.
//
// It mints no cap. The cap object stays with its holder but becomes useless.
package revokecap

import (
	"context"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/managed"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/standing"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/readback"
)

// StagePermission is the stage that reads the cap.
const StagePermission plan.StageID = "permission_resolved"

const (
	field    = "intent.permission"
	function = "revoke_trade_cap" // for all three kinds
	termCap  = "Cap"
	notIn    = 5 // abort code for a cap that the manager does not admit
)

// Caps reads a cap that is on the list of an account's manager. standing.Reader implements it.
type Caps interface {
	Cap(ctx context.Context, account sui.Address, manager, id sui.ObjectID) (standing.Permission, error)
}

// Adapter prepares revoking caps. It implements plan.Adapter.
type Adapter struct {
	source managed.Source
	caps   Caps
}

// New returns an Adapter that reads managers and caps.
func New(source managed.Source, caps Caps) *Adapter { return &Adapter{source, caps} }

// Meta implements plan.Adapter.
func (*Adapter) Meta() plan.Meta {
	return plan.Meta{
		Aliases: []string{"revokecap", "revoketradecap", "endcap"}, Takes: []string{"permission", "manager"},
		Harmless: true,
		Action:   "permission_revoke", Slug: managed.Slug, Protocol: managed.Protocol, Label: managed.Label,
		AdapterID:    "deepbook-permission-revoke",
		StageCatalog: "deepbook_permission_revoke_review_v1", CheckPrefix: managed.Prefix,
		Stages:   []plan.StageID{plan.StageIntent, managed.StageManager, StagePermission, managed.StagePolicy},
		Words:    managed.Words(nil),
		Packages: registry.PackageIDs(), Functions: []string{managed.Module + "::" + function},
		Unreported: []string{termCap, managed.TermManager}, // no event reports it
	}
}

// Plan implements plan.Adapter. Its errors name the field.
func (*Adapter) Plan(in plan.Intent, _ time.Time) (plan.Plan, error) {
	if err := in.Only("permission", "manager"); err != nil {
		return plan.Plan{}, err
	}
	id, err := plan.ReadObjectID(field, in.Permission, "the cap")
	if err != nil {
		return plan.Plan{}, err
	}
	// A manager is never assumed: without one, the intent means an allowance, not a cap.
	manager, err := plan.ReadObjectID("intent.manager", in.Manager, "the balance manager whose cap ends")
	if err != nil {
		return plan.Plan{}, err
	}
	return plan.Plan{
		Title: "End a right to your balance manager", Asked: "end the cap " + id.String() + " of your balance " +
			"manager " +
			manager.String(),
		Summary: "Take the cap " + id.String() +
			" off the list of your balance manager. Its holder can no longer use it.",
		Subject: manager, Promise: nothing(),
	}, nil
}

func nothing() plan.Promise {
	return plan.Promise{Outcomes: []plan.Outcome{{Name: "ended"}}}
}

// Stages implements plan.Adapter.
func (a *Adapter) Stages(p plan.Plan) []plan.Stage {
	var h deepbook.Holder
	var id sui.ObjectID
	return []plan.Stage{
		managed.Asked(p),
		{ID: managed.StageManager, Run: func(ctx context.Context, s *plan.Step) (err error) {
			h, err = managed.Resolve(ctx, a.source, s, p.Subject)
			return err
		}},
		{ID: StagePermission, Run: func(ctx context.Context, s *plan.Step) (err error) {
			if id, err = plan.ReadObjectID(field, s.Intent.Permission, "the cap"); err != nil {
				return err
			}
			found, err := a.find(ctx, s.Account, h.ID, id)
			if err == nil {
				tell(s, found)
			}
			return err
		}},
		{ID: managed.StagePolicy, Run: func(_ context.Context, s *plan.Step) error { policy(s, h, id); return nil }},
	}
}

// find reads the cap. The review stops if the cap is not on the manager's list.
func (a *Adapter) find(ctx context.Context, account sui.Address, manager, id sui.ObjectID) (standing.Permission,
	error) {
	found, err := a.caps.Cap(ctx, account, manager, id)
	if fault.Is(err, fault.InputInvalid) {
		return found, stop(fault.As(err).Text)
	}
	return found, err
}

func stop(message string) *plan.Stop {
	return &plan.Stop{Reason: plan.ObjectResolutionFailed, Check: plan.Fail(plan.SourceNetwork, managed.Prefix+
		"_permission", "Permission", message,
		"Ask your AI client to list the standing permissions again: it shows what can still be ended.")}
}

// tell records the permission that ends, as reported by the node.
func tell(s *plan.Step, found standing.Permission) {
	now := s.Now()
	s.Outlook.Subject = &plan.Subject{Title: found.Headline(now), Holder: found.Holder, Part: "Has the right until then",
		Says: found.Says(now)}
	s.Read(plan.Reading{Name: "cap " + found.ID.String(), Value: found.Reported()})
	s.Check(plan.Pass(plan.SourceNetwork, managed.Prefix+"_permission", "Permission",
		"The node reports that your balance manager admits this cap. "+found.Says(now)))
}

func policy(s *plan.Step, h deepbook.Holder, id sui.ObjectID) {
	s.Target = plan.Target{Package: h.Package, Function: managed.Module + "::" + function, RouteID: h.ID,
		Shared: h.Initial}
	s.Terms = terms(id, h.ID)
	s.Promise = nothing()
	s.Append = func(b *plan.Builder) error { Append(b, h, id); return nil }
	s.Explain = refused
	s.Guarantee = "The cap is taken off the list of your balance manager, or the transaction fails. Nothing but gas " +
		"leaves your account."
	s.Locks = []string{
		"Until this is executed, the holder can still use the cap. Orders that were placed with it stay in the book: " +
			"cancel them if you do not want them.",
		"It cannot be undone: to have the permission again, the holder needs a new cap. The holder " +
			"keeps the old one, but it no longer works.",
	}
}

func terms(id, manager sui.ObjectID) []plan.Term {
	return []plan.Term{{Name: termCap, Value: id.String()}, managed.Term(manager)}
}

// refused explains aborts of this call and of managers in general.
func refused(a sui.MoveAbort) *plan.Stop {
	if stop := ended(a); stop != nil {
		return stop
	}
	return managed.Refused(a)
}

// ReadAbort implements plan.AbortReader.
func (*Adapter) ReadAbort(a sui.MoveAbort, _ plan.StepFacts) *plan.Stop {
	if stop := ended(a); stop != nil {
		return stop
	}
	return managed.ReadAbort(a)
}

// ended returns the stop for a cap that is not on the manager's list. It returns nil for any other
// abort.
func ended(a sui.MoveAbort) *plan.Stop {
	if a.Module == managed.Module && a.Code == notIn && (a.Package == registry.OriginalPackage ||
		registry.Published(a.Package)) {
		return stop("DeepBook reports that the balance manager does not admit this cap: it was revoked already, or " +
			"belongs to another manager. There is nothing to revoke.")
	}
	return nil
}

// Append adds the call that removes a cap from the list of a manager.
func Append(b *plan.Builder, h deepbook.Holder, id sui.ObjectID) {
	at, named := b.Input(managed.Input(h)), b.Input(sui.PureAddress(id))
	b.Add(sui.MoveCall{Package: h.Package, Module: managed.Module, Function: function, Arguments: []sui.Argument{at,
		named}})
}

// Read implements plan.Adapter. It accepts exactly what Append builds.
func (*Adapter) Read(r *readback.Reader) (plan.StepFacts, error) {
	call, err := r.Call(managed.Module, []string{function}, registry.Published)
	if err != nil {
		return plan.StepFacts{}, err
	}
	if len(call.Arguments) != 2 || len(call.TypeArgs) != 0 {
		return plan.StepFacts{}, readback.Unlike("It does not revoke one cap of one balance manager.")
	}
	manager, err := r.Shared(call.Arguments[0], true)
	if err != nil {
		return plan.StepFacts{}, err
	}
	id, err := r.Address(call.Arguments[1])
	if err != nil {
		return plan.StepFacts{}, err
	}
	return plan.StepFacts{
		Promise: nothing(), Terms: terms(id, manager.ID), Package: call.Package, Function: managed.Module + "::" + function,
		RouteID:  manager.ID,
		TypeArgs: []string{}, Holder: managed.Holder(manager.ID, "your own balance manager"),
		Headline: &plan.Headline{Label: "Ends for good", What: "one right to your balance manager",
			Terms: []string{managed.TermManager}},
		Commands: []string{"Take the cap " + id.String() +
			" off the list of your balance manager. Its holder can no longer use it."},
	}, nil
}

// FromEvents implements plan.Adapter. No event reports that a cap was revoked.
func (*Adapter) FromEvents(sui.Address, []sui.Event) (plan.Reported, error) {
	return plan.Reported{}, nil
}

// Recheck implements plan.Rechecker. If the cap was already revoked in the meantime, the transaction
// would fail and cost gas.
func (a *Adapter) Recheck(ctx context.Context, account sui.Address, in plan.Intent) error {
	id, err := plan.ReadObjectID(field, in.Permission, "the cap")
	if err != nil {
		return err
	}
	manager, err := plan.ReadObjectID("intent.manager", in.Manager, "the balance manager")
	if err == nil {
		_, err = a.find(ctx, account, manager, id)
	}
	return err
}

// ReportResult implements plan.ResultReporter. The call only succeeds if the cap is on the list, so
// after it the cap is revoked.
func (*Adapter) ReportResult(_ sui.Executed, s plan.StepFacts) plan.Result {
	r := plan.Result{
		Title: "Ended a right to your balance manager",
		Where: "Your balance manager no longer admits the cap. Its holder can no longer use it.",
		Next:  "To see what others may still do, open the account page, or ask your AI client for the standing permissions.",
	}
	for _, t := range s.Terms {
		if t.Name == termCap {
			r.Holds = append(r.Holds, plan.Term{Name: "Ended cap", Value: t.Value})
		}
	}
	return r
}

// ReadAfter implements plan.AfterReader. It reads the manager's list again.
func (a *Adapter) ReadAfter(ctx context.Context, e sui.Executed, s plan.StepFacts) []plan.Term {
	said := func(text string) []plan.Term { return []plan.Term{{Name: "Checked afterwards", Value: text}} }
	id, err := sui.ParseAddress(s.Terms[0].Value)
	if err == nil {
		_, err = a.caps.Cap(ctx, e.Sender, s.RouteID, id)
	}
	switch {
	case err == nil:
		return said("the node still lists the cap, which it should not: look again in a moment")
	case fault.Is(err, fault.InputInvalid):
		return said("the balance manager no longer lists the cap")
	}
	return said("not known: the node did not answer")
}

var (
	_ plan.Rechecker      = (*Adapter)(nil)
	_ plan.AfterReader    = (*Adapter)(nil)
	_ plan.ResultReporter = (*Adapter)(nil)
	_ plan.AbortReader    = (*Adapter)(nil)
)
