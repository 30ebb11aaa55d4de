// Package plan is what a transaction promises: intents, amounts, plans, drafts and
// what adapters leave in them. It does no I/O. Of a review, adapters import this
// package alone.
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
	// Meta says what the adapter is. It never changes.
	Meta() Meta
	// Plan reads an intent without any I/O. An intent that it cannot carry out is
	// fault.InputInvalid or fault.RegistryMiss with a "field" detail.
	Plan(in Intent, now time.Time) (Plan, error)
	// Stages returns fresh stages for one computation of the plan, in the order
	// of Meta().Stages. After the last one the step is complete.
	Stages(p Plan) []Stage
	// Read decodes the commands of one step, independently of how they were built, and
	// leaves those of later steps. A command, argument, package or object that the
	// adapter does not declare is an error: only what is fully understood is signable.
	Read(r *readback.Reader) (StepFacts, error)
	// FromEvents returns what the protocol's own events report of a transaction that
	// account sent: the terms of every step of this adapter, in their order. An
	// adapter without terms returns none.
	FromEvents(account sui.Address, events []sui.Event) (Reported, error)
}

// Reported is what a protocol's events report of one kind of action.
type Reported struct {
	// Actions are the possible readings of the events. If there are several, such as a cancellation
	// or a part of a change, all are listed.
	Actions []Action
	All     []int // the places, among the events, of those that report actions of any kind of the protocol
}

// Action is one action as events report it: its terms, how it changed the holdings of
// objects, and the places of the events that it accounts for.
type Action struct {
	Terms   []Term
	Changes []Change
	Events  []int
}

// AdaptersOf returns the adapter of every step of a stored intent, or nil when a step
// has none.
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

// Meta names an adapter.
type Meta struct {
	Action       string    // "swap"
	Slug         string    // the word a user uses for the protocol, as in "deep"
	Protocol     string    // "DeepBookV3"
	Label        string    // the protocol as people say it, as in "DeepBook"
	AdapterID    string    // "deepbook-swap"
	StageCatalog string    // "deepbook_swap_review_v1"
	CheckPrefix  string    // "deepbook": check ids start with it and "_"
	Stages       []StageID // the adapter's own stages
	Words        StageWords
	// it only cancels, revokes, or withdraws to the account itself, so doing it twice costs gas alone
	Harmless bool
	AnyCoin  bool     // what leaves may be a coin that is not pinned, named by its whole type
	Aliases  []string // other people's words for the action, in small letters alone
	Takes    []string // the fields of an intent that the user has to give, as in "from", "to.amount"
	Fields   []Field  // the fields of an intent that no other protocol has
	// Packages and Functions, as module::name, are what the adapter's transactions call at the
	// venue; none if they call nothing.
	Packages   []sui.ObjectID
	Functions  []string
	Unreported []string // names of terms that no event of the protocol reports: they rest on the bytes alone
}

// Plan is an intent that an adapter has understood. It is made again whenever it is
// needed and never stored.
type Plan struct {
	Title   string
	Summary string
	Asked   string // the request in one line, as in "swap 10 SUI to USDC"
	Route   string // pool key of the registry; empty if there is none
	// Promise is the part of the promise that follows from the intent; a bound that
	// depends on a price is nil.
	Promise Promise
	// Same distinguishes requests of one action that promise the same, such as orders at different
	// prices; "" if the promise is enough.
	Same           string
	Subject        sui.ObjectID // the object that the user named, zero if none was
	Coins          []Asset      // further coins that the review states amounts of
	Makes          string       // the type of an object that it makes and shares; "" if it makes none
	MaxSlippageBps int
	FeeMode        string // how the fee is paid; what the protocol makes of it is in the quote's evidence
	Notes          []Check
}

// Input returns the amount that leaves the account, or the zero Amount.
func (p Plan) Input() Amount { return p.Promise.Amount(RoleInput) }

// Output returns what arrives, with its amount where the user named one, or the zero Amount.
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

	Target  Target         // where the action happens
	Promise Promise        // of this step
	Quote   *QuoteEvidence // with the minimum, once the policy is derived; nil if no price is involved
	Needs   []CoinRequest  // what leaves the account; empty if nothing does
	Objects []OwnedObject  // of the account, no coins, that the step uses up
	// coins of which the chain keeps no metadata: the pinned decimals have nothing to be compared with
	Bare      []sui.CoinType
	Limit     *PriceLimit // of an order that may trade; nil for all else
	Outlook   Outlook     // what was reported around the step
	Terms     []Term      // what was agreed besides amounts, as Read finds it in the bytes, and FromEvents in events
	Guarantee string      // what holds whatever happens, in plain sentences
	Locks     []string    // what is tied up, for how long, and how to undo it
	Append    func(*Builder) error
	Gasless   *Gasless // how it is built if no gas is paid; nil: no such way
	// of the form that a hardware wallet shows, if all comes out of the gas coin; nil: none
	Plain   *Target
	Explain func(sui.MoveAbort) *Stop // what an abort of the protocol means; nil: unknown

	Fed    Fed   // what it takes of an earlier step
	Feeds  []Fed // what later steps take of its result
	Passes bool  // all of it, or all that the parts leave, goes to a later step

	Noted    *[]Check // of the whole review
	readings []Reading
	look     *[]*Stop // of a first look
}

