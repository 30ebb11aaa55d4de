package web

import (
	"testing"

	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/review"
)

// TestPromisesRestOnTheProof checks that a kept promise is green only if validators signed the
// result, and unknown if the node's report was wrong.
func TestPromisesRestOnTheProof(t *testing.T) {
	kept, broken := record.PromiseResult{Kept: true}, record.PromiseResult{}
	for _, c := range []struct {
		p           record.PromiseResult
		rests       record.ProofState
		mark, class string
	}{
		{kept, record.Proved, "Kept", "kept"}, {kept, record.Reported, "Kept", "told"}, {kept, record.Mismatched, "Not known",
			"told"},
		{broken, record.Proved, "Not kept", "broken"}, {broken, record.Reported, "Not kept", "broken"},
		{broken, record.Mismatched, "Not known", "told"},
	} {
		if got := promised(c.p, c.rests); got.Mark != c.mark || got.Class != c.class {
			t.Errorf("%v %s: %+v", c.p.Kept, c.rests, got)
		}
	}
	chain := map[record.ProofState]string{record.Proved: "done", record.Reported: "unknown", record.ReportedNow: "now",
		record.Mismatched: "failed"}
	for rests, want := range chain {
		l := look{View: review.View{Session: record.Session{Status: record.Success,
			Execution: &record.Execution{Status: record.Success, Proved: &record.Proof{State: rests}}}}}
		if steps := l.progress(); steps[len(steps)-1].State != want {
			t.Errorf("%s: %+v", rests, steps)
		}
	}
}
