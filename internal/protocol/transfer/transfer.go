// Package transfer prepares sending an amount of one coin to one address for
// review: the payment that a user can really sign.
//
// It trades nothing, calls no contract, and vouches for no recipient: whether
// the address was paid before is judged by the platform.
package transfer

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/screen"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/readback"
	"github.com/sayurintent/sayurintent/internal/suins"
	"github.com/sayurintent/sayurintent/review/plan"
)

// The adapter's own stages.
const (
	StageRecipient plan.StageID = "recipient_resolved"
	StagePolicy    plan.StageID = "transfer_policy_derived"
)

const prefix = "transfer"

// NoWallet reports whether an address is a pinned object of a protocol, and what it is
// in words, such as "the DeepBook pool SUI_USDC".
type NoWallet func(sui.Address) (what string, is bool)

// Names finds where names of SuiNS lead. A suins.Resolver does.
type Names interface {
	Resolve(ctx context.Context, n suins.Name) (suins.Found, error)
}

// Adapter prepares transfers. It implements plan.Adapter and asks a node for names alone.
type Adapter struct {
	noWallet NoWallet
	names    Names
}

// New returns an Adapter that takes no recipient of which noWallet reports that it is
// none. Neither argument is nil.
func New(noWallet NoWallet, names Names) *Adapter { return &Adapter{noWallet, names} }

// Meta implements plan.Adapter.
func (*Adapter) Meta() plan.Meta {
	return plan.Meta{
		Aliases: []string{"transfer", "send", "pay", "payment", "transfercoin", "sendcoin"}, Takes: []string{"from",
			"recipient"},
		Action: "transfer", Slug: "sui", Protocol: "Sui", Label: "Sui", AdapterID: "sui-transfer",
		StageCatalog: "sui_transfer_review_v1", CheckPrefix: prefix,
		Stages: []plan.StageID{plan.StageIntent, StageRecipient, StagePolicy}, AnyCoin: true,
		Words: plan.StageWords{StageRecipient: "Looking at who shall get it",
			StagePolicy: "Fixing what the transaction must say"},
	}
}

// Plan implements plan.Adapter: it resolves the symbol from the pinned
// registry, or takes the coin by its whole type, and reads amount and recipient
// exactly. Errors name the field.
func (a *Adapter) Plan(in plan.Intent, _ time.Time) (plan.Plan, error) {
	if err := in.Only("from", "from.raw", "recipient", "recipientName"); err != nil {
		return plan.Plan{}, err
	}
	from, err := coin(in.From)
	if err != nil {
		return plan.Plan{}, err
	}
	input, err := plan.ReadAmount("intent.from.amount", in.From.Amount, from)
	if err != nil {
		return plan.Plan{}, err
	}
	to, err := a.recipient(in.Recipient)
	if err != nil {
		return plan.Plan{}, plan.AtField("intent.recipient", err)
	}
	called, where := to.String(), "the address "+to.String()
	if in.RecipientName != "" {
		if n, err := suins.Parse(in.RecipientName); err != nil || string(n) != in.RecipientName {
			return plan.Plan{}, fault.New(fault.InputInvalid, "The name of the recipient is none. Prepare a new review.").
				With("field", "intent.recipientName")
		}
		called, where = in.RecipientName+", "+called, in.RecipientName+", which leads to "+where
	}
	return plan.Plan{
		Title: "Send " + input.String(), Asked: "send " + input.String() + " to " + called,
		Summary: "Send " + input.String() + " to " + where + ". A payment cannot be taken back.",
		Promise: promise(input, to),
	}, nil
}

// promise returns what a payment promises: exactly that leaves, and the recipient gets it.
func promise(a plan.Amount, to sui.Address) plan.Promise {
	return plan.Promise{Outcomes: []plan.Outcome{{Name: "sent", Bounds: []plan.Bound{
		plan.Moves(plan.RoleInput, plan.Party{}, a, true), plan.Moves(plan.RolePayment, plan.AddressParty(to), a, false),
	}}}}
}

// FromEvents implements plan.Adapter: a payment is reported by balance changes
// alone.
func (*Adapter) FromEvents(sui.Address, []sui.Event) (plan.Reported, error) {
	return plan.Reported{}, nil
}

