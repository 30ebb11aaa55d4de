package handoff

import (
	"slices"
	"testing"

	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
)

func TestSentTellsWhatChanged(t *testing.T) {
	r := lawRow("signed_pending_result")
	d, err := sui.ParseDigest(r.Session.Execution.TxDigest)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		refusal string
		changes bool
	}{{"no gas.", true}, {"no gas.", false}, {"a coin is gone.", true}} {
		before := r.Session.Revision
		if err := sent(&r, d, record.SubmissionRefused, c.refusal, lawTime); err != nil {
			t.Fatal(err)
		}
		if (r.Session.Revision != before) != c.changes || r.Session.Execution.Refusal != c.refusal {
			t.Errorf("%q: revision %d after %d, refusal %q", c.refusal, r.Session.Revision, before, r.Session.Execution.Refusal)
		}
	}
}

// An earlier transaction that is proved dead stops a review only if it is the current one.
func TestEarlierDeadBesideAPresentOne(t *testing.T) {
	r := lawRow("ready_for_wallet_review+")
	earlier := record.Release{Digest: sui.Digest{8}, NonceHash: record.HashOf("earlier"), LastEpoch: 4, Facts: lawFacts}
	r.Session.Releases = slices.Insert(r.Session.Releases, 0, earlier)
	if r.Session.Current() == nil {
		t.Fatal("nothing present was released")
	}
	if err := bury(&r, earlier.Digest, proof{}, 9, lawTime); err != nil {
		t.Fatal(err)
	}
	if r.Session.Status != record.Ready || !r.Session.Releases[0].Dead || r.Session.Current() == nil {
		t.Errorf("%s %s", r.Session.Status, r.Session.Reason)
	}
}
