// Package plan defines intents, plans and promises, and the interface that adapters implement. It
// does no I/O, and it is the only package of reviews that adapters import.
package plan

import (
	"context"
	"slices"
	"time"

	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/readback"
)

// Adapter prepares one kind of action on one protocol for review. It states what a
// step promises, requests coins and appends its calls; sender, gas, expiration and
// every gate belong to the platform.
type Adapter interface {
	// Meta describes the adapter. It always returns the same value.
	Meta() Meta
	// Plan reads an intent without any I/O. If it cannot carry out the intent, it returns
	// fault.InputInvalid or fault.RegistryMiss with a "field" detail.
	Plan(in Intent, now time.Time) (Plan, error)
	// Stages returns fresh stages for one computation of the plan, in the order of Meta().Stages.
	// The step is complete after the last one.
	Stages(p Plan) []Stage
	// Read decodes the commands of one step, independently of how they were built, and leaves those
	// of later steps unread. It returns an error for any command, argument, package or object that
	// the adapter does not declare, so that only fully understood transactions can be signed.
	Read(r *readback.Reader) (StepFacts, error)
	// FromEvents returns what the protocol's events report about a transaction that account sent:
	// the terms of every step of this adapter, in order. An adapter without terms returns the zero
	// value.
	FromEvents(account sui.Address, events []sui.Event) (Reported, error)
}

// Reported has the actions of one kind that a protocol's events report.
type Reported struct {
	// Actions are the possible readings of the events. If there are several, such as a cancellation
	// or a part of a change, all are listed.
	Actions []Action
	All     []int // indexes of the events that report any action of the protocol
}

// Action is one action as reported by events: its terms, the changes in objects' holdings, and the
// indexes of the events that it accounts for.
type Action struct {
	Terms   []Term
	Changes []Change
	Events  []int
}

// AdaptersOf returns the adapter of every step of a stored intent, or nil if any step has none.
func AdaptersOf(adapters []Adapter, in Intent) (list []Adapter) {
	for _, step := range in.Each() {
		i := slices.IndexFunc(adapters, func(a Adapter) bool {
			return a.Meta().Action == step.Type &&
				a.Meta().Slug == step.Protocol
		})
		if i < 0 {
			return nil
		}
		list = append(list, adapters[i])
	}
	return list
}

// Meta describes an adapter.
type Meta struct {
	Action       string    // "swap"
	Slug         string    // name that users type for the protocol, as in "deep"
	Protocol     string    // "DeepBookV3"
	Label        string    // display name of the protocol, as in "DeepBook"
	AdapterID    string    // "deepbook-swap"
	StageCatalog string    // "deepbook_swap_review_v1"
	CheckPrefix  string    // "deepbook": check ids start with it and "_"
	Stages       []StageID // the adapter's own stages
	Words        StageWords
	// Harmless actions only cancel, revoke, or withdraw to the account itself, so repeating one
	// costs only gas.
	Harmless bool
	AnyCoin  bool     // the coin that leaves need not be pinned; its full type identifies it
	Aliases  []string // synonyms for the action, using only the letters a to z
	Takes    []string // fields of an intent that the user must provide, as in "from", "to.amount"
	Fields   []Field  // fields of an intent that only this protocol has
	// Packages and Functions (as module::name) list what the adapter's transactions call at the
	// venue. Both are empty if they call nothing.
	Packages   []sui.ObjectID
	Functions  []string
	Unreported []string // names of terms that no event reports; only the bytes show them
}

// Plan is an intent that an adapter has understood. It is recomputed whenever it is needed and
// never stored.
type Plan struct {
	Title   string
	Summary string
	Asked   string // the request in one line, as in "swap 10 SUI to USDC"
	Route   string // pool key of the registry; empty if there is none
	// Promise is the part of the promise that follows from the intent; a bound that
	// depends on a price is nil.
	Promise Promise
	// Same distinguishes requests whose promises are equal, such as orders at different prices; ""
	// if the promise is enough.
	Same           string
	Subject        sui.ObjectID // object that the user named, or zero
	Coins          []Asset      // further coins whose amounts the review shows
	Makes          string       // type of the object that the action creates and shares; "" if none
	MaxSlippageBps int
	FeeMode        string // requested way to pay the fee; the quote has the way actually used
	Notes          []Check
}

// Input returns the amount that leaves the account, or the zero Amount.
func (p Plan) Input() Amount { return p.Promise.Amount(RoleInput) }

// Output returns what arrives, or the zero Amount. Its amount is zero unless the user named one.
func (p Plan) Output() Amount { return p.Promise.Amount(RoleOutput) }

