// Package transfer prepares sending an amount of one coin to one address for
// review: the payment that a person can really sign.
//
// It trades nothing, calls no contract, and vouches for no recipient: whether
// the address was paid before is judged by the platform.
package transfer

import (
	"context"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/readback"
	"github.com/sayurintent/sayurintent/review"
)

// The adapter's own stages.
const (
	StageIntent    review.StageID = "intent_normalized"
	StageRecipient review.StageID = "recipient_resolved"
	StagePolicy    review.StageID = "transfer_policy_derived"
)

const prefix = "transfer"

// Adapter prepares transfers. It implements review.Adapter and asks nobody.
type Adapter struct{}

// New gives an Adapter.
func New() *Adapter { return &Adapter{} }

// Meta implements review.Adapter.
func (*Adapter) Meta() review.Meta {
	return review.Meta{
		Action: "transfer", Slug: "sui", Protocol: "Sui", AdapterID: "sui-transfer",
		StageCatalog: "sui_transfer_review_v1", CheckPrefix: prefix,
		Stages: []review.StageID{StageIntent, StageRecipient, StagePolicy},
	}
}

// Plan implements review.Adapter: it resolves the symbol from the pinned
// registry and reads amount and recipient exactly. Errors name the field.
func (*Adapter) Plan(in review.Intent, _ time.Time) (review.Plan, error) {
	if err := in.Only("from", "recipient"); err != nil {
		return review.Plan{}, err
	}
	if in.From.Symbol == "" {
		return review.Plan{}, fault.New(fault.InputInvalid, "The coin's symbol is missing.").With("field", "intent.from.symbol")
	}
	c, err := registry.FindCoin(in.From.Symbol)
	if err != nil {
		return review.Plan{}, review.AtField("intent.from.symbol", err)
	}
	from := review.Asset{Symbol: c.Symbol, CoinType: c.Type, Decimals: c.Decimals}
	input, err := review.ReadAmount("intent.from.amount", in.From.Amount, from)
	if err != nil {
		return review.Plan{}, err
	}
	to, err := recipient(in.Recipient)
	if err != nil {
		return review.Plan{}, review.AtField("intent.recipient", err)
	}
	return review.Plan{
		Title: "Send " + input.String(), Asked: "send " + input.String() + " to " + to.String(),
		Summary: "Send " + input.String() + " to the address " + to.String() + ". A payment cannot be taken back.",
		From:    from, Input: input, Recipient: to,
	}, nil
}

// Told implements review.Adapter: a payment is told by balance changes alone.
func (*Adapter) Told(sui.Address, []sui.Event) ([]review.Term, error) { return nil, nil }

// recipient reads the address of a person or a program's wallet: whole, so that
// nothing is filled in, and none of those that are surely nobody's.
func recipient(text string) (sui.Address, error) {
	const digits = 64
	to, err := sui.ParseAddress(text)
	switch {
	case text == "":
		return to, fault.New(fault.InputInvalid, "The recipient is missing: the whole address that shall get the coins.")
	case strings.HasSuffix(strings.ToLower(text), ".sui"):
		return to, fault.New(fault.InputInvalid, "Names are not resolved. Give the recipient's whole address: 0x and %d hexadecimal digits.", digits)
	case err != nil || len(text) != len("0x")+digits:
		return to, fault.New(fault.InputInvalid, "A recipient is a whole Sui address: 0x and %d hexadecimal digits.", digits)
	case strings.Trim(to.String()[2:2+digits-8], "0") == "":
		return to, fault.New(fault.InputInvalid, "%s is no wallet: what is sent there is lost.", to)
	}
	if pool, ok := registry.PoolByID(to); ok {
		return to, fault.New(fault.InputInvalid, "%s is the DeepBook pool %s, not a wallet: what is sent there is lost.", to, pool.Key)
	}
	if registry.Published(to) {
		return to, fault.New(fault.InputInvalid, "%s is a contract, not a wallet: what is sent there is lost.", to)
	}
	return to, nil
}

