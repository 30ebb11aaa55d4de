package record

import (
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// TestHeadline: in every state, a headline states what this program knows and no more; changed
// bytes take precedence.
func TestHeadline(t *testing.T) {
	one := Release{Digest: sui.Digest{1}, Commitment: sui.Commitment(sui.Digest{1}),
		GasCoin: sui.ObjectRef{ID: sui.ObjectID{1}, Version: 1}}
	with := func(outcome string) Release {
		r := one
		r.Outcome = outcome
		return r
	}
	out := func(outcome string) Session {
		return Session{Status: Ready, Commitment: one.Commitment, Releases: []Release{with(outcome)}}
	}
	back := func(outcome, id string) Session {
		return Session{Status: RefreshRequired, Reason: plan.QuoteStale, Releases: []Release{with(outcome)},
			State: State{Checks: []plan.Check{RefusedCheck(id)}}}
	}
	earlier := back(OutcomeDeclined, CheckRefused)
	failed := func(reason FailureReason, releases ...Release) Session {
		return Session{Status: Failure, Releases: releases, Execution: &Execution{Status: Failure, FailureReason: reason,
			Note: "Why."}}
	}
	stop := Session{Status: Blocked, Reason: plan.AmountMismatch, State: State{Checks: []plan.Check{
		plan.Fail("quote", "price_second_source", "Price", "It is far.", "Ask again.").Under("C04")}}}
	for _, c := range []struct {
		name  string
		s     Session
		tone  Tone
		title string
		says  string
	}{
		{"not opened", Session{Status: Proposed}, "", "Not opened yet", "Nothing has been signed"},
		{"work", Session{Status: WalletConnected}, "", "Preparing your review", "Nothing is signed"},
		{"ready", Session{Status: Ready}, "", "Ready to be read", "Nothing happens until you sign"},
		{"with the wallet", out(""), ToneWarn, "Not known whether it was signed", "still accepted"},
		{"wallet error", out(OutcomeProviderError), ToneWarn,
			"Your wallet reported an error. Not known whether it was signed", ""},
		{"wallet gone", out(OutcomeDisconnected), ToneWarn, "Your wallet gave no answer. Not known whether it was signed",
			""},
		{"other bytes", out(OutcomeChanged), ToneBad, ChangedHeadline().Title, "another transaction"},
		{"another signer", out(OutcomeSignerMismatch), ToneBad, "Another account signed. This program sent nothing.", ""},
		{"declined in the wallet", back(OutcomeRejected, CheckRefused), "",
			"Your wallet reports that you declined. This program sent nothing.",
			"can never both happen"},
		{"recorded by a page", back(OutcomeDeclined, CheckNotSigned), "",
			"Recorded as not signed. This program sent nothing.", "signed after all"},
		{"recorded by an earlier version", earlier, "", "Recorded as not signed. This program sent nothing.", ""},
		{"declined on the page", back("", CheckDeclined), "", "You declined. This program sent nothing.",
			"still with your wallet"},
		{"changed comes first", back(OutcomeChanged, CheckNotSigned), ToneBad, ChangedHeadline().Title, ""},
		{"too old", Session{Status: RefreshRequired, Reason: plan.QuoteStale}, ToneWarn, "The figures are too old",
			"nothing was sent"},
		{"a price that stops", stop, ToneBad, "The price is far from the market", "It is far."},
		{"failed on chain", failed(FailureChainExecution, one), ToneBad,
			"The chain ran it, and it failed. Only gas was spent.", "minus gas"},
		{"declined before a wallet got it", failed(FailureWalletRejected), "",
			"You declined. Nothing was signed, and nothing was sent.", ""},
		{"declined and dead", failed(FailureWalletRejected, one), "", "Declined, and it can never happen any more", "Why."},
		{"dead", failed(FailureCannotExecute, one), ToneBad, "It was never executed, and never can be", "Why."},
		{"expired", Session{Status: Expired}, ToneWarn, "This review has expired", "nothing was sent"},
		{"a node refused", Session{Status: SignedPendingResult, Execution: &Execution{Submission: SubmissionRefused,
			Note: "It refused."}}, ToneWarn,
			"Signed, and a node refused it", "It refused."},
		{"a promise that was not kept", Session{Status: Success, Execution: &Execution{Receipt: &Receipt{
			Result: &plan.Result{Title: "Swapped"}, Promises: []PromiseResult{{ID: "gas_within_budget"}}}},
			Facts: &plan.Facts{}},
			ToneBad, "Swapped", "Not everything that was promised was kept"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := c.s.Headline()
			if got.Tone != c.tone || got.Title != c.title || !strings.Contains(got.Text, c.says) {
				t.Errorf("%+v", got)
			}
		})
	}
	t.Run("every status has words", func(t *testing.T) {
		for _, status := range Statuses() {
			h := Session{Status: status}.Headline()
			if h.Title == "" || strings.Contains(h.Sentences(), "..") || !strings.HasPrefix(h.Sentences(), h.Title) {
				t.Errorf("%s: %+v", status, h)
			}
		}
	})
}

func TestHeadlineRestsOnTheProof(t *testing.T) {
	tones := map[ProofState]Tone{Proved: ToneGood, Reported: "", Mismatched: ToneBad}
	for state, want := range tones {
		s := Session{Status: Success,
			Execution: &Execution{Receipt: &Receipt{OK: true}, Proved: &Proof{State: state, Reason: "a reason."}}}
		got := s.Headline()
		if got.Tone != want || strings.Contains(got.Title, "false") != (state == Mismatched) {
			t.Errorf("%s: %+v", state, got)
		}
	}
	earlier := Session{Status: Success, Execution: &Execution{Receipt: &Receipt{OK: true}}}
	if earlier.Headline().Tone != "" {
		t.Error("a result of before there were proofs is good news")
	}
}
