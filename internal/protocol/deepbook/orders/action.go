package orders

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/managed"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/readback"
)

// action holds the properties in which the actions on orders differ.
type action struct {
	name    string   // type of the intent
	aliases []string // other common names for it
	takes   []string // what the user must provide
	own     []plan.Field
	fields  []string // allowed fields of the intent
	cancels string   // pool function that cancels; "" if the action cancels nothing
	places  []Kind   // kinds of orders that it places

	plan   func(in plan.Intent, manager sui.ObjectID) (plan.Plan, error)
	work   func(a *Adapter, p plan.Plan) work
	read   func(r *readback.Reader) (plan.StepFacts, error)
	events func(account sui.Address, events []sui.Event) (plan.Reported, error)
	report func(e sui.Executed, s plan.StepFacts) []plan.Term
	result func(e sui.Executed, s plan.StepFacts) plan.Result
}

// actions returns all actions on orders.
func actions() []action {
	rests, now := []Kind{Plain, PostOnly}, []Kind{Immediate}
	numbered := []plan.Field{{Name: managed.FieldOrder, About: "to cancel or modify"}}
	return []action{
		{
			name:    "limit-order",
			aliases: []string{"limitorder", "placelimitorder", "placeorder"},
			takes:   []string{"order.pool", "order.side", "order.price", "order.quantity"},
			fields:  []string{"order", "manager", "managerOf", "feeMode"},
			places:  rests,
			plan:    planLimit, work: limit, read: reading(rests), events: telling(rests),
			report: placeReport, result: placeResult,
		},
		{
			name: "market-order",
			aliases: []string{"marketorder", "placemarketorder", "sellatmarket", "buyatmarket",
				"marketsell", "marketbuy"},
			takes:  []string{"order.pool", "order.side", "order.quantity", "maxSlippageBps"},
			fields: []string{"order", "manager", "managerOf", "feeMode", "maxSlippageBps"},
			places: now,
			plan:   planMarket, work: market, read: reading(now), events: telling(now),
			report: placeReport, result: placeResult,
		},
		{
			name:    "modify-order",
			aliases: []string{"modifyorder", "changeorder", "editorder", "replaceorder", "amendorder"},
			takes:   []string{"order.pool", managed.FieldOrder},
			own:     numbered,
			fields:  []string{"order", managed.FieldOrder, "manager", "feeMode"},
			cancels: cancelFunction,
			places:  rests,
			plan:    planModify, work: modify, read: readModify, events: modifyEvents,
			report: modifyReport, result: modifyResult,
		},
		{
			name:    "cancel-order",
			aliases: []string{"cancelorder", "cancellimitorder", "ordercancel"},
			takes:   []string{"order.pool", managed.FieldOrder},
			own:     numbered,
			fields:  []string{"order", managed.FieldOrder, "manager"},
			cancels: cancelFunction,
			plan:    planCancel, work: cancelOne, read: readOne, events: cancelEvents,
			report: cancelReport, result: cancelResult,
		},
		{
			name:    "cancel-all-orders",
			aliases: []string{"cancelall", "cancelallorders", "cancelorders", "cancelallopenorders"},
			fields:  []string{"order", "manager"},
			cancels: cancelAllFunction,
			plan:    planAll, work: cancelAll, read: readAll, events: allEvents,
			report: allReport, result: allResult,
		},
	}
}

// Source reads balance managers, and their holdings in every pinned pool. deepbook.Inventory implements
// it.
type Source interface {
	managed.Source
	Accounts(ctx context.Context, manager sui.ObjectID) ([]deepbook.PoolAccount, time.Time, error)
}

// Adapter prepares one of the actions. It implements plan.Adapter.
type Adapter struct {
	action
	market Market
	source Source
}

// New returns the adapters, one for each action. They read from market and source.
func New(market Market, source Source) (list []plan.Adapter) {
	for _, a := range actions() {
		list = append(list, &Adapter{a, market, source})
	}
	return list
}

