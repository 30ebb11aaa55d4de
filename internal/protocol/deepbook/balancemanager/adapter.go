// Package balancemanager prepares reviews of actions on the account's DeepBook balance manager:
// creating it, depositing coins, withdrawing coins, and withdrawing everything.
//
// It only moves coins between the account and its own managers. It trades nothing and grants nobody
// else access to a manager.
package balancemanager

import (
	"context"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/managed"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/readback"
)

// Functions of balance_manager.
const (
	create   = "new"
	deposit  = "deposit"
	withdraw = "withdraw" // a withdrawal of everything calls it too, with amounts that were read first
)

var framework = sui.MustAddress("0x2")

// Adapter prepares the creation of a manager, or a deposit or withdrawal of a given amount. It
// implements plan.Adapter.
type Adapter struct {
	action   string // "create", "deposit" or "withdraw"
	function string
	source   managed.Source // nil for create, which reads no manager
}

// NewCreate returns the Adapter that creates managers.
func NewCreate() *Adapter { return &Adapter{"create", create, nil} }

// NewDeposit returns the Adapter that deposits coins into managers. It reads managers from source.
func NewDeposit(source managed.Source) *Adapter { return &Adapter{"deposit", deposit, source} }

// NewWithdraw returns the Adapter that withdraws coins from managers. It reads managers from source.
func NewWithdraw(source managed.Source) *Adapter { return &Adapter{"withdraw", withdraw, source} }

// Meta implements plan.Adapter.
func (a *Adapter) Meta() plan.Meta {
	stages := []plan.StageID{plan.StageIntent, managed.StageManager, managed.StagePolicy}
	if a.source == nil {
		stages = []plan.StageID{plan.StageIntent, managed.StagePolicy}
	}
	aliases := map[string][]string{
		create:   {"managercreate", "createbalancemanager", "createmanager", "newbalancemanager"},
		deposit:  {"managerdeposit", "deposit", "depositintobalancemanager"},
		withdraw: {"managerwithdraw", "withdraw", "withdrawfrombalancemanager"},
	}
	takes := map[string][]string{deposit: {"from"}, withdraw: {"to", "to.amount"}}
	return plan.Meta{
		Aliases: aliases[a.function], Takes: takes[a.function], Harmless: a.function == withdraw,
		Action: "manager-" + a.action, Slug: managed.Slug, Protocol: managed.Protocol, Label: managed.Label,
		AdapterID:    "deepbook-manager-" + a.action,
		StageCatalog: "deepbook_manager_" + a.action + "_review_v1", CheckPrefix: managed.Prefix, Stages: stages,
		Words:    managed.Words(nil),
		Packages: registry.PackageIDs(), Functions: []string{managed.Module + "::" + a.function},
	}
}

// Plan implements plan.Adapter. Its errors name the field.
func (a *Adapter) Plan(in plan.Intent, _ time.Time) (plan.Plan, error) {
	switch a.function {
	case deposit:
		return a.planMove(in, "from", in.From.Symbol, in.From.Amount)
	case withdraw:
		return a.planMove(in, "to", in.To.Symbol, in.To.Amount)
	}
	if err := in.Only(); err != nil {
		return plan.Plan{}, err
	}
	return plan.Plan{
		Title: "Create a DeepBook balance manager", Asked: "create a DeepBook balance manager",
		Summary: "Create a new, empty DeepBook balance manager that belongs to your account. Orders are paid from such a " +
			"manager.",
		Makes:   managed.Type(registry.OriginalPackage).String(),
		Promise: plan.Promise{Outcomes: []plan.Outcome{{Name: "made"}}},
	}, nil
}