// recipient reads the address of a user or a program's wallet: whole, so that nothing is filled in,
// and none of those that are surely nobody's.
func (a *Adapter) recipient(text string) (sui.Address, error) {
	to, err := sui.ParseAccount(text)
	switch {
	case text == "":
		return to, fault.New(fault.InputInvalid, "The recipient is missing: the whole address that shall get the coins.")
	case strings.HasSuffix(strings.ToLower(text), ".sui"):
		return to, fault.New(fault.InputInvalid, "That is a name, not an address. Give it as intent.recipientName.")
	case err != nil:
		return to, err
	//mutant:never ./internal/protocol/transfer TestConformance
	case to.Unowned():
		return to, fault.New(fault.InputInvalid, "%s is no wallet: what is sent there is lost.", to)
	}
	//mutant:never ./internal/protocol/transfer TestConformance
	if what, is := a.noWallet(to); is {
		return to, fault.New(fault.InputInvalid, "%s is %s, not a wallet: what is sent there is lost.", to, what)
	}
	return to, nil
}

// coin returns the coin that an intent names, by a pinned symbol or by its type.
func coin(from plan.IntentSource) (plan.Asset, error) {
	const field = "intent.from.symbol"
	pinned, err := coins.Coin{}, error(nil)
	if strings.Contains(from.Symbol, "::") {
		t, wrong := sui.ParseCoinType(from.Symbol)
		if wrong != nil {
			return plan.Asset{}, plan.AtField(field, wrong)
		}
		c, ok := coins.ByType(t)
		if pinned = c; !ok {
			if !from.Unit.Told && !from.Raw {
				return plan.Asset{}, fault.New(fault.InputInvalid, "Nothing is known of the decimals of the coin %s.",
					t).With("field", field)
			}
			return plan.ForeignCoin(t, from.Unit), nil
		}
	} else if from.Symbol == "" {
		return plan.Asset{}, fault.New(fault.InputInvalid, "The coin's symbol is missing.").With("field", field)
	} else if pinned, err = coins.Find(from.Symbol); err != nil {
		return plan.Asset{}, plan.AtField(field, err)
	}
	if from.Raw {
		return plan.Asset{}, fault.New(fault.InputInvalid,
			"Amounts of %s are given in whole coins and their decimals. Leave raw out.", pinned.Symbol).
			With("field", "intent.from.raw")
	}
	return plan.Asset{Symbol: pinned.Symbol, CoinType: pinned.Type, Decimals: pinned.Decimals}, nil
}

// resembles warns of a coin that calls itself like a pinned one, as the reads of
// a wallet do; nil for every other coin.
func resembles(a plan.Asset) *plan.Check {
	if !a.Foreign {
		return nil
	}
	symbols := coins.Symbols()
	name := strings.Trim(a.Symbol, "“”")
	if !slices.Contains(symbols, name) && !slices.Contains(screen.NewKnown(symbols).Symbol(name).Flags, screen.Imitation) {
		return nil
	}
	c := plan.Warn(plan.SourceRegistry, prefix+"_coin_resembles", "Coin", "The coin calls itself "+a.Symbol+
		", like one of the coins that are known here, and is another one: "+
		string(a.CoinType)+".", "Compare the whole type with that of the coin you mean.")
	c.Rule = "C17"
	return &c
}

// Stages implements plan.Adapter.
func (a *Adapter) Stages(p plan.Plan) []plan.Stage {
	return []plan.Stage{
		{ID: plan.StageIntent, Run: func(_ context.Context, d *plan.Step) error {
			d.Check(plan.Pass(plan.SourceAdapter, prefix+"_display_intent", "Request", "You asked to "+p.Asked+"."))
			return nil
		}},
		{ID: StageRecipient, Run: func(ctx context.Context, d *plan.Step) error {
			if err := a.named(ctx, d); err != nil {
				return err
			}
			return resolve(p, d)
		}},
		{ID: StagePolicy, Run: func(_ context.Context, d *plan.Step) error { return policy(p, d) }},
	}
}

func resolve(p plan.Plan, d *plan.Step) error {
	if p.Promise.Payee() == d.Account {
		return &plan.Stop{Reason: plan.UnsupportedAction, Check: plan.Fail(plan.SourceAdapter, prefix+"_recipient",
			"Recipient",
			"The recipient is your own account. Nothing would change but the gas that it costs.",
			"Prepare a new review with another recipient.")}
	}
	if c := resembles(p.Input().Asset); c != nil {
		d.Check(*c)
	}
	d.Check(plan.Pass(plan.SourceAdapter, prefix+"_recipient", "Recipient form",
		"The recipient is one whole address, taken as it was given."))
	return nil
}

