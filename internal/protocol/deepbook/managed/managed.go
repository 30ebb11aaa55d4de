// Package managed contains the code that all reviews about a DeepBook balance manager share: choosing
// the manager, checking its owner, and naming it and proving its ownership in transactions.
//
// It prepares no action itself. It chooses a manager only if the account has exactly one.
package managed

import (
	"context"
	"errors"
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/readback"
)

// Texts that these reviews share.
const (
	Prefix   = "deepbook"
	Slug     = "deep"
	Protocol = "DeepBookV3"
	Label    = "DeepBook"
	Module   = "balance_manager"

	// Names of terms. The value of TermManager is a complete object id.
	TermPool     = "Market"
	TermOrder    = "Order"           // as in "Sell SUI for USDC"
	TermCanceled = "Cancelled order" // same as TermOrder, for a canceled order
	TermQuantity = "Quantity"
	TermPrice    = "Price limit"
	TermManager  = "Balance manager"
	TermOwner    = "Owner"
	TermIn       = "Goes into it"
	TermOut      = "Comes out of it"

	// ActionCreate and ActionDeposit are the actions that create a manager and fund it.
	ActionCreate  = "manager-create"
	ActionDeposit = "manager-deposit"

	// FeeDeep is the fee mode in which DEEP pays the fee, in an intent and in the evidence of a quote.
	FeeDeep = "deep"

	proofFunction = "generate_proof_as_owner"
	noManager     = "No balance manager of your account was found."
)

// Words returns the texts of the shared stages, and those in more.
func Words(more plan.StageWords) plan.StageWords {
	words := plan.StageWords{StageManager: "Finding your balance manager",
		StagePolicy: "Determining what the transaction must contain"}
	maps.Copy(words, more)
	return words
}

// Stages shared by these adapters.
const (
	StageManager plan.StageID = "balance_manager_resolved"
	StagePolicy  plan.StageID = "policy_derived"
)

// Source reads balance managers. deepbook.Inventory implements it.
type Source interface {
	// Discover finds the managers of an account. If named is not zero, it is checked too.
	Discover(ctx context.Context, account sui.Address, named sui.ObjectID) (deepbook.Discovery, error)
	// Holder reads one manager. It returns fault.InputInvalid if id is not one.
	Holder(ctx context.Context, id sui.ObjectID) (deepbook.Holder, error)
	// Free reads a manager's free balance of a coin.
	Free(ctx context.Context, h deepbook.Holder, coin sui.CoinType) (sui.Raw, error)
	// FreeAfter is like Free, after a transaction, which may be nil.
	FreeAfter(ctx context.Context, after *sui.Transaction, h deepbook.Holder, coin sui.CoinType) (sui.Raw, error)
	// Account reads a manager's account in a pool.
	Account(ctx context.Context, poolKey string, manager sui.ObjectID) (deepbook.PoolAccount, error)
}

// After returns the earlier steps as a transaction, or nil if they do not affect a market or a manager.
func After(ctx context.Context, d *plan.Step) (*sui.Transaction, error) {
	before, err := d.Before(ctx, plan.Amount{})
	//mutant:always ./review/gate TestOrdersBehindSteps
	if err != nil || before == nil {
		return nil, err
	}
	return &before.Transaction, nil
}

// FreeNow reads a manager's free balance of a coin after the earlier steps.
func FreeNow(ctx context.Context, source Source, d *plan.Step, h deepbook.Holder, coin sui.CoinType) (sui.Raw, error) {
	after, err := After(ctx, d)
	if err != nil {
		return 0, err
	}
	return source.FreeAfter(ctx, after, h, coin)
}

// Named reads the optional id of a manager in an intent. It returns zero if it is omitted.
func Named(text string) (sui.ObjectID, error) {
	if text == "" {
		return sui.ObjectID{}, nil
	}
	id, err := sui.ParseAccount(text)
	if err != nil {
		return id, fault.New(fault.InputInvalid,
			"Give a balance manager's complete object id: 0x and 64 hexadecimal digits.").
			With("field", "intent.manager")
	}
	return id, nil
}

