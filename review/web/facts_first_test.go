package web_test

import (
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/book"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/request"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
	signing "github.com/sayurintent/sayurintent/review/web"
)

// TestVerdictOfThePrice checks that an unconfirmed price is not green, and that the page names what
// it was compared with.
func TestVerdictOfThePrice(t *testing.T) {
	r := newRig(t, nil)
	r.use(person, "Sandbox test wallet")
	for _, c := range []struct {
		check plan.Check
		want  string
		green bool
	}{
		{plan.Pass(plan.SourceQuote, plan.CheckCompared, "Price comparison", "Compared with the cross rate."),
			"No problems found", true},
		{plan.Warn(plan.SourceQuote, plan.CheckCompared, "Price comparison", "The price was not compared.", "").AsNote(),
			"Price not compared: no other market found", false},
	} {
		body := r.page(record.Ready, func(s *record.Session) { s.State.Checks = append(s.State.Checks, c.check) })
		if !strings.Contains(body, c.want) || strings.Contains(body, "No problems found") != c.green ||
			!strings.Contains(body, c.check.Message) {
			t.Errorf("%s: the page does not say %q", c.check.Message, c.want)
		}
	}
}

// TestTheFirstReceipt checks that the receipt of a first payment does not say that the address was
// paid before, and says who named it.
func TestTheFirstReceipt(t *testing.T) {
	j := newJob(t, nil)
	names := book.NewService(j.db, j.house.Clock.Now)
	j.house.Connect(sandbox.Account)
	if _, err := names.Add(t.Context(), book.Agent, []book.Target{{Title: "My Ledger (own account)", Address: payee,
		Chain: "Sui"}}); err != nil {
		t.Fatal(err)
	}
	view := func() (record.Session, string) {
		s := j.house.Settle(j.house.Ready(pay("1", "USDC", payee)))
		return s, j.do("GET", "/api/review/"+string(s.ID)+"/view", j.token(pagetoken.Review, string(s.ID)), nil).body
	}
	s, body := view()
	if s.Status != record.Success || strings.Contains(body, "from here before") || !strings.Contains(body,
		"“My Ledger (own account)” (named by your AI client)") {
		t.Errorf("%s\n%s", s.Status, body)
	}
	if !strings.Contains(body, "Your first payment to this address") {
		t.Error("the receipt does not say that it was the first payment")
	}
	next := j.house.Ready(pay("2", "USDC", payee))
	token := j.token(pagetoken.Review, string(next.ID))
	shown := func() string { return j.do("GET", "/api/review/"+string(next.ID)+"/view", token, nil).body }
	if body := shown(); !strings.Contains(body, "Paid once, 1 USDC") {
		t.Errorf("the next review does not say how often the address was paid:\n%s", body)
	}
	j.house.Settle(next)
	if body := shown(); !strings.Contains(body, "Paid 2 times, last 2 USDC") || strings.Contains(body, "first payment") {
		t.Errorf("the next receipt:\n%s", body)
	}
}

// TestLookalikeInTheBook checks that a look-alike is marked with the address that it imitates, and
// is not confirmed together with other entries.
func TestLookalikeInTheBook(t *testing.T) {
	r := newRig(t, nil)
	r.use(person, "Sandbox test wallet")
	names := book.NewService(r.db, time.Now)
	genuine, other := "0x5a5a"+strings.Repeat("11", 28)+"9b9b", "0x"+strings.Repeat("7c", 32)
	fake := "0x5a5a" + strings.Repeat("22", 28) + "9b9b"
	for _, a := range []string{genuine, other, fake} {
		if _, err := names.Add(t.Context(), book.Agent, []book.Target{{Title: "Name " + a[6:8], Address: a,
			Chain: "Sui"}}); err != nil {
			t.Fatal(err)
		}
	}
	body := r.do("POST", "/api/book/"+pagetoken.BookSubject+"/view", r.token(pagetoken.Book, pagetoken.BookSubject),
		map[string]any{}).body
	if n := strings.Count(body, "This address imitates"); n != 1 || !strings.Contains(body,
		"This address imitates <bdi>Name 11</bdi>") {
		t.Errorf("%d marks:\n%s", n, body)
	}
	if n := strings.Count(body, "data-apart"); n != 1 || !strings.Contains(body, "Confirm all 2 with one signature") {
		t.Errorf("%d are left out:\n%s", n, body)
	}
}

// TestHeadlineSumsPayments checks that the headline of a transaction with several payments states
// their sum, and each recipient once.
func TestHeadlineSumsPayments(t *testing.T) {
	j := newJob(t, nil)
	j.house.Connect(sandbox.Account)
	r, err := j.reviews.Prepare(t.Context(), plan.Intent{Type: plan.Bundle, Steps: []plan.Intent{payOf("2", stepAlice),
		payOf("1.5", stepBob), payOf("0.5", stepAlice)}})
	if err != nil {
		t.Fatal(err)
	}
	if r, err = j.reviews.Opened(t.Context(), r.ID); err != nil {
		t.Fatal(err)
	}
	if r = j.house.Compute(r); r.Status != record.Ready {
		t.Fatalf("%s %s", r.Status, r.Reason)
	}
	view := strings.ReplaceAll(plain(j.do("GET", "/api/review/"+string(r.ID)+"/view", j.token(pagetoken.Review,
		string(r.ID)), nil).body), "\u00a0", " ")
	if !strings.Contains(view, " Send 4 SUI in all to 0x5afe 0000 … 0000 00aa and 0x5afe 0000 … 0000 00bb ") {
		t.Error(view)
	}
}

func TestHeadlineNamesTotals(t *testing.T) {
	a, b := "0x"+strings.Repeat("5c", 32), "0x"+strings.Repeat("5d", 32)
	pays := func(raw uint64, to string) request.Step {
		return request.Step{Intent: pay("1", "SUI", to), Most: []plan.Amount{suiCoin.Of(sui.Raw(raw))}}
	}
	got := signing.BundleTitle(request.Request{State: request.Asked, Steps: []request.Step{pays(2_000_000_000, a),
		pays(1_500_000_000, b), pays(500_000_000, a)}})
	if want := "Pay 0x5c5c\u00a05c5c\u00a0…"; !strings.Contains(got, want) || !strings.Contains(got,
		" 2.5 SUI and 0x5d5d") || strings.Count(got, "0x5c5c") != 1 {
		t.Errorf("%q", got)
	}
}
