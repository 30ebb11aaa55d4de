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

// Tool is the tool that creates requests, and the tool of their tasks.
const Tool = "agent.sign_transaction_bundle"

// Limits of requests.
const (
	ApprovalLife   = 10 * time.Minute // for an answer on the page, and for using a stored approval
	WalletTime     = 5 * time.Minute  // for the wallet's answer, in addition to the receipt's timeout
	DefaultReceipt = 60 * time.Second
	LeastReceipt   = 5 * time.Second
	MostReceipt    = 600 * time.Second
	// Watched is how long results that arrive late are awaited. It exceeds the time for which
	// effects of dead releases are watched.
	Watched       = 7 * 24 * time.Hour
	mostLabel     = 200 // characters in a client's label for a request or step
	buildPatience = 2 * time.Minute
	adviceTime    = 5 * time.Second // delay that a trial may add to the answer to a new request
)

// State is the state of a request.
type State string

// States of a request. All but the first three are final.
const (
	Signing   State = "signing" // one transaction, whose page asks for approval and signature together
	Asked     State = "awaiting_approval"
	Running   State = "running"
	Completed State = "completed" // all steps were confirmed, or submitted without waiting for receipts
	Stopped   State = "stopped"   // a step failed or its result is unknown, or the request was stopped
	Rejected  State = "rejected"
	Expired   State = "expired"
)

// States lists the states of a request.
func States() []State { return []State{Signing, Asked, Running, Completed, Stopped, Rejected, Expired} }

// Approved lists the states of requests that need approval before anything is signed.
func Approved() []State { return States()[1:] }

// Over reports whether the request has ended.
func (s State) Over() bool { return s != Signing && s != Asked && s != Running }

// StepState is the state of a step. Results contain only the last four.
type StepState string

// States of a step.
const (
	Waiting   StepState = "waiting"
	Open      StepState = "awaiting_wallet" // has a review, but no known signature
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

// Ended reports whether results contain steps in this state.
func (s StepState) Ended() bool { return s != Waiting && s != Open && s != Submitted }

// Ways to approve a request.
const (
	ByPage  = "page"
	ByPrior = "prior" // by an approval stored earlier
)

// Reasons why a step or request ended. Reviews have further reasons.
const (
	UserRejected  = "user_rejected"
	Outside       = "outside_approved_limits"
	Duplicate     = "duplicate_intent"
	Replaced      = "changed_by_user" // another request replaced it
	TimeOver      = "expired"
	Cancelled     = "cancelled"
	NotSubmitted  = "not_submitted" // it is proved that it can never execute
	NoResult      = "nothing_results"
	ApprovedLater = "approved_for_later"
	OtherAccount  = "wallet_mismatch"
	EntryChanged  = "recipient_entry_changed" // the recipient's address-book entry was deleted or changed
)

// Step is one step of a request. Its JSON form contains the step as requested.
type Step struct {
	// These fields describe the requested step and never change.
	ID       string        `json:"-"`
	Sequence int64         `json:"-"`
	Chain    string        `json:"chain"` // as spelled by the client
	Label    string        `json:"label,omitempty"`
	Given    record.ID     `json:"given,omitempty"` // review that the client passed instead of an intent
	Entry    string        `json:"entry,omitempty"` // recipient's address-book entry, if the client passed one
	Wait     bool          `json:"wait"`            // whether to wait for the receipt
	Timeout  time.Duration `json:"timeout"`         // maximum wait for the receipt
	Key      actions.Key   `json:"key,omitzero"`
	// Intent is the intent as the adapter stores it. If it takes the result of an earlier step, it
	// has no amount until that step's receipt exists.
	Intent   plan.Intent `json:"intent"`
	Protocol string      `json:"protocol"`
	// Most is the maximum that may leave the account. If the step takes a result, Most is empty
	// until the amount is known.
	Most []plan.Amount `json:"most,omitempty"`
	// Result is the coin that the step returns, or the zero Asset.
	Result plan.Asset `json:"result,omitzero"`
	Makes  bool       `json:"makes,omitempty"` // creates an object that later steps may use

	// These fields describe progress. Done is the result of a confirmed step, according to its
	// receipt.
	Done        *record.Done `json:"done,omitempty"`
	State       StepState    `json:"-"`
	Review      record.ID    `json:"-"`
	TxHash      string       `json:"-"`
	Error       string       `json:"-"`
	Handed      bool         `json:"-"` // released to a wallet; its effects may still appear
	SubmittedAt time.Time    `json:"-"`

	promise plan.Promise // set only if the step was just read and takes no result
}

// InPlan identifies the group of a plan that a request belongs to. The zero value means that it
// belongs to none.
type InPlan struct {
	Plan  string
	Group int    // index of the group in the plan
	Call  string // call that created the request
}

// Request is a request. Its steps are in execution order.
type Request struct {
	ID      ID
	Session string // conversation that made the request
	Task    string
	Network string
	Account sui.Address
	Label   string
	Hash    Hash
	Mode    Mode
	Review  record.ID // review of the whole request when it was created, or ""
	InPlan
	State    State
	Approval string // ByPage or ByPrior; "" if not approved
	// NotHonoured is the reason why skip_approval was requested but not honored, or "".
	NotHonoured string
	Warnings    []string
	Accepted    []string // again:<id> for each repeated request that the user confirmed
	Steps       []Step
	Reason      string // why it ended, unless its last step ended it
	// Stopping is the reason why the request will end after the current step, which cannot be
	// withdrawn.
	Stopping string
	// CancelRequested reports that a client asked to cancel the task.
	CancelRequested bool
	Revision        int64
	CreatedAt       time.Time
	UpdatedAt       time.Time
	ApproveBy       time.Time // in state Signing, when the review expires

	twins []record.Related // other requests that a new one repeats
}

// Subject returns a request's subject on the bus.
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

// Present returns the current step, or nil if the request is not running.
func (req *Request) Present() *Step {
	if i := req.present(); req.State == Running && i >= 0 {
		return &req.Steps[i]
	}
	return nil
}

// Place returns the index of the step that has a review, or -1 if there is none.
func (req *Request) Place(id record.ID) int {
	for i, s := range req.Steps {
		if id != "" && s.Review == id {
			return i
		}
	}
	return -1
}

// waits reports whether the next step must wait for the receipt of the step at place: the client
// requested that, or a later step takes its result. An atomic request has one receipt, which it
// waits for if any step requests that.
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

// Owed lists the indexes of ended steps whose results the chain may still correct.
func (req *Request) Owed() (places []int) {
	for i, s := range req.Steps {
		if s.State == Pending || s.State == TimedOut || s.State == Failed && s.Handed {
			places = append(places, i)
		}
	}
	return places
}

// Live reports whether the request may still change at now.
func (req *Request) Live(now time.Time) bool {
	return !req.State.Over() || len(req.Owed()) > 0 && now.Sub(req.UpdatedAt) < Watched
}
