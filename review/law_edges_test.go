package review

import (
	"slices"
	"testing"

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
		if err := sent(&r, d, SubmissionRefused, c.refusal, lawTime); err != nil {
			t.Fatal(err)
		}
		if (r.Session.Revision != before) != c.changes || r.Session.Execution.Refusal != c.refusal {
			t.Errorf("%q: revision %d after %d, refusal %q", c.refusal, r.Session.Revision, before, r.Session.Execution.Refusal)
		}
	}
}

// An earlier transaction that is proved dead stops only a review whose present
// one was that.
func TestEarlierDeadBesideAPresentOne(t *testing.T) {
	r := lawRow("ready_for_wallet_review+")
	earlier := Release{Digest: sui.Digest{8}, NonceHash: hashOf("earlier"), LastEpoch: 4, Facts: lawFacts}
	r.Session.Releases = slices.Insert(r.Session.Releases, 0, earlier)
	if r.Session.Current() == nil {
		t.Fatal("nothing present was released")
	}
	if err := bury(&r, earlier.Digest, proof{}, lawTime); err != nil {
		t.Fatal(err)
	}
	if r.Session.Status != Ready || !r.Session.Releases[0].Dead || r.Session.Current() == nil {
		t.Errorf("%s %s", r.Session.Status, r.Session.Reason)
	}
}

// An order is compared with whatever middle price there is, and with the worse
// of two.
func TestLimitOfTwoNodes(t *testing.T) {
	limit := func(middle sui.Raw) *PriceLimit { return &PriceLimit{Price: 900, Middle: middle, Text: "the middle"} }
	for _, c := range []struct {
		name        string
		own, second sui.Raw
		want        CheckStatus
	}{
		{"neither tells one", 0, 0, CheckWarning},
		{"the second alone tells one", 0, 2000, CheckFail},
		{"the first alone tells one", 2000, 0, CheckFail},
		{"the second's is worse", 900, 2000, CheckFail},
		{"the first's is worse", 2000, 900, CheckFail},
		{"both agree", 900, 900, CheckPass},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := &run{}
			status := CheckPass
			if err := r.judgeLimit(&Step{Limit: limit(c.own)}, &Step{Limit: limit(c.second)}); err != nil {
				status = CheckFail
			} else if len(r.checks) > 0 {
				status = r.checks[0].Status
			}
			if status != c.want {
				t.Errorf("%s, want %s: %+v", status, c.want, r.checks)
			}
		})
	}
}

// The name of a coin that is lost unasked does not hang on the order of maps.
func TestOtherLossIsNamedAlike(t *testing.T) {
	own := sui.MustAddress("0xa")
	var e sui.Effects
	for _, coin := range []sui.CoinType{"0x9::c::C", "0x8::b::B", "0x7::a::A"} {
		e.Balances = append(e.Balances, sui.BalanceChange{Owner: own, Coin: coin, Amount: sui.Delta{Negative: true, Amount: 1}})
	}
	for range 50 {
		if v := (Promise{}).Happened(Observe(own, e)); v.Lost != "0x7::a::A" {
			t.Fatalf("%q", v.Lost)
		}
	}
}

// A refusal by a contract is told where the adapter has no words for it.
func TestAbortWithoutWords(t *testing.T) {
	r := &run{steps: []*Step{{}}}
	stop := r.failed(sui.ExecutionStatus{Abort: &sui.MoveAbort{Package: sui.MustAddress("0x7"), Module: "m", Function: "f", Code: 3}})
	if stop.Reason != ObjectResolutionFailed {
		t.Errorf("%+v", stop)
	}
}