// Resolve returns the manager of a review and adds its check. Without a name, it is the account's only
// manager. The review stops if there is none, if there are several, or if it belongs to another
// account.
func Resolve(ctx context.Context, source Source, d *plan.Step, named sui.ObjectID) (deepbook.Holder, error) {
	how := "You named it"
	if named.IsZero() {
		//mutant:never ./internal/request TestFirstOrderVariations
		if slices.Contains(d.Follows, ActionCreate) {
			return deepbook.Holder{}, stop(
				"This step needs a balance manager that is on chain, but an earlier step creates the manager.",
				"Sign each step separately, or name a balance manager that you have.")
		}
		var err error
		if named, err = only(ctx, source, d.Account); err != nil {
			return deepbook.Holder{}, missing(err, d)
		}
		how = "It is the only one found for your account"
	}
	h, err := source.Holder(ctx, named)
	if err != nil {
		if fault.Is(err, fault.InputInvalid) {
			return h, stop(fault.As(err).Text, "Prepare a new review with the right manager.")
		}
		return h, err
	}
	if h.Owner != d.Account {
		return h, stop("The balance manager "+named.String()+
			" belongs to another account, and only that account can use it.",
			"Connect that account, or prepare a new review with one of this account's managers.")
	}
	d.Check(plan.Pass(plan.SourceWallet, Prefix+"_balance_manager", "Balance manager",
		"The balance manager belongs to your account. "+how+"."))
	return h, nil
}

func only(ctx context.Context, source Source, account sui.Address) (sui.ObjectID, error) {
	found, err := source.Discover(ctx, account, sui.ObjectID{})
	if err != nil {
		return sui.ObjectID{}, err
	}
	var own []sui.ObjectID
	for _, m := range found.Managers {
		h, err := source.Holder(ctx, m.ID)
		if err != nil && !fault.Is(err, fault.InputInvalid) {
			return sui.ObjectID{}, err
		}
		if err == nil && h.Owner == account {
			own = append(own, m.ID)
		}
		if len(own) > 1 {
			break
		}
	}
	switch len(own) {
	case 1:
		return own[0], nil
	case 0:
		return sui.ObjectID{}, stop(noManager,
			"Ask your AI client to create one first, or give it the address of yours: not every manager can be found.")
	}
	return sui.ObjectID{}, stop("Your account has several balance managers, and none was named.",
		"Ask your AI client to list them, and prepare a new review that names one.")
}

// FieldOrder is the name of the intent's field with an order's number.
const FieldOrder = "orderId"

// missing adds suggested intents to the error for an account without a manager, if the action brings
// coins: first create a manager, then repeat the request.
func missing(err error, d *plan.Step) error {
	var s *plan.Stop
	in := d.Intent
	brings := in.From.Symbol != "" || in.Order != nil && in.Order.Quantity != "" && in.Own[FieldOrder] == ""
	if errors.As(err, &s) && s.Check.Message == noManager && brings {
		s.Next = []plan.Intent{{Type: ActionCreate, Protocol: Slug}, d.Intent.Asking()}
	}
	return err
}

// Deposit returns the intent to deposit an amount into a manager. If manager is "", it is the
// account's only one.
func Deposit(a plan.Amount, manager string) plan.Intent {
	return plan.Intent{Type: ActionDeposit, Protocol: Slug, Manager: manager,
		From: plan.IntentSource{Symbol: a.Symbol, Amount: string(a.Display)}}
}

func stop(message, do string) error {
	return &plan.Stop{Reason: plan.ObjectResolutionFailed,
		Check: plan.Fail(plan.SourceWallet, Prefix+"_balance_manager", "Balance manager", message, do)}
}

// Free returns a reading that states a manager's free balance.
func Free(a plan.Amount) plan.Reading {
	return plan.Reading{Name: "free amount of " + a.Symbol + " in the balance manager", Value: a.Raw.String(), Moves: true}
}

// Term returns the term that names the manager.
func Term(id sui.ObjectID) plan.Term {
	return plan.Term{Name: TermManager, Value: plan.MadeText(id)}
}

// Holder describes a manager's role in a step.
func Holder(id sui.ObjectID, part string) *plan.Holder {
	if plan.MadeAs(id) > 0 {
		part = strings.Replace(part, "your own", "your new", 1)
	}
	return &plan.Holder{ID: id, Part: part, Term: TermManager}
}