// Meta implements plan.Adapter.
func (a *Adapter) Meta() plan.Meta {
	catalog := "deepbook_" + strings.ReplaceAll(a.name, "-", "_") + "_review_v1"
	m := plan.Meta{
		Action: a.name, Slug: managed.Slug, Protocol: managed.Protocol, Label: managed.Label,
		AdapterID: "deepbook-" + a.name, StageCatalog: catalog, CheckPrefix: managed.Prefix,
		Aliases: a.aliases, Takes: a.takes, Fields: a.own, Harmless: a.places == nil, Packages: registry.PackageIDs(),
		Stages: []plan.StageID{plan.StageIntent, managed.StageManager},
		Words: managed.Words(plan.StageWords{stageOrder: "Finding the order in the book",
			stageMarket: "Checking the market's steps and the manager's coins"}),
	}
	if a.cancels != "" {
		m.Stages, m.Functions = append(m.Stages, stageOrder), append(m.Functions, "pool::"+a.cancels)
	}
	if a.places != nil {
		m.Stages, m.Functions = append(m.Stages, stageMarket), append(m.Functions, "pool::"+placeFunction)
	}
	m.Stages = append(m.Stages, managed.StagePolicy)
	return m
}

// Plan implements plan.Adapter. Its errors name the field.
func (a *Adapter) Plan(in plan.Intent, _ time.Time) (plan.Plan, error) {
	check := in.Only
	if a.places != nil {
		check = func(fields ...string) error { return only(in, fields...) }
	}
	if err := check(a.fields...); err != nil {
		return plan.Plan{}, err
	}
	named, err := managed.Named(in.Manager)
	if err != nil {
		return plan.Plan{}, err
	}
	return a.plan(in, named)
}

// inMarket returns the common part of a plan for one market. It promises nothing about coins.
func inMarket(pool registry.Pool, manager sui.ObjectID) plan.Plan {
	return plan.Plan{Route: pool.Key, Subject: manager, Promise: nothing(),
		Coins: []plan.Asset{managed.Asset(pool.Base), managed.Asset(pool.Quote)}}
}

// nothing returns the promise of an action whose amounts are not in the bytes: coins that become free
// in the manager, or an order whose price is not known yet.
func nothing() plan.Promise { return plan.Promise{Outcomes: []plan.Outcome{{Name: "done"}}} }

// work holds the stages of one computation. A stage that the action lacks is nil.
type work struct {
	manager, order, market, policy func(context.Context, *plan.Step) error
}

// Stages implements plan.Adapter.
func (a *Adapter) Stages(p plan.Plan) []plan.Stage {
	w := a.work(a, p)
	return slices.DeleteFunc([]plan.Stage{
		managed.Asked(p), {ID: managed.StageManager, Run: w.manager}, {ID: stageOrder, Run: w.order},
		{ID: stageMarket, Run: w.market}, {ID: managed.StagePolicy, Run: w.policy},
	}, func(s plan.Stage) bool { return s.Run == nil })
}

// Read implements plan.Adapter. It accepts exactly what the action's stages append.
func (a *Adapter) Read(r *readback.Reader) (plan.StepFacts, error) { return a.read(r) }

// FromEvents implements plan.Adapter. It reports the orders that DeepBook's events report as placed or
// canceled.
func (a *Adapter) FromEvents(account sui.Address, events []sui.Event) (plan.Reported, error) {
	return a.events(account, events)
}

// ReportExecution implements plan.ExecutionReporter. It reports what was canceled, what traded
// immediately, what rests, and the order numbers.
func (a *Adapter) ReportExecution(e sui.Executed, s plan.StepFacts) []plan.Term {
	return a.report(e, s)
}

// ReportResult implements plan.ResultReporter. It reports what happened to the orders, and where the
// coins are.
func (a *Adapter) ReportResult(e sui.Executed, s plan.StepFacts) plan.Result { return a.result(e, s) }

// ReadAbort implements plan.AbortReader.
func (*Adapter) ReadAbort(abort sui.MoveAbort, _ plan.StepFacts) *plan.Stop {
	return managed.ReadAbort(abort)
}

var (
	_ plan.ResultReporter = (*Adapter)(nil)
	_ plan.AbortReader    = (*Adapter)(nil)
)