func policy(p plan.Plan, d *plan.Step) error {
	a, to := p.Input(), p.Promise.Payee()
	d.Promise, d.Needs = p.Promise, []plan.CoinRequest{{Role: plan.RoleInput, Amount: a}}
	d.Target = plan.Target{Package: framework, Function: module + "::" + function,
		TypeArgs: []sui.TypeTag{coinOf(a.CoinType)}}
	d.Guarantee = "Exactly " + a.String() + " goes to " + to.String() +
		", or the transaction fails and only gas is spent. " +
		"Once it is executed, nobody can take it back but the recipient."
	d.Append = func(b *plan.Builder) error { return Append(b, a, to) }
	if d.Device && a.CoinType == sui.SUI {
		d.Plain = &plan.Target{Package: framework, Function: command}
	}
	if a.CoinType != sui.SUI {
		called := func(module string) plan.Target {
			return plan.Target{Package: framework, Function: module + "::" + gaslessFunction,
				TypeArgs: []sui.TypeTag{a.CoinType.Tag()}}
		}
		d.Gasless = &plan.Gasless{Funds: called(gaslessModule), Coins: called(gaslessCoins)}
	}
	return nil
}

// The call that sends. The plain command for it names no type, and then the
// bytes would not say which coin leaves; this function's type argument does, and
// the chain refuses a coin of another type.
const (
	module   = "transfer"
	function = "public_transfer"
)

// The command that sends SUI of an account on a hardware wallet. The wallet shows amount and
// recipient of it and not of the call. It is read only of a part of the gas coin, which is SUI
// whatever a node says.
const command = "TransferObjects"

// The calls that put a balance, or a coin, into an address balance. The chain takes no gas
// for them where it lists the coin.
const (
	gaslessModule   = readback.BalanceModule
	gaslessCoins    = readback.RedeemModule
	gaslessFunction = "send_funds"
)

var framework = sui.MustAddress("0x2")

// coinOf returns the type of a coin object.
func coinOf(t sui.CoinType) sui.TypeTag { return sui.MustTypeTag(t.Object()) }

// Append adds the calls of a payment: split the amount off and send it.
func Append(b *plan.Builder, a plan.Amount, to sui.Address) error {
	recipient := b.Input(sui.PureAddress(to))
	put := func(module string, what, into sui.Argument) {
		b.Add(sui.MoveCall{Package: framework, Module: module, Function: gaslessFunction,
			TypeArgs: []sui.TypeTag{a.CoinType.Tag()}, Arguments: []sui.Argument{what, into}})
	}
	if b.Gasless && b.Withdrawn(a) {
		put(gaslessModule, b.Redeem(a), recipient)
		return nil
	}
	coin, err := b.Fund(a)
	if err != nil {
		return err
	}
	if b.Gasless {
		put(gaslessCoins, coin, recipient)
		put(gaslessCoins, b.Rest(a.CoinType), b.Input(sui.PureAddress(b.Account)))
		return nil
	}
	if b.Plain {
		b.Add(sui.TransferObjects{Objects: []sui.Argument{coin}, Recipient: recipient})
		return nil
	}
	b.Add(sui.MoveCall{Package: framework, Module: module, Function: function,
		TypeArgs: []sui.TypeTag{coinOf(a.CoinType)}, Arguments: []sui.Argument{coin, recipient}})
	return nil
}

// Read implements plan.Adapter. It accepts four shapes: optionally merge coins, split one
// amount, send that to one address; the same of SUI, sent by the plain command; the same, but
// put that into its address balance, and what is left into the sender's own; or withdraw an
// amount from the address balance, and put that into another one.
func (*Adapter) Read(r *readback.Reader) (plan.StepFacts, error) {
	if w, err := r.Balance(); err != nil {
		return plan.StepFacts{}, err
	} else if w.Amount > 0 {
		return readGasless(r, w)
	}
	paid, err := r.Funded()
	if err != nil {
		return plan.StepFacts{}, err
	}
	if next, ok := r.Peek().(sui.MoveCall); ok && next.Module == gaslessCoins {
		return readGaslessCoins(r, paid)
	}
	if _, ok := r.Peek().(sui.TransferObjects); ok {
		return readPlain(r, paid)
	}
	call, err := r.Call(module, []string{function}, func(id sui.ObjectID) bool { return id == framework })
	if err != nil {
		return plan.StepFacts{}, err
	}
	if len(call.Arguments) != 2 || call.Arguments[0] != paid.Result || len(call.TypeArgs) != 1 {
		return plan.StepFacts{}, readback.Unlike("It does not send the amount that was split off, and that alone.")
	}
	to, err := r.Address(call.Arguments[1])
	if err != nil {
		return plan.StepFacts{}, err
	}
	a, ok := held(call.TypeArgs[0])
	if !ok || !paid.Pays(a.CoinType) {
		return plan.StepFacts{}, readback.Unlike("It sends something else than the coin that the amount is split from.")
	}
	what := a.Of(paid.Amount)
	return plan.StepFacts{
		Sends: to, Promise: promise(what, to), Package: call.Package, Function: module + "::" + function,
		TypeArgs: []string{call.TypeArgs[0].String()}, Commands: append(plan.FundedWords(paid, what), "Send it to "+
			to.String()+"."),
	}, nil
}