// Party returns the manager as a party of a step's promise.
func Party(id sui.ObjectID) plan.Party { return plan.ObjectParty(id) }

// Prove appends the call that proves ownership of a manager and returns the proof.
func Prove(b *plan.Builder, pkg sui.ObjectID, manager sui.Argument) sui.Argument {
	return b.Add(sui.MoveCall{Package: pkg, Module: Module, Function: proofFunction, Arguments: []sui.Argument{manager}})
}

// AppendTrade adds the calls that prove ownership of a manager and call a function of a pool with it.
// more are the arguments after the pool, manager and proof.
func AppendTrade(b *plan.Builder, pkg sui.ObjectID, function string, pool registry.Pool, shared uint64,
	h deepbook.Holder, more ...sui.Input) error {
	manager, err := Use(b, h)
	if err != nil {
		return err
	}
	place := b.Input(sui.SharedInput{ID: pool.ID, InitialVersion: shared, Mutable: true})
	args := []sui.Argument{place, manager, {}}
	for _, in := range more {
		args = append(args, b.Input(in))
	}
	args[2] = Prove(b, pkg, manager)
	b.Add(sui.MoveCall{Package: pkg, Module: "pool", Function: function,
		TypeArgs: []sui.TypeTag{pool.Base.Type.Tag(), pool.Quote.Type.Tag()}, Arguments: args})
	return nil
}

// Trades reports whether the next commands prove ownership of a manager and call a function of a pool.
// It takes no commands.
func Trades(r *readback.Reader, function string) bool {
	next := r.Ahead(2)
	if len(next) < 2 {
		return false
	}
	proof, ok := next[0].(sui.MoveCall)
	trade, too := next[1].(sui.MoveCall)
	return ok && too && proof.Function == proofFunction && trade.Module == "pool" && trade.Function == function
}

// Trade is a call of a pool for a manager, decoded up to the function's own arguments.
type Trade struct {
	Pool    registry.Pool
	Manager sui.ObjectID // plan.Made if an earlier step creates the manager
	Call    sui.MoveCall
	Rest    []sui.Argument // after pool, manager and proof
}

// ReadTradeOrNew is like ReadTrade, for a function that can use a manager created by an earlier step.
func ReadTradeOrNew(r *readback.Reader, function string, more int) (Trade, error) {
	at := r.At()
	proof, err := r.Call(Module, []string{proofFunction}, registry.Published)
	if err != nil {
		return Trade{}, err
	}
	call, err := r.Call("pool", []string{function}, registry.Published)
	if err != nil {
		return Trade{}, err
	}
	if len(proof.Arguments) != 1 || len(proof.TypeArgs) != 0 || proof.Package != call.Package || len(call.Arguments) != 3+
		more ||
		call.Arguments[1] != proof.Arguments[0] || call.Arguments[2] != sui.ResultArg(at) {
		return Trade{}, readback.Unlike("It does not trade with the manager whose ownership it proves.")
	}
	t := Trade{Call: call, Rest: call.Arguments[3 : 3+max(more-1, 0)]}
	if t.Manager, err = ReadUse(r, call.Arguments[1]); err != nil {
		return Trade{}, err
	}
	pool, err := r.Shared(call.Arguments[0], true)
	if err != nil {
		return Trade{}, err
	}
	if t.Pool, err = registry.Named(pool, call.TypeArgs); err != nil {
		return Trade{}, err
	}
	if more == 0 {
		return t, nil
	}
	if clock, err := r.Shared(call.Arguments[2+more], false); err != nil || clock != sui.ClockInput() {
		return Trade{}, readback.Unlike("It does not use the chain's clock.")
	}
	return t, nil
}

// Facts returns the facts of a trade, which has no recipient. part describes the manager's role.
func (t Trade) Facts(part string) plan.StepFacts {
	return plan.StepFacts{
		Promise: plan.Promise{Outcomes: []plan.Outcome{{Name: "done"}}}, Holder: Holder(t.Manager, part),
		Package: t.Call.Package, Function: t.Call.Module + "::" + t.Call.Function,
		TypeArgs: []string{string(t.Pool.Base.Type), string(t.Pool.Quote.Type)}, Route: t.Pool.Key, RouteID: t.Pool.ID,
	}
}

