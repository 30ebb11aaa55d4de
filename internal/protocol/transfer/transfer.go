// Package transfer prepares reviews that send an amount of one coin to one address.
//
// It trades nothing, calls no contract, and does not vouch for recipients: the platform checks whether
// the address was paid before.
package transfer

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/screen"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/readback"
	"github.com/sayurintent/sayurintent/internal/suins"
)

// Stages of this adapter.
const (
	StageRecipient plan.StageID = "recipient_resolved"
	StagePolicy    plan.StageID = "transfer_policy_derived"
)

const prefix = "transfer"

// NoWallet reports whether an address is a pinned object of a protocol, and describes it, as in "the
// DeepBook pool SUI_USDC".
type NoWallet func(sui.Address) (what string, is bool)

// Names resolves SuiNS names. suins.Resolver implements it.
type Names interface {
	Resolve(ctx context.Context, n suins.Name) (suins.Found, error)
}

// Adapter prepares transfers. It implements plan.Adapter and queries a node only for names.
type Adapter struct {
	noWallet NoWallet
	names    Names
}

// New returns an Adapter that rejects recipients that noWallet reports. Neither argument may be nil.
func New(noWallet NoWallet, names Names) *Adapter { return &Adapter{noWallet, names} }

// Meta implements plan.Adapter.
func (*Adapter) Meta() plan.Meta {
	return plan.Meta{
		Aliases: []string{"transfer", "send", "pay", "payment", "transfercoin", "sendcoin"}, Takes: []string{"from",
			"recipient"},
		Action: "transfer", Slug: "sui", Protocol: "Sui", Label: "Sui", AdapterID: "sui-transfer",
		StageCatalog: "sui_transfer_review_v1", CheckPrefix: prefix,
		Stages: []plan.StageID{plan.StageIntent, StageRecipient, StagePolicy}, AnyCoin: true,
		Words: plan.StageWords{StageRecipient: "Looking up the recipient",
			StagePolicy: "Determining what the transaction must contain"},
	}
}

// Plan implements plan.Adapter. It finds the coin by its pinned symbol or its complete type, and reads
// the amount and recipient exactly. Its errors name the field.
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
			return plan.Plan{}, fault.New(fault.InputInvalid, "The name of the recipient is invalid. Prepare a new review.").
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

// promise returns the promise of a payment: exactly the amount leaves, and the recipient gets it.
func promise(a plan.Amount, to sui.Address) plan.Promise {
	return plan.Promise{Outcomes: []plan.Outcome{{Name: "sent", Bounds: []plan.Bound{
		plan.Moves(plan.RoleInput, plan.Party{}, a, true), plan.Moves(plan.RolePayment, plan.AddressParty(to), a, false),
	}}}}
}

// FromEvents implements plan.Adapter. Only balance changes report a payment.
func (*Adapter) FromEvents(sui.Address, []sui.Event) (plan.Reported, error) {
	return plan.Reported{}, nil
}

// recipient reads the address of a person's or a program's wallet. The address must be complete. It
// rejects addresses that certainly nobody owns.
func (a *Adapter) recipient(text string) (sui.Address, error) {
	to, err := sui.ParseAccount(text)
	switch {
	case text == "":
		return to, fault.New(fault.InputInvalid, "The recipient is missing: give the complete address that should get "+
			"the coins.")
	case strings.HasSuffix(strings.ToLower(text), ".sui"):
		return to, fault.New(fault.InputInvalid, "That is a name, not an address. Give it as intent.recipientName.")
	case err != nil:
		return to, err
	//mutant:never ./internal/protocol/transfer TestConformance
	case to.Unowned():
		return to, fault.New(fault.InputInvalid, "%s is not a wallet: anything sent there is lost.", to)
	}
	//mutant:never ./internal/protocol/transfer TestConformance
	if what, is := a.noWallet(to); is {
		return to, fault.New(fault.InputInvalid, "%s is %s, not a wallet: anything sent there is lost.", to, what)
	}
	return to, nil
}

// coin returns the coin that an intent names, by its pinned symbol or by its type.
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
			if !from.Unit.Known && !from.Raw {
				return plan.Asset{}, fault.New(fault.InputInvalid, "The decimals of the coin %s are unknown.",
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
			"Give amounts of %s in whole coins, with decimals. Leave raw out.", pinned.Symbol).
			With("field", "intent.from.raw")
	}
	return plan.Asset{Symbol: pinned.Symbol, CoinType: pinned.Type, Decimals: pinned.Decimals}, nil
}

// resembles returns a warning if an unpinned coin's name resembles a pinned one. It uses the same test
// as the list of an account's coins.
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
		", like one of the coins that are known here, but is a different one: "+
		string(a.CoinType)+".", "Compare the complete type with that of the coin you mean.")
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
			"The recipient is your own account. Nothing would change except the gas that it costs.",
			"Prepare a new review with another recipient.")}
	}
	if c := resembles(p.Input().Asset); c != nil {
		d.Check(*c)
	}
	d.Check(plan.Pass(plan.SourceAdapter, prefix+"_recipient", "Recipient form",
		"The recipient is the complete address from the request."))
	return nil
}

