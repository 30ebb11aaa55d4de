package request

import (
	"fmt"
	"strings"

	"github.com/sayurintent/sayurintent/internal/actions"
	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/strictjson"
)

// Data is the result of a request. It has the members that the specification requires, and more.
type Data struct {
	actions.BundleData
	ID          ID       `json:"bundle_id"`
	Mode        Mode     `json:"mode"` // as chosen by the user
	Approval    string   `json:"approval,omitempty"`
	Honoured    bool     `json:"skip_approval_honoured"`
	NotHonoured string   `json:"skip_approval_reason,omitempty"`
	Error       string   `json:"error,omitempty"` // why the request ended early
	Warnings    []string `json:"warnings,omitempty"`
	// Steps describes the confirmed transactions, with one entry per step. Fees is their total
	// cost.
	Steps []record.StepDone `json:"steps,omitempty"`
	Fees  *record.Fees      `json:"fees_paid,omitempty"`
}

// Data returns the part of the result that is known. It omits steps that have not ended. After a
// failed step, it omits later steps unless they were already submitted, which is possible without
// waiting for receipts.
func (req *Request) Data() Data {
	d := Data{BundleData: actions.BundleData{Transactions: []actions.StepResult{}, Success: req.State == Completed},
		ID: req.ID, Mode: req.Mode,
		Approval: req.Approval, Honoured: req.Approval == ByPrior, NotHonoured: req.NotHonoured, Error: req.Reason,
		Warnings: req.Warnings}
	failed := false
	for _, s := range req.Steps {
		//mutant:never `failed` ./internal/request TestModel
		if !s.State.Ended() || failed && s.State == Failed && s.TxHash == "" && req.Mode != Atomic {
			break
		}
		failed = failed || s.State == Failed || s.State == TimedOut
		r := actions.StepResult{ID: s.ID, Sequence: s.Sequence, Chain: s.Chain, Status: string(s.State)}
		if s.TxHash != "" {
			r.TxHash = &s.TxHash
		}
		if s.Error != "" {
			r.Error = &s.Error
		}
		d.Transactions = append(d.Transactions, r)
	}
	d.Success = d.Success && !failed
	d.Steps, d.Fees = req.done()
	return d
}

// done returns the results of the confirmed steps, and their cost.
func (req *Request) done() ([]record.StepDone, *record.Fees) {
	var list []record.StepDone
	var all []*record.Done
	for _, s := range req.Steps {
		if s.Done != nil {
			one := s.Done.Shown(s.TxHash, string(s.State))
			one.ID = s.ID
			list, all = append(list, one), append(all, s.Done)
		}
	}
	return list, record.FeesOf(all)
}

// Said describes to an AI client, in one line, how a request ended. It returns "" if all steps
// succeeded.
func (req *Request) Said() string {
	switch {
	case req.State == Completed:
		return ""
	case req.State == Rejected && req.Reason == ApprovedLater:
		return ApprovedLater +
			": the person approved exactly this bundle for 10 minutes and did not start it. Send it again with skip_approval; nothing was built"
	case req.State == Rejected:
		return UserRejected + ": the person rejected the bundle; nothing was built"
	case req.State == Expired:
		return TimeOver + ": the approval page was not answered in time; nothing was built"
	}
	var said []string
	for _, s := range req.Steps {
		switch {
		case s.State == Failed:
			said = append([]string{fmt.Sprintf("step %s failed: %s", s.ID, s.Error)}, said...)
		case s.State == TimedOut:
			said = append([]string{fmt.Sprintf("step %s: timeout; its result is not known yet", s.ID)}, said...)
		case s.State.Ended():
			said = append(said, strings.TrimSpace(fmt.Sprintf("step %s %s %s", s.ID, s.State, s.TxHash)))
		}
	}
	if len(said) == 0 || !strings.Contains(said[0], req.Reason) {
		said = append([]string{req.Reason}, said...)
	}
	return strings.Join(said, "; ")
}

// TaskSince returns the change of the task that corresponds to the change from before, or false if
// there is none. A request ends its task only once. Later results are reported by OtherEvents.
func (req *Request) TaskSince(before Request) (bus.Step, bool, error) {
	if before.State.Over() || before.State == Signing {
		return bus.Step{}, false, nil
	}
	n := len(req.Steps)
	ended := 0
	for _, s := range req.Steps {
		if s.State.Ended() {
			ended++
		}
	}
	done := float64(ended) / float64(n)
	step := bus.Step{Stage: string(req.State), WaitingFor: bus.WaitsPerson, Progress: &done,
		NoDeadline: req.State != Asked}
	if !req.State.Over() {
		if s := req.Present(); s != nil {
			step.Stage = fmt.Sprintf("step %d of %d: %s", ended+1, n, s.State)
			if req.Mode == Atomic {
				step.Stage = fmt.Sprintf("one transaction of %d steps: %s", n, s.State)
			}
			if s.State == Submitted {
				step.WaitingFor = "chain"
			}
		}
		return step, true, nil
	}
	text, err := strictjson.Encode(req.Data())
	step.End, step.Result, step.Error, step.WaitingFor = bus.Completed, text, req.Said(), ""
	if req.Reason == Cancelled {
		step.End = bus.Cancelled
	}
	return step, true, err
}

// Opening returns the events for pages when a request starts.
func (req *Request) Opening() ([]bus.Body, error) {
	if req.State != Asked {
		return req.unlocking()
	}
	return display(bus.Approval{Bundle: string(req.ID), Task: req.Task, Steps: len(req.Steps),
		Message: "A bundle of transactions waits for your approval."})
}

// unlocking returns an event that says that the wallet may ask to be unlocked, and that no page of
// this program asks for a password.
func (req *Request) unlocking() ([]bus.Body, error) {
	return display(bus.Password{Bundle: string(req.ID),
		Message: "Your wallet may ask you to unlock it. Enter your password only there: no page of this program asks for it."})
}

func display(v bus.Value) ([]bus.Body, error) {
	shown, err := bus.Display(v)
	return []bus.Body{shown}, err
}

// OtherEvents returns the events, other than the task's, for the change from before. They report that the
// wallet may ask to be unlocked, and results that arrived after the result of the request.
func (req *Request) OtherEvents(before Request) (list []bus.Body, err error) {
	if before.State == Asked && req.State == Running {
		if list, err = req.unlocking(); err != nil {
			return nil, err
		}
	}
	if req.Approval == "" { // its review reports the result
		return list, nil
	}
	for i, s := range req.Steps {
		was := before.Steps[i]
		if !was.State.Ended() || was.State == s.State && was.TxHash == s.TxHash && was.Error == s.Error {
			continue
		}
		said := fmt.Sprintf("step %s of bundle %s, reported as %s, is %s now", s.ID, req.ID, was.State, s.State)
		switch {
		case was.State == s.State && was.Error != s.Error:
			said = fmt.Sprintf("step %s of bundle %s, reported as %s, was executed after all and failed", s.ID, req.ID,
				was.Error)
		case was.State == s.State:
			said = fmt.Sprintf("step %s of bundle %s, reported as %s, was signed after all; its result is not known yet", s.ID,
				req.ID, was.State)
		}
		if s.TxHash != "" {
			said += ": " + s.TxHash
		}
		if s.Error != "" && s.State == Failed {
			said += " (" + s.Error + ")"
		}
		update, err := bus.Update(bus.BundleStep{Bundle: string(req.ID), Step: s.ID, Status: string(s.State),
			TxHash: s.TxHash, Message: said}, true)
		if err != nil {
			return nil, err
		}
		list = append(list, update)
	}
	return list, nil
}