// Target returns the target of a trade in a pool.
func Target(pkg sui.ObjectID, function string, pool registry.Pool, shared uint64, h deepbook.Holder) plan.Target {
	t := plan.Target{
		Package: pkg, Function: "pool::" + function, RouteID: pool.ID, Shared: shared,
		TypeArgs: []sui.TypeTag{pool.Base.Type.Tag(), pool.Quote.Type.Tag()},
	}
	if h.Made == 0 {
		t.Also = []plan.SharedObject{{ID: h.ID, Initial: h.Initial}}
	}
	return t
}

// Side describes an order's side, such as "Buy SUI with USDC".
func Side(isBid bool, p registry.Pool) string {
	if isBid {
		return "Buy " + p.Base.Symbol + " with " + p.Quote.Symbol
	}
	return "Sell " + p.Base.Symbol + " for " + p.Quote.Symbol
}

// Price formats a raw price of a pool.
func Price(raw sui.Raw, p registry.Pool) string {
	return string(raw.Decimal(p.PriceDecimals())) + " " + p.Quote.Symbol + " per " + p.Base.Symbol
}

// Asset returns a pinned coin in the form that reviews show.
func Asset(c coins.Coin) plan.Asset {
	return plan.Asset{Symbol: c.Symbol, CoinType: c.Type, Decimals: c.Decimals}
}

// Coin finds the pinned coin that a field of an intent names.
func Coin(field, symbol string) (plan.Asset, error) {
	if symbol == "" {
		return plan.Asset{}, fault.New(fault.InputInvalid, "The coin's symbol is missing.").With("field", field)
	}
	c, err := coins.Find(symbol)
	return Asset(c), plan.AtField(field, err)
}

// Asked returns the stage that records the request.
func Asked(p plan.Plan) plan.Stage {
	return plan.Stage{ID: plan.StageIntent, Run: func(_ context.Context, d *plan.Step) error {
		d.Check(plan.Pass(plan.SourceAdapter, Prefix+"_display_intent", "Request", "You asked to "+p.Asked+"."))
		return nil
	}}
}

// Refused explains an abort of DeepBook's packages. It returns nil for any other abort.
func Refused(a sui.MoveAbort) *plan.Stop {
	if !ours(a) {
		return nil
	}
	if stop := ReadAbort(a); stop != nil {
		return stop
	}
	return refused(plan.ObjectResolutionFailed, "DeepBook refused it for an unknown reason.",
		"Check again. If it fails again, prepare a new review.")
}

// ReadAbort explains an abort of DeepBook's packages. It returns nil if the meaning is unknown.
func ReadAbort(a sui.MoveAbort) *plan.Stop {
	called := a.Package
	if called == registry.OriginalPackage { // some nodes report this id for every version
		called = registry.Packages()[0].ID
	}
	r, ok := deepbook.Meaning(a, called, deepbook.ForManager)
	if !ours(a) || !ok {
		return nil
	}
	return refused(plan.Reason(r.Reason), r.Message, r.Advice)
}

func ours(a sui.MoveAbort) bool {
	return a.Package == registry.OriginalPackage || registry.Published(a.Package)
}

func refused(reason plan.Reason, message, advice string) *plan.Stop {
	return &plan.Stop{Reason: reason, Check: plan.Fail(plan.SourceSimulation, Prefix+"_refused", "DeepBook", message,
		advice)}
}

// Worth returns the cost of a quantity of base coins at a raw price, in quote coins, rounded down as
// DeepBook does.
func Worth(price, quantity sui.Raw) sui.Raw {
	n := new(big.Int).Mul(plan.BigInt(price), plan.BigInt(quantity))
	if n.Div(n, big.NewInt(priceScale)); !n.IsUint64() {
		return 0
	}
	return sui.Raw(n.Uint64())
}

// priceScale is the scale of raw prices.
const priceScale = 1_000_000_000

// Withdraw returns advice on moving an amount from a manager to the account.
func Withdraw(a plan.Amount) string {
	return "To have it in your account, ask your AI client to withdraw " + a.String() + " from your balance manager."
}