// Stages implements review.Adapter.
func (*Adapter) Stages(p review.Plan) []review.Stage {
	return []review.Stage{
		{ID: StageIntent, Run: func(_ context.Context, d *review.Draft) error {
			d.Check(review.Pass(review.SourceAdapter, prefix+"_display_intent", "Request", "You asked to "+p.Asked+"."))
			return nil
		}},
		{ID: StageRecipient, Run: func(_ context.Context, d *review.Draft) error { return resolve(p, d) }},
		{ID: StagePolicy, Run: func(_ context.Context, d *review.Draft) error { return policy(p, d) }},
	}
}

func resolve(p review.Plan, d *review.Draft) error {
	if p.Recipient == d.Account {
		return &review.Stop{Reason: review.UnsupportedAction, Check: review.Fail(review.SourceAdapter, prefix+"_recipient", "Recipient",
			"The recipient is your own account. Nothing would change but the gas that it costs.", "Prepare a new review with another recipient.")}
	}
	d.Check(review.Pass(review.SourceAdapter, prefix+"_recipient", "Recipient form", "The recipient is one whole address, taken as it was given."))
	return nil
}

func policy(p review.Plan, d *review.Draft) error {
	d.Want = review.Want{Coin: p.From.CoinType, Amount: p.Input.Raw}
	d.Target = review.Target{Package: framework, Function: module + "::" + function, TypeArgs: []sui.TypeTag{coinOf(p.From.CoinType)}}
	d.Promise = "Exactly " + p.Input.String() + " goes to " + p.Recipient.String() + ", or the transaction fails and only gas is spent. " +
		"Once it is executed, nobody can take it back but the recipient."
	d.Build = func(s review.Selected) (sui.Kind, error) { return Kind(p.From.CoinType, p.Recipient, s) }
	return nil
}

// The call that sends. The plain command for it names no type, and then the
// bytes would not say which coin leaves; this function's type argument does, and
// the chain refuses a coin of another type.
const (
	module   = "transfer"
	function = "public_transfer"
)

var framework = sui.MustAddress("0x2")

// coinOf is the type of a coin object.
func coinOf(t sui.CoinType) sui.TypeTag { return sui.MustTypeTag(t.Object()) }

// Kind builds the transaction: split the amount off and send it.
func Kind(coinType sui.CoinType, to sui.Address, s review.Selected) (sui.Kind, error) {
	if !s.Gas && len(s.Coins) == 0 {
		return sui.Kind{}, fault.New(fault.InternalError, "No coin was chosen for the transfer.")
	}
	k := sui.Kind{Inputs: []sui.Input{sui.PureAddress(to)}}
	coin := s.Fund(&k)
	k.Commands = append(k.Commands, sui.MoveCall{Package: framework, Module: module, Function: function,
		TypeArgs: []sui.TypeTag{coinOf(coinType)}, Arguments: []sui.Argument{coin, sui.InputArg(0)}})
	return k, nil
}

// Read implements review.Adapter. It accepts one shape: optionally merge coins,
// split one amount, send that to one address; every input used.
func (*Adapter) Read(tx *sui.Transaction) (review.Facts, error) {
	r := readback.New(tx)
	paid, err := r.Funded()
	if err != nil {
		return review.Facts{}, err
	}
	call, err := r.Call(module, []string{function}, func(id sui.ObjectID) bool { return id == framework })
	if err != nil {
		return review.Facts{}, err
	}
	if len(call.Arguments) != 2 || call.Arguments[0] != paid.Result || len(call.TypeArgs) != 1 {
		return review.Facts{}, readback.Unlike("It does not send the amount that was split off, and that alone.")
	}
	to, err := r.Address(call.Arguments[1])
	if err != nil {
		return review.Facts{}, err
	}
	if err := r.End(); err != nil {
		return review.Facts{}, err
	}
	sent := call.TypeArgs[0].String()
	for _, c := range registry.Coins() {
		if c.Type.Object() != sent {
			continue
		}
		if paid.Gas() != (c.Type == sui.SUI) {
			break
		}
		what := review.Asset{Symbol: c.Symbol, CoinType: c.Type, Decimals: c.Decimals}.Of(paid.Amount)
		return review.Facts{
			Recipient: to, Spends: []review.Amount{what}, Package: call.Package, Function: module + "::" + function,
			TypeArgs: []string{sent}, Commands: append(review.FundedWords(paid, what), "Send it to "+to.String()+"."),
		}, nil
	}
	return review.Facts{}, readback.Unlike("It sends something else than the coin that the amount is split from.")
}
