package request

import (
	"slices"
	"strconv"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/record"
)

// Sign returns a request for an existing review. It needs no separate approval, because the
// review's page asks for approval and signature together. of contains the conversation, the plan
// and the step names, if any. task is the task of the review.
func Sign(r record.Session, task string, of Request) (Request, error) {
	req := Request{ID: ID(r.ID), Session: of.Session, Task: task, Network: r.Network, Account: r.Account, Mode: Atomic,
		Review: r.ID, InPlan: of.InPlan, State: Signing, Revision: 1, CreatedAt: r.CreatedAt,
		UpdatedAt: r.CreatedAt, ApproveBy: r.ExpiresAt}
	for i, in := range r.Intent.Each() {
		step := Step{ID: strconv.Itoa(i + 1), Sequence: int64(i), Chain: "Sui", Wait: true, Timeout: DefaultReceipt,
			Intent:   in,
			Protocol: in.Protocol, State: Open, Review: r.ID}
		if i < len(of.Steps) {
			step.ID, step.Sequence, step.Chain, step.Key = of.Steps[i].ID, of.Steps[i].Sequence, of.Steps[i].Chain,
				of.Steps[i].Key
		}
		req.Steps = append(req.Steps, step)
	}
	var err error
	req.Hash, err = HashOf(req)
	return req, err
}

// only reports whether a review is the whole request: it contains all steps, and there is no
// separate approval.
func (req *Request) only(id record.ID) bool { return req.Review == id && req.Steps[0].Review == id }

// sawSigning updates the step from its review. Time limits are those of the review.
func (s *Step) sawSigning(r record.Session, now time.Time) {
	s.Handed = len(r.Outstanding()) > 0
	switch {
	case r.Status.Terminal():
		s.settle(r)
	case r.Status == record.SignedPendingResult && s.State == Open && r.Execution != nil:
		s.State, s.TxHash, s.SubmittedAt = Submitted, r.Execution.TxDigest, now
	}
}

// signed ends a request with one transaction whose review has ended.
func (req *Request) signed(now time.Time) {
	switch step := req.Steps[0]; {
	case !step.State.Ended():
	case step.State == Confirmed:
		req.end(Completed, "", now)
	//mutant:never ./internal/request TestSigning
	case step.Error == UserRejected:
		req.end(Rejected, UserRejected, now)
	case step.Error == TimeOver:
		req.end(Expired, TimeOver, now)
	default:
		req.end(Stopped, step.Error, now)
	}
}

// Follow applies a change of the review that a request was created with. It reports whether the
// request changed.
func (req *Request) Follow(r record.Session, now time.Time) bool {
	before := req.Revision
	req.Saw(0, r, now)
	return req.Revision != before
}

// Part splits one transaction into the separately signed steps of drafted. The caller must end the
// review, which must not have been released.
func (req *Request) Part(drafted Request, now time.Time) error {
	switch {
	//mutant:never ./internal/request TestPart
	case req.State != Signing:
		return fault.New(fault.InvalidSessionTransition, "The way to sign was already chosen. See all steps.").
			With("bundle_id", string(req.ID))
	case len(req.Steps) < 2:
		return fault.New(fault.UnsupportedAction, "This is one action, which has one signature.")
	}
	steps := slices.Clone(drafted.Steps)
	for i := range steps {
		steps[i].ID, steps[i].Sequence, steps[i].Label, steps[i].Key = req.Steps[i].ID, req.Steps[i].Sequence,
			req.Steps[i].Label, req.Steps[i].Key
	}
	req.Steps, req.Hash, req.Warnings = steps, drafted.Hash, drafted.Warnings
	req.Mode, req.State, req.ApproveBy = OneByOne, Asked, now.Add(ApprovalLife)
	req.touch(now)
	return nil
}