// Stage is a part of an adapter's work. Run edits the step and returns nil, a *Stop
// that ends the review, or any other error, which the platform maps.
type Stage struct {
	ID  StageID
	Run func(ctx context.Context, s *Step) error
}

// Step is one action at one venue: the output of an adapter's stages, and the input of the
// platform's gates.
type Step struct {
	Setup

	Target  Target // venue of the action
	Promise Promise
	Quote   *QuoteEvidence // with the minimum, once the policy is derived; nil if no price is involved
	Needs   []CoinRequest  // what leaves the account; empty if nothing does
	Objects []OwnedObject  // objects of the account, other than coins, that the step uses up
	// Bare lists coins without metadata on chain, so their pinned decimals cannot be compared.
	Bare      []sui.CoinType
	Limit     *PriceLimit // limit of an order that may trade; otherwise nil
	Outlook   Outlook     // what nodes reported about the step
	Terms     []Term      // conditions other than amounts, as Read finds them in the bytes and FromEvents in events
	Guarantee string      // what the step guarantees in every case, in plain sentences
	Locks     []string    // what the step locks, for how long, and how to unlock it
	Append    func(*Builder) error
	Gasless   *Gasless // how to build the step without gas; nil if impossible
	// Plain is the target in the form that hardware wallets display, which is possible if
	// everything comes from the gas coin; nil if there is none.
	Plain   *Target
	Explain func(sui.MoveAbort) *Stop // explains an abort in the protocol; nil if unknown

	Fed    Fed   // what the step takes from an earlier one
	Feeds  []Fed // what later steps take from its result
	Passes bool  // the result, or what its parts leave, goes to a later step

	Noted    *[]Check // checks of the whole review
	readings []Reading
	look     *[]*Stop // stops found so far in a preflight; otherwise nil
}

// Setup has the inputs of a step, which the platform sets before its stages run.
type Setup struct {
	Plan     Plan
	Asked    Plan   // Plan before results were connected, from which the stages were made
	Intent   Intent // intent that Plan was made from
	Meta     Meta
	Account  sui.Address
	Now      func() time.Time
	QuoteAge time.Duration // maximum age of a quote
	// Earlier builds the steps before this one; nil if there are none.
	Earlier func(ctx context.Context, pays Amount) (*Ahead, error)
	// Funding is like Earlier, but also uses the account's own coins, even for the first step.
	Funding func(ctx context.Context, pays Amount) (*Ahead, error)
	// Device reports that the account signs with a hardware wallet, which displays amounts only for
	// transactions in the forms that it knows.
	Device bool
	// Follows lists the actions of the steps before this one in the same transaction.
	Follows []string
}

// NewStep returns a step of a plan for an adapter's stages to fill.
func NewStep(p Plan, in Intent, account sui.Address, now func() time.Time, quoteAge time.Duration) *Step {
	return &Step{Setup: Setup{Plan: p, Asked: p, Intent: in, Account: account, Now: now, QuoteAge: quoteAge},
		Noted: &[]Check{}}
}

// Check adds a check to the review.
func (s *Step) Check(c Check) { *s.Noted = append(*s.Noted, c) }

// Checks returns a copy of the checks added so far.
func (s *Step) Checks() []Check { return append([]Check{}, *s.Noted...) }

// Gasless has the targets for building a step that pays no gas. The chain's configuration decides
// for which coins that is possible.
type Gasless struct {
	Funds Target // for an amount taken only from the address balance
	Coins Target // for an amount that also uses coins; their excess goes into the account's address balance
}

// Target is the venue of the action: the call that the built bytes must contain. RouteID is zero if
// the call uses no shared object.
type Target struct {
	Package  sui.ObjectID
	Function string // module::name
	TypeArgs []sui.TypeTag
	RouteID  sui.ObjectID
	Shared   uint64         // the version at which the object RouteID was shared
	Also     []SharedObject // further shared objects that may be changed

	// MoreTypeArgs are the type arguments of further calls of Function in the same step.
	MoreTypeArgs [][]sui.TypeTag
}

// Calls reports whether the type arguments of a call of Function are expected.
func (t Target) Calls(types []sui.TypeTag) bool {
	return SameTypes(types, t.TypeArgs) ||
		slices.ContainsFunc(t.MoreTypeArgs, func(more []sui.TypeTag) bool { return SameTypes(types, more) })
}

// OwnedObject is an object of the account at one version, with its type in canonical text.
type OwnedObject struct {
	Ref  sui.ObjectRef
	Type string
}

// SharedObject is a shared object with the version at which it was shared.
type SharedObject struct {
	ID      sui.ObjectID
	Initial uint64
}

