package review_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
)

// sent returns a swap that was signed while the node behaves as faults say, and the state that one
// more look at it leaves.
func sent(t *testing.T, kinds ...sandbox.FaultKind) (*testkit.Harness, record.Session) {
	t.Helper()
	h := testkit.Start(t, time.Now, nil)
	s := h.Ready(testkit.Swap("10", "SUI", "USDC"))
	for _, kind := range kinds {
		if err := h.Sandbox.Inject(sandbox.Fault{Kind: kind}); err != nil {
			t.Fatal(err)
		}
	}
	_, s = h.Send(s)
	return h, s
}

// until reads the review until it is as wanted.
func until(t *testing.T, h *testkit.Harness, id record.ID, what string, fits func(record.Session) bool) record.Session {
	t.Helper()
	var s record.Session
	defer func() {
		if t.Failed() {
			t.Logf("it is %s, %+v", s.Status, s.Execution)
		}
	}()
	double.Until(t, what, func() bool {
		var err error
		if s, err = h.Reviews.Get(context.Background(), id); err != nil {
			t.Fatal(err)
		}
		return fits(s)
	})
	return s
}

func settledWith(state record.ProofState) func(record.Session) bool {
	return func(s record.Session) bool { return s.Status.Terminal() && s.Execution.Proof().State == state }
}

func TestResultIsProved(t *testing.T) {
	h, s := sent(t)
	s = until(t, h, s.ID, "proved", settledWith(record.Proved))
	p := s.Execution.Proof()
	if p.Signers != 3 || p.Members != 4 || p.Power != 7500 || p.Checkpoint != *s.Execution.Receipt.Checkpoint {
		t.Errorf("%+v", p)
	}
	if s.Headline().Tone != record.ToneGood || !strings.HasPrefix(p.Sentence(),
		"Proved. Validators with more than two thirds") {
		t.Errorf("%+v, %s", s.Headline(), p.Sentence())
	}
}

// A node that leaves the proof out settles a result that looks different, and the
// proof is added when it is there.
func TestResultWithoutProof(t *testing.T) {
	for _, kind := range []sandbox.FaultKind{sandbox.NoCertificate, sandbox.NewerContents} {
		t.Run(string(kind), func(t *testing.T) {
			h, s := sent(t, kind)
			s = until(t, h, s.ID, "told", settledWith(record.Reported))
			if s.Status != record.Success || s.Headline().Tone == record.ToneGood || s.Execution.Proof().Reason == "" {
				t.Errorf("%s, %+v, %+v", s.Status, s.Headline(), s.Execution.Proof())
			}
			if err := h.Sandbox.Inject(sandbox.Fault{Kind: sandbox.ClearFaults}); err != nil {
				t.Fatal(err)
			}
			if !h.Reviews.ProveAgain(context.Background(), s.ID) {
				t.Error("the proof is there and was not added")
			}
			until(t, h, s.ID, "proved later", settledWith(record.Proved))
		})
	}
}

// The next process continues looking for a proof that the last one did not find.
func TestProofAfterARestart(t *testing.T) {
	h, s := sent(t, sandbox.NoCertificate)
	until(t, h, s.ID, "told", settledWith(record.Reported))
	if err := h.Sandbox.Inject(sandbox.Fault{Kind: sandbox.ClearFaults}); err != nil {
		t.Fatal(err)
	}
	h.Restart()
	until(t, h, s.ID, "proved", settledWith(record.Proved))
}

// What is forged, or contradicts what was told, settles nothing until the node is honest.
func TestForgedProofSettlesNothing(t *testing.T) {
	for _, kind := range []sandbox.FaultKind{sandbox.WeakCertificate, sandbox.OtherCommittee, sandbox.OtherEffects,
		sandbox.OtherStatusBytes} {
		t.Run(string(kind), func(t *testing.T) {
			h, s := sent(t, kind)
			s = until(t, h, s.ID, "a mismatch", func(s record.Session) bool {
				return s.Execution.Proof().State == record.Mismatched
			})
			if s.Status != record.SignedPendingResult || s.Execution.Receipt != nil {
				t.Errorf("it is %s with %+v", s.Status, s.Execution.Receipt)
			}
			if err := h.Sandbox.Inject(sandbox.Fault{Kind: sandbox.ClearFaults}); err != nil {
				t.Fatal(err)
			}
			until(t, h, s.ID, "proved", settledWith(record.Proved))
		})
	}
}

// A result that settled by a false word is found out when the proof comes.
func TestReportAndProofDiffer(t *testing.T) {
	h, s := sent(t, sandbox.NoCertificate)
	s = until(t, h, s.ID, "told", settledWith(record.Reported))
	_, err := h.Store.Change(context.Background(), s.ID, "test", func(r *record.Row) error {
		r.Session.Execution.Receipt.Gas.Computation++
		r.Touch(h.Clock.Now())
		return nil
	})
	if err == nil {
		err = h.Sandbox.Inject(sandbox.Fault{Kind: sandbox.ClearFaults})
	}
	if err != nil {
		t.Fatal(err)
	}
	h.Reviews.ProveAgain(context.Background(), s.ID)
	s = until(t, h, s.ID, "a mismatch", settledWith(record.Mismatched))
	if s.Status != record.Success || s.Headline().Tone != record.ToneBad {
		t.Errorf("%s, %+v", s.Status, s.Headline())
	}
}
