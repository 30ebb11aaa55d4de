package review

import (
	"context"
	"time"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// Adapter prepares one kind of action on one protocol for review. It gives a
// TransactionKind and the coins it wants; sender, gas, expiration and every
// gate are the platform's.
type Adapter interface {
	// Meta says what the adapter is. It never changes.
	Meta() Meta
	// Plan reads an intent without asking anyone. What does not fit is
	// fault.InputInvalid or fault.RegistryMiss with a "field" detail.
	Plan(in Intent, now time.Time) (Plan, error)
	// Stages gives fresh stages for one computation of the plan, in the order
	// of Meta().Stages. After the last one the draft is complete.
	Stages(p Plan) []Stage
	// Read decodes built transactions independently of how they were built. A
	// command, argument, package or object that the adapter does not declare
	// is an error: what is not fully understood is not signable.
	Read(tx *sui.Transaction) (Facts, error)
	// Told gives the terms of a transaction that account sent by what the
	// protocol's own events tell of it, and by nothing else: what Draft.Terms
	// must be, but for Meta().Untold. Events that tell another deed, or one more,
	// are an error. An adapter without terms gives none.
	Told(account sui.Address, events []sui.Event) ([]Term, error)
}

// Meta names an adapter.
type Meta struct {
	Action       string    // "swap"
	Slug         string    // the word a person uses for the protocol, as in "deep"
	Protocol     string    // "DeepBookV3"
	Label        string    // the protocol as people say it, as in "DeepBook"
	AdapterID    string    // "deepbook-swap"
	StageCatalog string    // "deepbook_swap_review_v1"
	CheckPrefix  string    // "deepbook": check ids start with it and "_"
	Stages       []StageID // the adapter's own stages
	AnyCoin      bool      // what leaves may be a coin that is not pinned, named by its whole type
	Untold       []string  // names of terms that no event of the protocol tells: they rest on the bytes alone
}

// Plan is an intent that an adapter has understood. It is made anew whenever it
// is needed and never stored.
type Plan struct {
	Title          string
	Summary        string
	Asked          string       // the wish in one line, as in "swap 10 SUI to USDC"
	Route          string       // pool key of the registry; empty where there is none
	From, To       Asset        // zero where nothing leaves, or nothing arrives
	Input          Amount       // of From: what leaves
	Output         sui.Raw      // of To: exactly what arrives where no price is involved
	Recipient      sui.Address  // who gets Input; zero where no address but the account gets anything
	Subject        sui.ObjectID // the object that the person named, zero where none was
	Coins          []Asset      // further coins that the review states amounts of
	MaxSlippageBps int
	FeeMode        string // input or deep, as asked for; what the pool makes of it is in the quote's evidence
	Notes          []Check
}

// Gives reports whether coins leave the account, besides gas.
func (p Plan) Gives() bool { return p.From.CoinType != "" }

// Gets reports whether coins arrive in the account.
func (p Plan) Gets() bool { return p.To.CoinType != "" }

// Stage is one step of an adapter. Run edits the draft and returns nil, a *Stop
// that says how the review ends, or any other error, which the platform maps.
type Stage struct {
	ID  StageID
	Run func(ctx context.Context, d *Draft) error
}

// Draft is what an adapter's stages leave for the platform's gates.
type Draft struct {
	Plan     Plan
	Intent   Intent // what Plan was made from
	Account  sui.Address
	Now      func() time.Time
	QuoteAge time.Duration // how old a quote may be

	Target  Target         // where the action happens
	Quote   *QuoteEvidence // with the minimum, once the policy is derived; nil where no price is involved
	Gets    Amount         // without a quote: exactly what arrives; zero where nothing does
	Want    Want           // zero where nothing leaves
	Limit   *PriceLimit    // of an order that may trade; nil for all else
	Terms   []Term         // what was agreed besides amounts, as Read gives it back from the bytes, and Told from events
	Promise string         // what holds whatever happens, in one sentence; empty: the platform's words for a swap
	Locks   []string       // what is tied up, for how long, and how to undo it
	Fee     *FeeWant       // a second coin for the protocol's fee; nil when the fee is part of what is paid
	Build   func(Selected) (sui.Kind, error)
	Explain func(sui.MoveAbort) *Stop // what an abort of the protocol means; nil: unknown

	checks   []Check
	readings []Reading
}

// Check adds a check to the review.
func (d *Draft) Check(c Check) { d.checks = append(d.checks, c) }

// Checks gives what was checked so far.
func (d *Draft) Checks() []Check { return append([]Check{}, d.checks...) }

// Target is where the action happens: what the built bytes must call. RouteID
// is zero where the call is on no shared object.
type Target struct {
	Package  sui.ObjectID
	Function string // module::name
	TypeArgs []sui.TypeTag
	RouteID  sui.ObjectID
	Shared   uint64         // the version at which the object RouteID was shared
	Also     []SharedObject // further shared objects that may be changed
}

// SharedObject is a shared object by the version at which it was shared.
type SharedObject struct {
	ID      sui.ObjectID
	Initial uint64
}

// shares gives every shared object that may be changed.
func (t Target) shares() []SharedObject {
	var out []SharedObject
	if !t.RouteID.IsZero() {
		out = append(out, SharedObject{t.RouteID, t.Shared})
	}
	return append(out, t.Also...)
}

// Term is one thing besides an amount that was agreed, as in "Price" and
// "3.25 USDC per SUI". Both texts are ours, decoded from bytes or events.
type Term struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Names of terms that every page puts in front, whatever the protocol. The value
// of TermManager is the whole id of an object.
const (
	TermOrder    = "Order"           // as in "Sell SUI for USDC"
	TermCanceled = "Cancelled order" // the same of an order that is taken back
	TermQuantity = "Quantity"
	TermPrice    = "Price limit"
	TermManager  = "Balance manager"
	TermOwner    = "Owner"
	TermIn       = "Goes into it"
	TermOut      = "Comes out of it"
)

// Want is what the platform must provide: Amount of Coin as one argument.
type Want struct {
	Coin   sui.CoinType
	Amount sui.Raw
}

// FeeWant is a second coin besides the wanted one, out of which the protocol
// takes its fee: at most Amount leaves, the rest comes back. It is neither SUI
// nor the wanted coin. Otherwise says what a person who holds too little of it
// can do instead.
type FeeWant struct {
	Amount    Amount
	Otherwise string
}

// FeeDeep is the fee mode, of an intent and of the evidence of a quote, in which
// a second coin pays the fee.
const FeeDeep = "deep"

// Selected is what the platform chose for a Want. Gas true means the amount is
// split from the gas coin after merging Coins into it; else Coins[0] gets the
// others merged in and is split. Fee is what was chosen for Draft.Fee, nil
// where there is none.
type Selected struct {
	Account sui.Address
	Amount  sui.Raw
	Gas     bool
	Coins   []sui.ObjectRef
	Fee     *Selected
}

// all gives every coin that was chosen, in the order in which Fund names them.
func (s Selected) all() []sui.ObjectRef {
	if s.Fee == nil {
		return s.Coins
	}
	return append(append([]sui.ObjectRef{}, s.Coins...), s.Fee.Coins...)
}

// Fund appends the inputs and commands that make the wanted amount and gives
// the argument that holds it.
func (s Selected) Fund(k *sui.Kind) sui.Argument {
	input := func(in sui.Input) sui.Argument {
		k.Inputs = append(k.Inputs, in)
		return sui.InputArg(len(k.Inputs) - 1)
	}
	into, rest := sui.GasCoin, s.Coins
	if !s.Gas {
		into, rest = input(sui.OwnedInput{Ref: s.Coins[0]}), s.Coins[1:]
	}
	var sources []sui.Argument
	for _, c := range rest {
		sources = append(sources, input(sui.OwnedInput{Ref: c}))
	}
	if len(sources) > 0 {
		k.Commands = append(k.Commands, sui.MergeCoins{Into: into, Sources: sources})
	}
	amount := input(sui.PureU64(uint64(s.Amount)))
	k.Commands = append(k.Commands, sui.SplitCoins{Coin: into, Amounts: []sui.Argument{amount}})
	return sui.NestedArg(len(k.Commands)-1, 0)
}

// Stop is how a stage ends a review: a reason of the closed list and the failed
// check that tells it.
type Stop struct {
	Reason Reason
	Check  Check
}

// Error gives the reason and the message.
func (s *Stop) Error() string { return string(s.Reason) + ": " + s.Check.Message }