// planMove returns the plan of a deposit or withdrawal. side is the part of the intent that contains
// the coin and amount: from or to.
func (a *Adapter) planMove(in plan.Intent, side, symbol, text string) (plan.Plan, error) {
	if err := in.Only(side, side+".amount", "manager", "managerOf"); err != nil {
		return plan.Plan{}, err
	}
	coin, err := managed.Coin("intent."+side+".symbol", symbol)
	if err != nil {
		return plan.Plan{}, err
	}
	amount, err := plan.ReadAmount("intent."+side+".amount", text, coin)
	if err != nil {
		return plan.Plan{}, err
	}
	named, err := managed.Named(in.Manager)
	if err != nil {
		return plan.Plan{}, err
	}
	manager := managed.Yours(in, named)
	p := plan.Plan{Subject: named, Promise: plan.Promise{Outcomes: []plan.Outcome{{Name: "moved",
		Bounds: promise(a.function, named, amount)[:1]}}}}
	if a.function == deposit {
		p.Title, p.Asked = "Deposit "+amount.String()+" with DeepBook", "put "+amount.String()+" into "+manager
		p.Summary = "Put " + amount.String() + " into " + manager + ", from which orders are paid."
		return p, nil
	}
	p.Title, p.Asked = "Withdraw "+amount.String()+" from DeepBook", "take "+amount.String()+" out of "+manager
	p.Summary = "Take " + amount.String() + " out of " + manager + ", into your account."
	return p, nil
}

// promise returns the bounds of a deposit or withdrawal: for each amount, first the account's row and
// then the manager's.
func promise(function string, manager sui.ObjectID, list ...plan.Amount) (rows []plan.Bound) {
	for _, a := range list {
		rows = append(rows, promiseOf(function, manager, a)...)
	}
	return rows
}

func promiseOf(function string, manager sui.ObjectID, a plan.Amount) []plan.Bound {
	if function == deposit {
		return []plan.Bound{plan.Moves(plan.RoleInput, plan.Party{}, a, true), plan.Moves(plan.RoleHolding,
			managed.Party(manager), a, false)}
	}
	return []plan.Bound{plan.Moves(plan.RoleOutput, plan.Party{}, a, false), plan.Moves(plan.RoleHolding,
		managed.Party(manager), a, true)}
}

// amount returns the amount that a plan deposits or withdraws.
func amount(p plan.Plan) plan.Amount { return p.Promise.Bounds()[0].Amount() }

// Stages implements plan.Adapter.
func (a *Adapter) Stages(p plan.Plan) []plan.Stage {
	stages := []plan.Stage{managed.Asked(p)}
	if a.source == nil {
		return append(stages, plan.Stage{ID: managed.StagePolicy, Run: createPolicy})
	}
	var h deepbook.Holder
	return append(stages,
		plan.Stage{ID: managed.StageManager, Run: func(ctx context.Context, s *plan.Step) (err error) {
			if h, err = managed.ResolveOrNew(ctx, a.source, s, p.Subject); err != nil {
				return err
			}
			if a.function == deposit {
				a.grows(ctx, s, h, amount(p))
				return nil
			}
			return a.enough(ctx, s, h, amount(p))
		}},
		plan.Stage{ID: managed.StagePolicy, Run: func(_ context.Context, s *plan.Step) error {
			a.movePolicy(s, h,
				amount(p))
			return nil
		}},
	)
}

// grows records a manager's balance before and after a deposit, if a node reports it.
func (a *Adapter) grows(ctx context.Context, s *plan.Step, h deepbook.Holder, in plan.Amount) {
	free, err := managed.FreeNow(ctx, a.source, s, h, in.CoinType)
	if err != nil {
		return
	}
	if after, ok := plan.Holds(in.Asset, free, uint64(in.Raw), 0); ok {
		s.Outlook.Holder = []plan.HolderBalance{after}
	}
}

// enough checks whether a manager has the amount to withdraw.
func (a *Adapter) enough(ctx context.Context, s *plan.Step, h deepbook.Holder, out plan.Amount) error {
	free, err := managed.FreeNow(ctx, a.source, s, h, out.CoinType)
	if err != nil {
		return err
	}
	if s.Read(managed.Free(out.Of(free))); free >= out.Raw {
		if after, ok := plan.Holds(out.Asset, free, 0, uint64(out.Raw)); ok {
			s.Outlook.Holder = []plan.HolderBalance{after}
		}
		return nil
	}
	return &plan.Stop{Reason: plan.InsufficientBalance, Check: plan.Fail(plan.SourceWallet, managed.Prefix+
		"_manager_balance", "Balance manager",
		"The node reports that the balance manager has "+out.Of(free).String()+" that no order ties up, but "+out.String()+
			" was requested.",
		"Choose a smaller amount in a new review, or cancel an order first.")}
}

