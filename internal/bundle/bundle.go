package bundle

import (
	"slices"
	"time"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review/plan"
	"github.com/sayurintent/sayurintent/review/record"
)

// ID names a bundle.
type ID string

// Tool is the tool that makes bundles, and the name of their tasks.
const Tool = "agent.sign_transaction_bundle"

// Limits of bundles.
const (
	ApprovalLife   = 10 * time.Minute // how long the page waits for an answer, and a prior approval holds
	WalletTime     = 5 * time.Minute  // how long a wallet may leave a step unanswered, besides the time of the receipt
	DefaultReceipt = 60 * time.Second
	LeastReceipt   = 5 * time.Second
	MostReceipt    = 600 * time.Second
	Watched        = 7 * 24 * time.Hour // results that came too late are looked for; longer than effects of dead releases are
	mostLabel      = 200                // characters of what a client calls a bundle or a step
	buildPatience  = 2 * time.Minute
	adviceTime     = 5 * time.Second // how long a trial may keep the answer to a new bundle
)

// State is where a bundle stands.
type State string

// The states. All but the first two are final.
const (
	Asked     State = "awaiting_approval"
	Running   State = "running"
	Completed State = "completed" // every step was confirmed, or submitted where nobody waits
	Stopped   State = "stopped"   // a step failed or is not known, or somebody stopped it
	Rejected  State = "rejected"
	Expired   State = "expired"
)

// States lists the states.
func States() []State { return []State{Asked, Running, Completed, Stopped, Rejected, Expired} }

// Over reports whether the bundle goes on no more.
func (s State) Over() bool { return s != Asked && s != Running }

// StepState is where a step stands. The last four are the words of results.
type StepState string

// The states of a step.
const (
	Waiting   StepState = "waiting"
	Open      StepState = "awaiting_wallet" // its review exists, and nothing is known to be signed
	Submitted StepState = "submitted"
	Confirmed StepState = "confirmed"
	Failed    StepState = "failed"
	Pending   StepState = "pending"
	TimedOut  StepState = "timeout"
)

// StepStates lists the states of a step.
func StepStates() []StepState {
	return []StepState{Waiting, Open, Submitted, Confirmed, Failed, Pending, TimedOut}
}

// Ended reports whether the state is a word of a result.
func (s StepState) Ended() bool { return s != Waiting && s != Open && s != Submitted }

// The ways in which a bundle is approved.
const (
	ByPage  = "page"
	ByPrior = "prior" // by an approval that the person had stored before
)

// Why a step or a bundle ended. Reasons of reviews are used as they are.
const (
	UserRejected  = "user_rejected"
	Outside       = "outside_approved_limits"
	Duplicate     = "duplicate_intent"
	TimeOver      = "expired"
	Cancelled     = "cancelled"
	NotSubmitted  = "not_submitted" // proved: it can never execute
	NoResult      = "nothing_results"
	ApprovedLater = "approved_for_later"
	OtherAccount  = "wallet_mismatch"
	EntryChanged  = "recipient_entry_changed" // the address-book entry was deleted, or leads elsewhere
)

// Step is one transaction of a bundle. In JSON it is what was asked for.
type Step struct {
	// What was asked for. It never changes.
	ID       string        `json:"-"`
	Sequence int64         `json:"-"`
	Chain    string        `json:"chain"` // as it was spelled
	Label    string        `json:"label,omitempty"`
	Given    record.ID     `json:"given,omitempty"` // the review that the client named in place of an intent
	Entry    string        `json:"entry,omitempty"` // the address-book entry that the client named for the recipient
	Wait     bool          `json:"wait"`            // for the receipt
	Timeout  time.Duration `json:"timeout"`         // of the receipt
	// Intent is as its adapter stores it. Where it takes the result of an earlier step it
	// has no amount until that step's receipt is there.
	Intent   plan.Intent `json:"intent"`
	Protocol string      `json:"protocol"`
	// Most is what may leave the account. Of a step that takes a result it is empty until
	// the amount is known: then it is that amount.
	Most []plan.Amount `json:"most,omitempty"`
	// Result is the coin that the step results in, the zero Asset where there is none.
	Result plan.Asset `json:"result,omitzero"`
	Makes  bool       `json:"makes,omitempty"` // an object that later steps may use

	// How it went. Done is what a confirmed step did, by its receipt.
	Done        *record.Done `json:"done,omitempty"`
	State       StepState    `json:"-"`
	Review      record.ID    `json:"-"`
	TxHash      string       `json:"-"`
	Error       string       `json:"-"`
	Handed      bool         `json:"-"` // it was handed to a wallet, and its effects may still appear
	SubmittedAt time.Time    `json:"-"`
}