func policy(p plan.Plan, d *plan.Step) error {
	a, to := p.Input(), p.Promise.Payee()
	d.Promise, d.Needs = p.Promise, []plan.CoinRequest{{Role: plan.RoleInput, Amount: a}}
	d.Target = plan.Target{Package: framework, Function: module + "::" + function,
		TypeArgs: []sui.TypeTag{coinOf(a.CoinType)}}
	d.Guarantee = "Exactly " + a.String() + " goes to " + to.String() +
		", or the transaction fails and only gas is spent. " +
		"Once it is executed, only the recipient can return it."
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

// The call that sends coins. The plain TransferObjects command names no type, so the bytes would not
// show which coin leaves. This function has a type argument, and the chain rejects a coin of another
// type.
const (
	module   = "transfer"
	function = "public_transfer"
)

// The command that sends SUI from an account on a hardware wallet, which shows the amount and
// recipient of this command, but not of the call. Read accepts it only for a part of the gas coin,
// which is always SUI, whatever a node reports.
const command = "TransferObjects"

// The calls that put a balance or a coin into an address balance. The chain charges no gas for them if
// it lists the coin as gasless.
const (
	gaslessModule   = readback.BalanceModule
	gaslessCoins    = readback.RedeemModule
	gaslessFunction = "send_funds"
)

var framework = sui.MustAddress("0x2")

// coinOf returns the type of a coin object that holds t.
func coinOf(t sui.CoinType) sui.TypeTag { return sui.MustTypeTag(t.Object()) }

// Append adds the calls of a payment: they split off the amount and send it.
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

// Read implements plan.Adapter. It accepts four shapes. The first optionally merges coins, splits off
// one amount, and sends it to one address. The second does the same with SUI and the plain command.
// The third puts the amount into the recipient's address balance, and the rest into the sender's. The
// fourth withdraws an amount from the sender's address balance, and puts it into another one.
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
		return plan.StepFacts{}, readback.Unlike("It does not send exactly the amount that was split off.")
	}
	to, err := r.Address(call.Arguments[1])
	if err != nil {
		return plan.StepFacts{}, err
	}
	a, ok := held(call.TypeArgs[0])
	if !ok || !paid.Pays(a.CoinType) {
		return plan.StepFacts{}, readback.Unlike("It sends a different coin than the one that the amount is split off.")
	}
	what := a.Of(paid.Amount)
	return plan.StepFacts{
		Sends: to, Promise: promise(what, to), Package: call.Package, Function: module + "::" + function,
		TypeArgs: []string{call.TypeArgs[0].String()}, Commands: append(plan.FundedWords(paid, what), "Send it to "+
			to.String()+"."),
	}, nil
}

// readPlain reads a payment of SUI by the plain command. The command names no type, so readPlain
// accepts only an amount that was split off the gas coin.
func readPlain(r *readback.Reader, paid readback.Funding) (plan.StepFacts, error) {
	//mutant:never ./internal/protocol/transfer TestPlain
	if paid.Step > 0 || !paid.Gas() || !paid.Pays(sui.SUI) {
		return plan.StepFacts{}, readback.Unlike("It sends something by a command that does not show which coin it is.")
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

// putInto reads the call that puts a value into an address balance. It returns the coin type and the
// recipient.
func putInto(r *readback.Reader, module string, what sui.Argument) (of sui.CoinType, to sui.Address, err error) {
	call, err := r.Call(module, []string{gaslessFunction}, func(id sui.ObjectID) bool { return id == framework })
	if err != nil {
		return "", to, err
	}
	if len(call.Arguments) != 2 || call.Arguments[0] != what || len(call.TypeArgs) != 1 {
		return "", to, readback.Unlike("It does not send exactly the amount that was withdrawn.")
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
		return plan.StepFacts{}, readback.Unlike("It sends a different coin than the one that was withdrawn.")
	}
	what := assetOf(w.Coin).Of(w.Amount)
	return gaslessFacts(gaslessModule, what, to,
		"Take "+what.String()+" out of your address balance, which holds money outside of coins."), nil
}

// readGaslessCoins reads a payment from coins into an address balance. The rest of the coins must go
// into the sender's address balance.
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
		return plan.StepFacts{}, readback.Unlike("It sends a different coin than the one that the amount is split off.")
	}
	what := assetOf(of).Of(paid.Amount)
	f := gaslessFacts(gaslessCoins, what, to, plan.FundedWords(paid, what)...)
	f.Commands = append(f.Commands, "Put the rest of your "+what.Symbol+" coin into your own address balance.")
	return f, nil
}

// held returns the coin type of a coin object. It returns false for any other type.
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

// assetOf returns a pinned coin by its type. It returns any other coin as one with unknown decimals.
func assetOf(of sui.CoinType) plan.Asset {
	if c, ok := coins.ByType(of); ok {
		return plan.Asset{Symbol: c.Symbol, CoinType: c.Type, Decimals: c.Decimals}
	}
	return plan.UnreadCoin(of)
}