func (a *Adapter) movePolicy(s *plan.Step, h deepbook.Holder, what plan.Amount) {
	s.Promise = plan.Promise{Outcomes: []plan.Outcome{{Name: "moved", Bounds: promise(a.function, h.ID, what)}}}
	s.Target = plan.Target{
		Package: h.Package, Function: managed.Module + "::" + a.function, RouteID: managed.Route(h.ID), Shared: h.Initial,
		TypeArgs: []sui.TypeTag{what.CoinType.Tag()},
	}
	s.Terms = managed.Moved(h.ID, a.function == deposit, what)
	s.Explain = managed.Refused
	if a.function == withdraw {
		s.Append = func(b *plan.Builder) error { return AppendWithdraw(b, h, what) }
		s.Guarantee = "Exactly " + what.String() +
			" arrives in your own account, or the transaction fails and only gas is spent."
		return
	}
	s.Needs = []plan.CoinRequest{{Role: plan.RoleInput, Amount: what}}
	s.Append = func(b *plan.Builder) error { return AppendDeposit(b, h, what) }
	own := "your own"
	if h.Made > 0 {
		own = "your new"
	}
	s.Guarantee = "Exactly " + what.String() + " goes into " + own +
		" balance manager, or the transaction fails and only gas is spent."
	s.Locks = []string{
		what.String() +
			" leaves your account and stays in the balance manager. Other programs that look at your account do not see it " +
			"there.",
		"To undo it, withdraw it. Only your account can do that, at any time. Coins that open orders tie up become " +
			"available when the orders end.",
	}
}

func createPolicy(_ context.Context, s *plan.Step) error {
	pkg := registry.Packages()[0].ID
	s.Promise = s.Plan.Promise
	s.Target = plan.Target{Package: pkg, Function: managed.Module + "::" + create}
	s.Append = func(b *plan.Builder) error { AppendCreate(b, pkg); return nil }
	s.Terms = owned(s.Account)
	s.Explain = managed.Refused
	s.Guarantee = "A new balance manager that only your account owns is created, or the transaction fails. Creating " +
		"it costs only gas."
	s.Locks = []string{
		"Nothing is tied up except the small storage deposit that is part of the gas.",
		"The manager stays on chain permanently, and an empty one costs nothing more. Only your account can withdraw " +
			"what you deposit later.",
	}
	return nil
}

// owned returns the term with the manager's owner.
func owned(owner sui.Address) []plan.Term {
	return []plan.Term{{Name: managed.TermOwner, Value: owner.String()}}
}

// FromEvents implements plan.Adapter. It reports the amount that each manager received or paid, or
// that a manager was created and who owns it.
func (a *Adapter) FromEvents(account sui.Address, events []sui.Event) (plan.Reported, error) {
	if a.function != create {
		return managed.MovesFromEvents(events, account, a.function == deposit, false)
	}
	return managed.FromEvents(events, account, made, func(m deepbook.MadeManager) (plan.Action, error) {
		return plan.Action{Terms: owned(m.Owner), Events: []int{m.At}}, nil
	})
}

func made(all deepbook.Actions) ([]deepbook.MadeManager, error) { return all.Made, nil }

// ReportExecution implements plan.ExecutionReporter. It names the created manager.
func (a *Adapter) ReportExecution(e sui.Executed, _ plan.StepFacts) (terms []plan.Term) {
	for _, id := range a.Made(e.Sender, e.Events) {
		terms = append(terms, managed.Term(id))
	}
	return terms
}

// Made implements plan.ObjectMaker.
func (a *Adapter) Made(account sui.Address, events []sui.Event) (ids []sui.ObjectID) {
	all, err := deepbook.ReadActions(events, account)
	if err != nil || a.function != create {
		return nil
	}
	for _, m := range all.Made {
		ids = append(ids, m.ID)
	}
	return ids
}

var _ plan.ObjectMaker = (*Adapter)(nil)

// Read implements plan.Adapter. It accepts exactly what the Append functions build.
func (a *Adapter) Read(r *readback.Reader) (plan.StepFacts, error) {
	switch a.function {
	case deposit:
		return readDeposit(r)
	case withdraw:
		return readWithdraw(r)
	}
	return readCreate(r)
}

