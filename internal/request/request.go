package request

import (
	"slices"
	"time"

	"github.com/sayurintent/sayurintent/internal/actions"
	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// ID identifies a request.
type ID string

// Tool is the tool that creates requests; their tasks have its name.
const Tool = "agent.sign_transaction_bundle"

// Limits of requests.
const (
	ApprovalLife   = 10 * time.Minute // for an answer on the page, and for using a stored approval
	WalletTime     = 5 * time.Minute  // for a wallet's answer, in addition to the receipt's timeout
	DefaultReceipt = 60 * time.Second
	LeastReceipt   = 5 * time.Second
	MostReceipt    = 600 * time.Second
	// for results that arrive later; longer than the watch for effects of dead releases
	Watched       = 7 * 24 * time.Hour
	mostLabel     = 200 // maximum characters of a client's label for a request or step
	buildPatience = 2 * time.Minute
	adviceTime    = 5 * time.Second // maximum delay that a trial may add to the answer to a new request
)

// State is the state of a request.
type State string

// States of a request. All but the first three are final.
const (
	Signing   State = "signing" // one transaction: its page asks for approval and signature together
	Asked     State = "awaiting_approval"
	Running   State = "running"
	Completed State = "completed" // every step was confirmed, or submitted without waiting for receipts
	Stopped   State = "stopped"   // a step failed or is unknown, or the request was stopped
	Rejected  State = "rejected"
	Expired   State = "expired"
)

// States lists the states.
func States() []State { return []State{Signing, Asked, Running, Completed, Stopped, Rejected, Expired} }

// Approved lists the states of requests that are approved before anything is signed.
func Approved() []State { return States()[1:] }

// Over reports whether the request has ended.
func (s State) Over() bool { return s != Signing && s != Asked && s != Running }

// StepState is the state of a step. The last four appear in results.
type StepState string

// States of a step.
const (
	Waiting   StepState = "waiting"
	Open      StepState = "awaiting_wallet" // its review exists; no signature is known
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

// Ended reports whether the state appears in results.
func (s StepState) Ended() bool { return s != Waiting && s != Open && s != Submitted }

// Ways to approve a request.
const (
	ByPage  = "page"
	ByPrior = "prior" // by an approval that the user had stored before
)

// Reasons why a step or request ended, in addition to the reasons of reviews.
const (
	UserRejected  = "user_rejected"
	Outside       = "outside_approved_limits"
	Duplicate     = "duplicate_intent"
	Replaced      = "changed_by_user" // another request replaced it
	TimeOver      = "expired"
	Cancelled     = "cancelled"
	NotSubmitted  = "not_submitted" // proof that it can never execute
	NoResult      = "nothing_results"
	ApprovedLater = "approved_for_later"
	OtherAccount  = "wallet_mismatch"
	EntryChanged  = "recipient_entry_changed" // the address-book entry was deleted or changed
)

// Step is one step of a request. Its JSON is the form that was requested.
type Step struct {
	// The requested step, which never changes.
	ID       string        `json:"-"`
	Sequence int64         `json:"-"`
	Chain    string        `json:"chain"` // the client's spelling
	Label    string        `json:"label,omitempty"`
	Given    record.ID     `json:"given,omitempty"` // the review that the client named instead of an intent
	Entry    string        `json:"entry,omitempty"` // the recipient's address-book entry, if the client named one
	Wait     bool          `json:"wait"`            // whether to wait for the receipt
	Timeout  time.Duration `json:"timeout"`         // timeout of the receipt
	Key      actions.Key   `json:"key,omitzero"`
	// Intent is the form that the adapter stores. If it takes an earlier step's result, it has no
	// amount until that step's receipt.
	Intent   plan.Intent `json:"intent"`
	Protocol string      `json:"protocol"`
	// Most is the maximum that may leave the account. If the step takes a result, it is empty until
	// the amount is known.
	Most []plan.Amount `json:"most,omitempty"`
	// Result is the coin that the step returns, or the zero Asset.
	Result plan.Asset `json:"result,omitzero"`
	Makes  bool       `json:"makes,omitempty"` // an object that later steps may use

	// Progress. Done describes a confirmed step, from its receipt.
	Done        *record.Done `json:"done,omitempty"`
	State       StepState    `json:"-"`
	Review      record.ID    `json:"-"`
	TxHash      string       `json:"-"`
	Error       string       `json:"-"`
	Handed      bool         `json:"-"` // released to a wallet; its effects may still appear
	SubmittedAt time.Time    `json:"-"`

	promise plan.Promise // set for a step that was just read and takes no result
}

// InPlan identifies the group of a plan that a request belongs to. The zero value means none.
type InPlan struct {
	Plan  string
	Group int    // index of the group in the plan
	Call  string // the call that requested the plan
}

// Request is one stored request. Its steps are in execution order.
type Request struct {
	ID      ID
	Session string // conversation that made the request
	Task    string
	Network string
	Account sui.Address
	Label   string
	Hash    Hash
	Mode    Mode
	Review  record.ID // the review that a request started as; otherwise ""
	InPlan
	State    State
	Approval string // ByPage or ByPrior; "" before approval
	// NotHonoured is why skip_approval was not honored. It is "" if it was, or was not requested.
	NotHonoured string
	Warnings    []string
	Accepted    []string // again:<id> of requests for the same that the user confirmed
	Steps       []Step
	Reason      string // why it ended, unless its last step ended it
	// Stopping is why it will end after the current step, which cannot be withdrawn.
	Stopping string
	// CancelRequested reports that cancellation of the task was requested.
	CancelRequested bool
	Revision        int64
	CreatedAt       time.Time
	UpdatedAt       time.Time
	ApproveBy       time.Time // when its review expires, in the state Signing

	twins []record.Beside // other requests that collide with a new one
}

// Subject returns the request's name on the bus.
func Subject(id ID) string { return "bundle/" + string(id) }

// NewTask returns the task of a new request.
func (req Request) NewTask() bus.Task {
	t := bus.Task{Session: req.Session, Kind: bus.KindBundle, Tool: Tool, Subject: Subject(req.ID), State: bus.Working,
		Stage: string(req.State), WaitingFor: bus.WaitsPerson}
	if req.State == Asked {
		t.DeadlineAt = req.ApproveBy
	}
	return t
}

// present returns the index of the first step that has not ended, or -1.
func (req *Request) present() int {
	for i, s := range req.Steps {
		if !s.State.Ended() {
			return i
		}
	}
	return -1
}

// Present returns the current step, or nil if the request does not run.
func (req *Request) Present() *Step {
	if i := req.present(); req.State == Running && i >= 0 {
		return &req.Steps[i]
	}
	return nil
}

// Place returns the index of a review's step, or -1 if the request has no such step.
func (req *Request) Place(id record.ID) int {
	for i, s := range req.Steps {
		if id != "" && s.Review == id {
			return i
		}
	}
	return -1
}

// waits reports whether the next step waits for this step's receipt, because that was requested or
// a later step takes its result. An atomic request has one receipt, which is awaited if any step
// requests it.
func (req *Request) waits(place int) bool {
	if req.Mode == Atomic {
		return slices.ContainsFunc(req.Steps, func(s Step) bool { return s.Wait })
	}
	for _, s := range req.Steps[place+1:] {
		if s.Intent.From.ResultOf == place+1 || s.Intent.ManagerOf == place+1 {
			return true
		}
	}
	return req.Steps[place].Wait
}

// Owed lists the indexes of ended steps whose result the chain may still correct.
func (req *Request) Owed() (places []int) {
	for i, s := range req.Steps {
		if s.State == Pending || s.State == TimedOut || s.State == Failed && s.Handed {
			places = append(places, i)
		}
	}
	return places
}

// Live reports whether the request may still change at a time.
func (req *Request) Live(now time.Time) bool {
	return !req.State.Over() || len(req.Owed()) > 0 && now.Sub(req.UpdatedAt) < Watched
}