// Bundle is one bundle, as it is stored. Its steps are in the order of their sequence.
type Bundle struct {
	ID       ID
	Session  string // the conversation that asked for it
	Task     string
	Network  string
	Account  sui.Address
	Label    string
	Hash     Hash
	Mode     Mode
	Instead  record.ID // the review of one transaction that ended for these steps, "" for none
	State    State
	Approval string // ByPage or ByPrior, "" before
	// NotHonoured is why skip_approval was not honoured, "" where it was or was not asked for.
	NotHonoured string
	Warnings    []string
	Accepted    []string // again:<id> of other requests that ask for the same, as the person ticked it
	Steps       []Step
	Reason      string // why it ended otherwise than by its last step
	// Stopping is why it ends after the present step, which cannot be called back.
	Stopping string
	// CancelRequested is of the task: somebody asked it to stop.
	CancelRequested bool
	Revision        int64
	CreatedAt       time.Time
	UpdatedAt       time.Time
	ApproveBy       time.Time
}

// Subject is the name of a bundle on the bus.
func Subject(id ID) string { return "bundle/" + string(id) }

// NewTask returns the task of a new bundle.
func (b Bundle) NewTask() bus.Task {
	t := bus.Task{Session: b.Session, Kind: bus.KindBundle, Tool: Tool, Subject: Subject(b.ID), State: bus.Working,
		Stage: string(b.State), WaitingFor: bus.WaitsPerson}
	if b.State == Asked {
		t.DeadlineAt = b.ApproveBy
	}
	return t
}

// present returns the place of the first step that has not ended, -1 where all have.
func (b *Bundle) present() int {
	for i, s := range b.Steps {
		if !s.State.Ended() {
			return i
		}
	}
	return -1
}

// Present returns the step whose turn it is, nil in a bundle that does not run.
func (b *Bundle) Present() *Step {
	if i := b.present(); b.State == Running && i >= 0 {
		return &b.Steps[i]
	}
	return nil
}

// Place returns the place of the step of a review, -1 where it is none of this bundle.
func (b *Bundle) Place(id record.ID) int {
	for i, s := range b.Steps {
		if id != "" && s.Review == id {
			return i
		}
	}
	return -1
}

// waits reports whether the next step waits for this one's receipt: it was asked for, or
// a later step takes its result. One transaction has one receipt, which is awaited where
// any step asks for it.
func (b *Bundle) waits(place int) bool {
	if b.Mode == Atomic {
		return slices.ContainsFunc(b.Steps, func(s Step) bool { return s.Wait })
	}
	for _, s := range b.Steps[place+1:] {
		if s.Intent.From.ResultOf == place+1 || s.Intent.ManagerOf == place+1 {
			return true
		}
	}
	return b.Steps[place].Wait
}

// Owed lists the places of ended steps about which the chain may still say otherwise.
func (b *Bundle) Owed() (places []int) {
	for i, s := range b.Steps {
		if s.State == Pending || s.State == TimedOut || s.State == Failed && s.Handed {
			places = append(places, i)
		}
	}
	return places
}

// Live reports whether there is anything to do for the bundle at a time.
func (b *Bundle) Live(now time.Time) bool {
	return !b.State.Over() || len(b.Owed()) > 0 && now.Sub(b.UpdatedAt) < Watched
}
