package review_test

import (
	"context"
	"encoding/base64"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
)

// killed lets another process take a review's next steps until it kills itself
// at the point, and gives what it said before.
func killed(t *testing.T, h *testkit.Harness, point string, o order) []string {
	t.Helper()
	h.Stop()
	o.Role, o.Dir, o.URL = point, h.Dir(), h.URL
	cmd, lines := another(t, o)
	var said []string
	for lines.Scan() {
		said = append(said, lines.Text())
	}
	err := cmd.Wait()
	if exit, ok := err.(*exec.ExitError); !ok || exit.ExitCode() >= 0 && exit.ExitCode() != 1 || len(said) > 0 &&
		strings.HasPrefix(said[0], "error:") {
		t.Fatalf("the other process was not killed at %s: %v %v", point, err, said)
	}
	return said
}

// stored returns the review as it is in the store, with nobody at work on it.
func stored(t *testing.T, h *testkit.Harness, id record.ID) record.Row {
	t.Helper()
	row, err := h.Store.ReviewRow(context.Background(), id)
	if err != nil {
		t.Fatal(err)
	}
	return row
}

func refusesAnother(t *testing.T, h *testkit.Harness, s record.Session) {
	t.Helper()
	_, err := h.Reviews.Handoff(context.Background(), s.ID, s.Revision, s.Commitment)
	switch fault.As(err).Code { // released, signed, or finished already
	case fault.HandoffUnavailable, fault.InvalidSessionTransition, fault.ExecutionResultFinalized:
	default:
		t.Errorf("ST-09 it is handed out again: %v", err)
	}
	if n := len(stored(t, h, s.ID).Session.Releases); n != 1 {
		t.Errorf("ST-09 %d releases", n)
	}
}

func TestKilledAtTheRelease(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	t.Run("ST-09 after the release is recorded and before anything left", func(t *testing.T) {
		h := testkit.OnDisk(t, time.Now, nil)
		s := h.Ready(testkit.Swap("10", "SUI", "USDC"))
		seen := map[sui.Digest]bool{}
		const loops = 8
		for loop := range loops {
			if said := killed(t, h, "released", order{ID: s.ID, Revision: s.Revision, Shown: s.Commitment}); len(said) > 0 {
				t.Fatalf("something left: %v", said)
			}
			now := stored(t, h, s.ID).Session
			last := now.Releases[len(now.Releases)-1]
			if now.Status != record.Ready || len(now.Releases) != loop+1 || last.Commitment != s.Commitment ||
				seen[last.Digest] {
				t.Fatalf("%s %+v", now.Status, now.Releases)
			}
			seen[last.Digest] = true
			h.Restart()
			if _, err := h.Reviews.Handoff(ctx, s.ID, now.Revision, now.Commitment); !fault.Is(err, fault.HandoffUnavailable) {
				t.Fatalf("it is handed out again: %v", err)
			}
			s = h.Compute(now) // the user refreshes
		}
		assertOneGasCoin(t, h, s.ID)
		_, s = h.Send(s)
		if s = h.Until(s.ID, "final", final); s.Status != record.Success || len(s.Releases) != loops+1 {
			t.Errorf("%s %+v", s.Status, s.Execution)
		}
	})
	t.Run("ST-09 after everything left", func(t *testing.T) {
		h := testkit.OnDisk(t, time.Now, nil)
		s := h.Ready(testkit.Swap("10", "SUI", "USDC"))
		said := killed(t, h, "nonce", order{ID: s.ID, Revision: s.Revision, Shown: s.Commitment})
		if len(said) != 2 {
			t.Fatalf("%d lines", len(said))
		}
		if now := stored(t, h, s.ID).Session; now.Status != record.Ready || len(now.Releases) != 1 || now.Execution != nil {
			t.Fatalf("%s %+v", now.Status, now.Releases)
		}
		h.Restart()
		refusesAnother(t, h, stored(t, h, s.ID).Session)
		raw, err := base64.StdEncoding.DecodeString(said[1])
		if err != nil {
			t.Fatal(err)
		}
		tx, err := sui.DecodeTransaction(raw)
		if err != nil {
			t.Fatal(err)
		}
		_, signature, err := h.Sandbox.Sign(tx)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := h.Reviews.Signed(ctx, s.ID, said[0], raw, signature); err != nil { // the page is still open
			t.Fatal(err)
		}
		if s = h.Until(s.ID, "final", final); s.Status != record.Success {
			t.Errorf("%s %+v", s.Status, s.Execution)
		}
	})
}

func TestKilledAfterTheSignature(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	begin := func(t *testing.T, point string, onChain bool) (*testkit.Harness, record.Session, string) {
		h := testkit.OnDisk(t, time.Now, nil)
		s := h.Ready(testkit.Swap("10", "SUI", "USDC"))
		o := h.HandOff(s)
		raw, signature := h.Sign(o)
		killed(t, h, point, order{ID: s.ID, Nonce: o.Nonce, Bytes: raw, Signed: signature})
		row := stored(t, h, s.ID)
		x := row.Session.Execution
		if row.Session.Status != record.SignedPendingResult || x.TxDigest != o.Bytes.Digest().String() || x.Receipt != nil {
			t.Fatalf("%s %+v", row.Session.Status, x)
		}
		if m, ok := row.Material(o.Bytes.Digest()); !ok || m.Signature.Size() == 0 {
			t.Error("the signature is lost")
		}
		if _, known, err := h.Node.Transaction(ctx, o.Bytes.Digest()); err != nil || known != onChain {
			t.Errorf("on chain: %t %v", known, err)
		}
		return h, row.Session, o.Nonce
	}
	succeeds := func(t *testing.T, h *testkit.Harness, id record.ID) {
		t.Helper()
		s := h.Until(id, "final", final)
		if s.Status != record.Success || s.Execution.Receipt == nil || len(s.Releases) != 1 {
			t.Errorf("%s %+v", s.Status, s.Execution)
		}
		if row := stored(t, h, id); len(row.Materials) > 0 {
			t.Error("material outlives the result")
		}
	}
	t.Run("ST-09 before it is sent: it is sent by the next process", func(t *testing.T) {
		h, s, _ := begin(t, "signed", false)
		h.Restart()
		refusesAnother(t, h, s)
		succeeds(t, h, s.ID)
	})
	t.Run("ST-09 before it is sent, and long ago: the person sends it", func(t *testing.T) {
		h, s, nonce := begin(t, "signed", false)
		h.Clock.Advance(2 * time.Minute)
		h.Restart()
		rounds(h, s.ID)
		now, err := h.Reviews.Get(ctx, s.ID)
		if err != nil {
			t.Fatal(err)
		}
		pending(t, now, record.SubmissionNone)
		refusesAnother(t, h, now)
		if _, err := h.Reviews.Submit(ctx, s.ID, nonce); err != nil {
			t.Fatal(err)
		}
		succeeds(t, h, s.ID)
	})
	t.Run("ST-09 after it was sent and before the answer", func(t *testing.T) {
		h, s, nonce := begin(t, "submitted", true)
		if _, err := h.Reviews.Submit(ctx, s.ID, nonce); err != nil { // sending twice executes once
			t.Fatal(err)
		}
		h.Restart()
		refusesAnother(t, h, s)
		succeeds(t, h, s.ID)
	})
	t.Run("ST-09 after the effects were read and before they were recorded", func(t *testing.T) {
		h, s, _ := begin(t, "effects", true)
		h.Restart()
		refusesAnother(t, h, s)
		succeeds(t, h, s.ID)
	})
}