// readPlain reads a payment of SUI by the plain command, which names no type: only what was
// split from the coin that pays for gas is surely SUI.
func readPlain(r *readback.Reader, paid readback.Funding) (plan.StepFacts, error) {
	//mutant:never ./internal/protocol/transfer TestPlain
	if paid.Step > 0 || !paid.Gas() || !paid.Pays(sui.SUI) {
		return plan.StepFacts{}, readback.Unlike("It sends something by a command that does not say which coin it is.")
	}
	to, err := r.Sent(paid.Result)
	if err != nil {
		return plan.StepFacts{}, err
	}
	what := plan.SUI.Of(paid.Amount)
	return plan.StepFacts{
		Sends: to, Promise: promise(what, to), Package: framework, Function: command, TypeArgs: []string{},
		Commands: append(plan.FundedWords(paid, what), "Send it to "+to.String()+"."),
	}, nil
}

// putInto takes the call of a module that puts exactly what into an address balance.
func putInto(r *readback.Reader, module string, what sui.Argument) (of sui.CoinType, to sui.Address, err error) {
	call, err := r.Call(module, []string{gaslessFunction}, func(id sui.ObjectID) bool { return id == framework })
	if err != nil {
		return "", to, err
	}
	if len(call.Arguments) != 2 || call.Arguments[0] != what || len(call.TypeArgs) != 1 {
		return "", to, readback.Unlike("It does not send the amount that was taken, and that alone.")
	}
	to, err = r.Address(call.Arguments[1])
	return sui.CoinType(call.TypeArgs[0].String()), to, err
}

// gaslessFacts returns the facts of a payment into an address balance.
func gaslessFacts(module string, what plan.Amount, to sui.Address, commands ...string) plan.StepFacts {
	return plan.StepFacts{
		Sends: to, Promise: promise(what, to), Package: framework, Function: module + "::" + gaslessFunction,
		TypeArgs: []string{what.CoinType.Tag().String()},
		Commands: append(commands, "Put it into the address balance of "+to.String()+"."),
	}
}

// readGasless reads a payment from one address balance to another.
func readGasless(r *readback.Reader, w readback.Withdrawal) (plan.StepFacts, error) {
	of, to, err := putInto(r, gaslessModule, w.Result())
	if err != nil {
		return plan.StepFacts{}, err
	}
	if of != w.Coin {
		return plan.StepFacts{}, readback.Unlike("It sends something else than the coin that was withdrawn.")
	}
	what := assetOf(w.Coin).Of(w.Amount)
	return gaslessFacts(gaslessModule, what, to,
		"Take "+what.String()+" out of your address balance, where money lies that is in no coin."), nil
}

// readGaslessCoins reads a payment out of coins into an address balance. What the coins
// hold beyond it has to go into the sender's own.
func readGaslessCoins(r *readback.Reader, paid readback.Funding) (plan.StepFacts, error) {
	of, to, err := putInto(r, gaslessCoins, paid.Result)
	if err != nil {
		return plan.StepFacts{}, err
	}
	rest, back, err := putInto(r, gaslessCoins, paid.Source)
	if err != nil {
		return plan.StepFacts{}, err
	}
	//mutant:never ./internal/protocol/transfer TestGaslessCoins
	if back != r.Sender() {
		return plan.StepFacts{},
			readback.Unlike("It puts the rest of the coins into an address balance that is not the sender's own.")
	}
	//mutant:never ./internal/protocol/transfer TestGaslessCoins
	if paid.Gas() || paid.Whole() || paid.Step > 0 || rest != of || !paid.Pays(of) {
		return plan.StepFacts{}, readback.Unlike("It sends something else than the coin that the amount is split from.")
	}
	what := assetOf(of).Of(paid.Amount)
	f := gaslessFacts(gaslessCoins, what, to, plan.FundedWords(paid, what)...)
	f.Commands = append(f.Commands, "Put what is left of your "+what.Symbol+" coin into your own address balance.")
	return f, nil
}

// held returns the coin of the type of a coin object; false for any other type.
func held(t sui.TypeTag) (plan.Asset, bool) {
	if t.Kind != sui.TypeStruct || len(t.Struct.Params) != 1 {
		return plan.Asset{}, false
	}
	of := sui.CoinType(t.Struct.Params[0].String())
	if of.Object() != t.String() {
		return plan.Asset{}, false
	}
	return assetOf(of), true
}

// assetOf returns a coin by its pinned name, or as one whose unit is not known yet.
func assetOf(of sui.CoinType) plan.Asset {
	if c, ok := coins.ByType(of); ok {
		return plan.Asset{Symbol: c.Symbol, CoinType: c.Type, Decimals: c.Decimals}
	}
	return plan.UnreadCoin(of)
}
