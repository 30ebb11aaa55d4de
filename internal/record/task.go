package record

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/plan"
)

// The tools that prepare reviews, as recorded in their tasks.
const (
	preparedBy = "action.prepare_sui_action_review"
	proposedBy = "action.prepare_external_proposal_review"
)

// Stages of a review's task in addition to the statuses.
const (
	stageAwaitingWallet = "awaiting_wallet"
	stageWithWallet     = "handed_to_wallet"
	stageSubmitted      = "submitted"
	stageConfirmed      = "confirmed"
)

// Conditions that a review's task can wait for.
const (
	waitsPerson = "person"
	waitsChain  = "chain"
)

// Subject returns the name of a review on the bus.
func Subject(id ID) string { return "review/" + string(id) }

// FromSubject returns the review named by Subject, or false for anything else.
func FromSubject(subject string) (ID, bool) {
	id, ok := strings.CutPrefix(subject, "review/")
	return ID(id), ok
}

// Task returns the task of a new review for the conversation that prepared it.
func (s Session) Task(conversation string) bus.Task {
	tool := preparedBy
	if s.Proposal != nil {
		tool = proposedBy
	}
	return bus.Task{Session: conversation, Kind: bus.KindReview, Tool: tool, Subject: Subject(s.ID), State: bus.Working,
		Stage: string(s.Status), WaitingFor: waitsPerson, DeadlineAt: s.ExpiresAt}
}

// StageStep returns the task's step at the start of a stage of a computation.
func StageStep(stage plan.StageID) bus.Step { return bus.Step{Stage: string(stage)} }

// StepSince returns the step that the review's task takes for the change since before, or false if
// there is none. Only a final status ends the task, because a blocked review can recover.
func (s Session) StepSince(before Session) (bus.Step, bool) {
	handed := len(s.Releases) > len(before.Releases)
	step := bus.Step{Stage: string(s.Status), WaitingFor: waitsPerson, NoDeadline: len(s.Outstanding()) > 0}
	switch {
	//mutant:always `!s.executed()` ./internal/record TestStepOfACorrection
	case before.Status.Terminal() && (before.executed() || !s.executed()):
		return bus.Step{}, false
	case s.Status.Terminal():
		return s.ended(step), true
	case handed:
		step.Stage, step.WaitingFor = stageWithWallet, bus.WaitsWallet
		return step, true
	case s.rejectedSince(before):
		step.Response = &bus.WalletTxResponse{Status: bus.Rejected}
		step.Message = s.Headline().Title
		return step, true
	case s.Status == Ready && (before.Status != Ready || before.Commitment != s.Commitment):
		step.Stage, step.Request = stageAwaitingWallet, s.walletRequest()
		return step, true
	case s.Status == before.Status && s.State.ComputedAt.Equal(before.State.ComputedAt):
		return bus.Step{}, false
	case s.Status == SignedPendingResult:
		step.Stage, step.WaitingFor = stageSubmitted, waitsChain
	case s.Status == Blocked, s.Status == RefreshRequired:
		// A build that was withdrawn can no longer be signed from its request.
		step.Close, step.Message = true, s.Headline().Title
	}
	return step, true
}

// executed reports whether the review ended with effects on chain.
func (s Session) executed() bool { return s.Execution != nil && s.Execution.Receipt != nil }

// taskResult is the result of a review's task. The most important fields come first, because the
// line for an agent is truncated.
type taskResult struct {
	Review  ID            `json:"review_session_id"`
	Status  Status        `json:"status"`
	TxHash  string        `json:"tx_hash,omitempty"`
	Reason  FailureReason `json:"failure_reason,omitempty"`
	Summary string        `json:"summary,omitempty"`
	Steps   []StepDone    `json:"steps,omitempty"`
	Fees    *Fees         `json:"fees_paid,omitempty"`
}

// ended returns the last step of the task. It is a correction if effects were found later.
func (s Session) ended(step bus.Step) bus.Step {
	step.End, step.WaitingFor, step.Corrects = bus.Completed, "", s.executed()
	hash, detail := "", s.Headline().Title
	reason := FailureReason("")
	if s.Execution != nil {
		hash, reason = s.Execution.TxDigest, s.Execution.FailureReason
	}
	result := taskResult{Review: s.ID, Status: s.Status, TxHash: hash, Reason: reason, Summary: detail}
	if result.Steps, result.Fees = s.Done(); len(result.Steps) == 1 {
		result.Steps = nil // the receipt has it
	}
	step.Result, _ = json.Marshal(result) // its members always encode
	switch {
	case s.Status == Success:
		step.Stage = stageConfirmed
		if hash != "" {
			step.Response = &bus.WalletTxResponse{Status: bus.Confirmed, TxHash: &hash}
		}
		return step
	case s.Status == Expired:
		step.Error = "expired: " + detail
		return step
	case s.GoesOnInSteps(), s.ReplacedBy() != "":
		step.Error = "replaced: " + s.Execution.Note
		return step
	case reason == FailureWalletRejected:
		step.Response = &bus.WalletTxResponse{Status: bus.Rejected}
	default:
		step.Response = &bus.WalletTxResponse{Status: bus.Failed, Detail: &detail}
		if hash != "" {
			step.Response.TxHash = &hash
		}
	}
	step.Error = string(reason) + ": " + detail
	return step
}

// rejectedSince reports whether the user declined an open release since before.
func (s Session) rejectedSince(before Session) bool {
	refused := func(outcome string) bool { return outcome == OutcomeDeclined || outcome == OutcomeRejected }
	for i, r := range before.Releases {
		if i < len(s.Releases) && refused(s.Releases[i].Outcome) && !refused(r.Outcome) {
			return true
		}
	}
	return false
}

// walletRequest describes a review that can be signed, for display. It contains no transaction,
// digest or token.
func (s Session) walletRequest() json.RawMessage {
	h := s.Headline()
	return object(map[string]any{"review_session_id": s.ID, "title": s.Intent.Asked, "summary": h.Sentences(),
		"action":   s.Action,
		"protocol": s.Protocol, "account": s.Account, "network": s.Network,
		"expires_at": s.BuildExpiresAt.UTC().Format(time.RFC3339)})
}

// object encodes members without empty ones. All of them must have a JSON form.
func object(members map[string]any) json.RawMessage {
	for name, v := range members {
		switch v {
		case "", FailureReason(""):
			delete(members, name)
		}
	}
	out, _ := json.Marshal(members)
	return out
}
