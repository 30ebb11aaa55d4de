package evidence_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sayurintent/sayurintent/internal/evidence"
)

func TestEachWordStandsInOneSet(t *testing.T) {
	seen := map[evidence.Claim]string{}
	for name, set := range map[string]evidence.Claims{
		"market": evidence.NotMarketAdvice(), "money": evidence.NotMoneyOutside(), "payment": evidence.NotPayment(),
		"signable": evidence.NotSignable(), "login": evidence.NotLogin(), "execution": evidence.NotExecution(),
	} {
		if len(set) == 0 {
			t.Errorf("the set %s is empty", name)
		}
		for _, claim := range set {
			if other := seen[claim]; other != "" {
				t.Errorf("%s stands in %s and in %s", claim, other, name)
			}
			seen[claim] = name
		}
	}
}

func TestClaims(t *testing.T) {
	a, b := evidence.Claims{"x", "y"}, evidence.Claims{"y", "z"}
	if diff := cmp.Diff(evidence.Claims{"x", "y", "z"}, a.And(b)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(evidence.Claims{"y"}, a.Both(b)); diff != "" {
		t.Error(diff)
	}
	evidence.NotPayment().And(a)[0] = "changed"
	if evidence.NotPayment()[0] == "changed" {
		t.Error("a named set can be changed from outside")
	}
}

func TestAPriceEstimateIsNoPayment(t *testing.T) {
	data, err := json.Marshal(evidence.PriceEstimate("k", "i"))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"kind":"k","inputAmountKind":"i","allowedUse":"indicative_quote_of_one_pool","rawEvidenceField":"rawQuote",` +
		`"canUseForPaymentAnswer":false,"canUseForShortfallAnswer":false,"doNotCombineWithPaymentAnswer":true,` +
		`"paymentAnswerUseBlockedReason":"quote_is_a_price_estimate_not_a_payment_answer",` +
		`"requiredPaymentAnswerTool":"read.preview_intent_evidence","requiredPaymentAnswerField":"responseSummary",` +
		`"isMinimumOutput":false,"isTransactionBuildInput":false}`
	if string(data) != want {
		t.Errorf("got %s", data)
	}
}

func TestFollowUpsAreValues(t *testing.T) {
	first := evidence.Ask("a", "why")
	second := first.With("x").Reading("y")
	if first.Inputs != nil || second.Inputs[0] != "x" || second.Answer[0] != "y" || second.Reason != "why" {
		t.Errorf("got %+v and %+v", first, second)
	}
}