func readCreate(r *readback.Reader) (plan.StepFacts, error) {
	at := r.At()
	call, err := r.Call(managed.Module, []string{create}, registry.Published)
	if err != nil {
		return plan.StepFacts{}, err
	}
	if len(call.Arguments)+len(call.TypeArgs) != 0 {
		return plan.StepFacts{}, readback.Unlike("It does not create one balance manager for its sender.")
	}
	made := sui.ResultArg(at)
	r.Make(made, share(call.Package, made),
		"Share it, so that DeepBook can use it. Your account remains its owner.")
	return plan.StepFacts{
		Promise: plan.Promise{Outcomes: []plan.Outcome{{Name: "made"}}}, Terms: owned(r.Sender()),
		Package: call.Package, Function: call.Module + "::" + call.Function,
		Commands: []string{"Create a new, empty balance manager that belongs to your account."},
	}, nil
}

func readDeposit(r *readback.Reader) (plan.StepFacts, error) {
	paid, err := r.Funded()
	if err != nil {
		return plan.StepFacts{}, err
	}
	call, err := r.Call(managed.Module, []string{deposit}, registry.Published)
	if err != nil {
		return plan.StepFacts{}, err
	}
	if len(call.Arguments) != 2 || call.Arguments[1] != paid.Result || len(call.TypeArgs) != 1 {
		return plan.StepFacts{}, readback.Unlike("It does not deposit exactly the amount that was split off.")
	}
	in, f, err := moved(r, call, paid.Amount)
	if err != nil {
		return plan.StepFacts{}, err
	}
	if !paid.Pays(in.CoinType) {
		return plan.StepFacts{}, readback.Unlike("It deposits a different coin than the one that the amount is split off.")
	}
	f.Sends, f.Commands = r.Sender(), append(plan.FundedWords(paid, in), "Put it into your balance manager.")
	return f, nil
}

func readWithdraw(r *readback.Reader) (plan.StepFacts, error) {
	at := r.At()
	out, f, err := readOut(r)
	if err != nil {
		return plan.StepFacts{}, err
	}
	kept := readback.Result{Value: sui.ResultArg(at), Coin: out.CoinType, Least: out.Raw, Exact: true}
	if f.Sends, err = r.SentOrKept(kept, kept.Value); err != nil {
		return plan.StepFacts{}, err
	}
	f.Commands = []string{takes(out), sends(f.Sends)}
	if _, keeps := r.Kept(); keeps {
		f.Commands[1] = "Keep it for a later step."
	}
	return f, nil
}

func takes(out plan.Amount) string { return "Take " + out.String() + " out of your balance manager." }

func sends(to sui.Address) string { return "Send it to " + to.String() + "." }

// readOut reads the call that withdraws one coin, but not its recipient.
func readOut(r *readback.Reader) (plan.Amount, plan.StepFacts, error) {
	call, err := r.Call(managed.Module, []string{withdraw}, registry.Published)
	if err != nil {
		return plan.Amount{}, plan.StepFacts{}, err
	}
	if len(call.Arguments) != 2 || len(call.TypeArgs) != 1 {
		return plan.Amount{}, plan.StepFacts{}, readback.Unlike("It does not withdraw one amount of one coin.")
	}
	n, err := r.U64(call.Arguments[1])
	if err != nil {
		return plan.Amount{}, plan.StepFacts{}, err
	}
	return moved(r, call, sui.Raw(n))
}

// moved reads the call of a deposit or withdrawal.
func moved(r *readback.Reader, call sui.MoveCall, raw sui.Raw) (plan.Amount, plan.StepFacts, error) {
	manager, err := managed.ReadUse(r, call.Arguments[0])
	if err != nil {
		return plan.Amount{}, plan.StepFacts{}, err
	}
	coin, ok := coins.ByType(sui.CoinType(call.TypeArgs[0].String()))
	if !ok {
		return plan.Amount{}, plan.StepFacts{}, fault.New(fault.InputInvalid, "It moves a coin that is not pinned.")
	}
	what, in := managed.Asset(coin).Of(raw), call.Function == deposit
	part := "out of your own balance manager"
	if in {
		part = strings.Replace(part, "out of", "into", 1)
	}
	return what, plan.StepFacts{
		Promise: plan.Promise{Outcomes: []plan.Outcome{{Name: "moved", Bounds: promise(call.Function, manager, what)}}},
		Holder:  managed.Holder(manager, part), Terms: managed.Moved(manager, in, what),
		Package: call.Package, Function: call.Module + "::" + call.Function, TypeArgs: []string{string(coin.Type)},
		RouteID: managed.Route(manager),
	}, nil
}