// Setup is what the platform gives a step before its stages run.
type Setup struct {
	Plan     Plan
	Asked    Plan   // Plan before results were connected: what its stages were made from
	Intent   Intent // what Plan was made from
	Meta     Meta
	Account  sui.Address
	Now      func() time.Time
	QuoteAge time.Duration // how old a quote may be
	// Earlier builds the steps before this one; nil if there are none.
	Earlier func(ctx context.Context, pays Amount) (*Ahead, error)
	// Funding is Earlier with the account's own coins, also for the first step.
	Funding func(ctx context.Context, pays Amount) (*Ahead, error)
	// Device says that the account signs on a hardware wallet, which shows the amounts only of
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

// Checks returns what was checked so far.
func (s *Step) Checks() []Check { return append([]Check{}, *s.Noted...) }

// Gasless is how a step is built for which the chain takes no gas. Whether the chain does, for
// the coin of the step, its configuration says.
type Gasless struct {
	Funds Target // all of the amount comes out of the address balance
	Coins Target // coins are taken too: what they hold beyond the amount goes into the account's address balance
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

// Stop ends a review: a reason of the closed list and the failed check that explains it. Next are
// the intents that would remove the reason and then carry out what was asked, in their order; none
// if the adapter knows none.
type Stop struct {
	Reason Reason
	Check  Check
	Next   []Intent
	// Short means that the market would give less than the guaranteed minimum.
	Short bool
}

// Error returns the reason and the message.
func (s *Stop) Error() string { return string(s.Reason) + ": " + s.Check.Message }

// ExecutionReporter is an adapter that can report more of an execution than amounts
// and terms, such as the number that the chain assigned to an order. It reads what a
// node reported of an executed transaction of its account, and leaves out what it does
// not find. It never decides whether the transaction kept its promises.
type ExecutionReporter interface {
	ReportExecution(e sui.Executed, s StepFacts) []Term
}

// AbortReader is an adapter that knows what an abort of its protocol means for a step that was
// executed. It returns nil for an abort that it does not know.
type AbortReader interface {
	ReadAbort(a sui.MoveAbort, s StepFacts) *Stop
}

// Rechecker is an adapter that reads once more, just before a release, what would make a
// step of account pointless, such as that somebody did it already. It returns a *Stop then.
type Rechecker interface {
	Recheck(ctx context.Context, account sui.Address, in Intent) error
}

// AfterReader is an adapter that reads from the chain, after a step was executed, that
// what it is for holds, where neither balances nor events say so. What cannot be read is
// said to be unknown.
type AfterReader interface {
	ReadAfter(ctx context.Context, e sui.Executed, s StepFacts) []Term
}

// StageID names a stage of an adapter's catalog.
type StageID string

// StageWords says what stages do, as in "Finding the market".
type StageWords map[StageID]string

// StageIntent is the stage with which every adapter begins.
const StageIntent StageID = "intent_normalized"

// The stages that the platform appends to every adapter's own.
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

// quoted puts a text into quotation marks.
func quoted(text string) string { return "“" + text + "”" }

// GuaranteeText returns what the step guarantees whatever the market does.
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

// And appends the texts of the next step's plan.
func (p Plan) And(next Plan) Plan {
	if p.Title == "" {
		return next
	}
	p.Title, p.Summary, p.Notes = p.Title+"; "+next.Title, p.Summary+" "+next.Summary, append(p.Notes, next.Notes...)
	return p
}

// SameAction reports whether two steps that trade nothing at once use the same objects
// and terms, none of which moves with a market.
func (s *Step) SameAction(o *Step) bool {
	a, b := s.Target, o.Target
	return a.Package == b.Package && a.Function == b.Function && SameTypes(a.TypeArgs, b.TypeArgs) &&
		slices.Equal(a.Shares(), b.Shares()) && slices.Equal(s.Terms, o.Terms) && s.Promise.Equal(o.Promise)
}

// Read records what a node reported, to be compared with the second node.
func (s *Step) Read(readings ...Reading) { s.readings = append(s.readings, readings...) }

// Readings returns what a node reported.
func (s *Step) Readings() []Reading { return s.readings }