// Shares returns every shared object that may be changed.
func (t Target) Shares() []SharedObject {
	var out []SharedObject
	if !t.RouteID.IsZero() {
		out = append(out, SharedObject{t.RouteID, t.Shared})
	}
	return append(out, t.Also...)
}

// Term is one agreed condition other than an amount, such as "Price" and "3.25 USDC
// per SUI". Both texts are ours, decoded from bytes or events.
type Term struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	// Open means that the result of an earlier step decides the amount, and Value is the minimum.
	// The promise's bounds check the amount in an event.
	Open bool `json:"open,omitempty"`
}

// Stop ends a review. It has a reason and the failed check that explains it. Next lists, in order,
// the intents that would remove the reason and then do what was requested; it is empty if the
// adapter knows none.
type Stop struct {
	Reason Reason
	Check  Check
	Next   []Intent
	// Short means that the market would give less than the guaranteed minimum.
	Short bool
}

// Error returns the reason and the message.
func (s *Stop) Error() string { return string(s.Reason) + ": " + s.Check.Message }

// ExecutionReporter is an adapter that can report more about an execution than amounts and terms,
// such as an order's number on chain. It reads what a node reported about an executed transaction
// of its account and omits what it does not find. It never decides whether the transaction kept its
// promises.
type ExecutionReporter interface {
	ReportExecution(e sui.Executed, s StepFacts) []Term
}

// AbortReader is an adapter that knows what an abort of its protocol means for a step that was
// executed. It returns nil for an abort that it does not know.
type AbortReader interface {
	ReadAbort(a sui.MoveAbort, s StepFacts) *Stop
}

// Rechecker is an adapter that checks, just before a release, whether a step of account became
// pointless, for example because somebody already did it. Recheck then returns a *Stop.
type Rechecker interface {
	Recheck(ctx context.Context, account sui.Address, in Intent) error
}

// AfterReader is an adapter that reads from the chain, after execution, whether a step had its
// intended effect, if neither balances nor events show it. Terms that cannot be read are reported
// as unknown.
type AfterReader interface {
	ReadAfter(ctx context.Context, e sui.Executed, s StepFacts) []Term
}

// StageID names a stage of an adapter's catalog.
type StageID string

// StageWords describes stages for users, as in "Finding the market".
type StageWords map[StageID]string

// StageIntent is the first stage of every adapter.
const StageIntent StageID = "intent_normalized"

// Stages that the platform appends to every adapter's own.
const (
	StageMaterial    StageID = "transaction_material_build_or_verify"
	StageDigest      StageID = "digest_commitment"
	StageOwnership   StageID = "object_ownership"
	StageHumanReview StageID = "human_readable_review"
	StageSimulation  StageID = "review_time_simulation"
)

// SameTypes reports whether two lists of types are the same.
func SameTypes(a, b []sui.TypeTag) bool {
	return slices.EqualFunc(a, b, func(x, y sui.TypeTag) bool { return x.String() == y.String() })
}

// ReportedTerms returns the terms that events must report.
func (m Meta) ReportedTerms(terms []Term) (out []Term) {
	for _, t := range terms {
		if !slices.Contains(m.Unreported, t.Name) {
			out = append(out, t)
		}
	}
	return out
}

// quoted puts text in quotation marks.
func quoted(text string) string { return "“" + text + "”" }

// GuaranteeText returns what the step guarantees regardless of the market.
func (s *Step) GuaranteeText() string {
	if s.Quote == nil {
		return s.Guarantee
	}
	text := arrivesOrNothing(s.Quote.Minimum)
	text = s.handed(text)
	for _, fee := range s.Promise.Amounts(RoleFee) {
		text += " At most " + fee.String() + " leaves for the fee; what the fee leaves of it comes back."
	}
	return text
}

// And returns the plan with the texts of the next step's plan appended.
func (p Plan) And(next Plan) Plan {
	if p.Title == "" {
		return next
	}
	p.Title, p.Summary, p.Notes = p.Title+"; "+next.Title, p.Summary+" "+next.Summary, append(p.Notes, next.Notes...)
	return p
}

// SameAction reports whether two steps that do not trade immediately have the same objects, terms
// and promise. None of these changes with the market.
func (s *Step) SameAction(o *Step) bool {
	a, b := s.Target, o.Target
	return a.Package == b.Package && a.Function == b.Function && SameTypes(a.TypeArgs, b.TypeArgs) &&
		slices.Equal(a.Shares(), b.Shares()) && slices.Equal(s.Terms, o.Terms) && s.Promise.Equal(o.Promise)
}

// Read records values that a node reported, for comparison with the second node.
func (s *Step) Read(readings ...Reading) { s.readings = append(s.readings, readings...) }

// Readings returns the values that Read recorded.
func (s *Step) Readings() []Reading { return s.readings }
