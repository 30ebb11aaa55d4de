package review_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/proposal"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/screen/screentest"
	"github.com/sayurintent/sayurintent/internal/testkit"
)

// shut wants a document refused for the text at a path, without a word of it.
func shut(t *testing.T, err error, path string, secrets ...string) {
	t.Helper()
	f := fault.As(err)
	if err == nil || f.Code != fault.InputInvalid || f.Detail.Get("field") != path ||
		f.Detail.Get("reason") != "secret_or_executable_text" {
		t.Errorf("%s came in: %v", path, err)
		return
	}
	for _, secret := range secrets {
		if strings.Contains(f.Error()+f.Text, secret[len(secret)-12:]) {
			t.Errorf("%s: the refusal repeats it: %v", path, err)
		}
	}
}

const (
	somePhrase = "legal winner thank year wave sausage worth useful legal winner thank yellow"
	ownKey     = "0x1111111111111111111111111111111111111111111111111111111111111111" // of the sandbox's account
)

// TestDoors puts a phrase, or the key of the account in use, into every text of
// an intent and of a proposal, found by type: a new one cannot be forgotten.
func TestDoors(t *testing.T) {
	h := testkit.Start(t, time.Now, nil)
	h.Connect(sandbox.Account)
	ctx := context.Background()
	t.Run("R004-356 intents", func(t *testing.T) {
		screentest.Each(t, "intent", somePhrase, ownKey, 17, func(*plan.Intent) {}, func(path string, in plan.Intent) {
			_, err := h.Reviews.Prepare(ctx, in)
			shut(t, err, path, somePhrase)
		})
	})
	t.Run("R004-356 proposals", func(t *testing.T) {
		screentest.Each(t, "proposal", somePhrase, ownKey, 30, func(*proposal.Proposal) {}, func(path string,
			p proposal.Proposal) {
			_, err := h.Reviews.PrepareProposal(ctx, p)
			shut(t, err, path, somePhrase, ownKey)
		})
	})
}

// TestCorpora: what people paste comes in nowhere, and innocent texts do.
func TestCorpora(t *testing.T) {
	h := testkit.Start(t, time.Now, nil)
	h.Connect(sandbox.Account)
	secret := func(err error) bool {
		return err != nil && fault.As(err).Detail.Get("reason") == "secret_or_executable_text"
	}
	t.Run("R004-356 intents", func(t *testing.T) {
		screentest.Door(t, 0, func(text string) bool {
			_, err := h.Reviews.Prepare(context.Background(), plan.Intent{Type: "none", Asked: text})
			return secret(err)
		})
	})
	t.Run("R004-356 proposals", func(t *testing.T) {
		screentest.Door(t, 0, func(text string) bool {
			_, err := h.Reviews.PrepareProposal(context.Background(), proposal.Proposal{Purpose: text})
			return secret(err)
		})
	})
}

// TestOwnKeyInAPayment: the key of the account itself, where an address, an
// object or a part of a coin type should be, is never signed.
func TestOwnKeyInAPayment(t *testing.T) {
	h := testkit.Start(t, time.Now, nil)
	h.Connect(sandbox.Account)
	digits := ownKey[2:]
	pay := func(coin, recipient string) plan.Intent {
		return plan.Intent{Type: "transfer", From: plan.IntentSource{Symbol: coin, Amount: "1"}, Recipient: recipient}
	}
	for _, c := range []struct {
		name, path string
		in         plan.Intent
	}{
		{"recipient", "intent.recipient", pay("SUI", ownKey)},
		{"recipient in capitals", "intent.recipient", pay("SUI", "0x"+strings.ToUpper(digits))},
		{"manager", "intent.manager", plan.Intent{Type: "manager-deposit", From: plan.IntentSource{Symbol: "SUI",
			Amount: "1"}, Manager: ownKey}},
		{"package of the coin", "intent.from.symbol", pay(ownKey+"::coin::COIN", payee.String())},
		{"module of the coin", "intent.from.symbol", pay("0x2::k"+digits+"::COIN", payee.String())},
		{"name of the coin", "intent.from.symbol", pay("0x2::coin::K_"+digits, payee.String())},
		{"inner type of the coin", "intent.from.symbol", pay("0x2::lp::LP<0x2::sui::SUI, "+ownKey+"::a::B>", payee.String())},
		{"inner module of the coin", "intent.from.symbol", pay("0x2::lp::LP<0x2::a"+digits+"b::T>", payee.String())},
	} {
		t.Run("R004-356 "+c.name, func(t *testing.T) {
			_, err := h.Reviews.Prepare(context.Background(), c.in)
			shut(t, err, c.path, digits)
			if fault.As(err).Detail.Get("class") != "key_of_address" {
				t.Errorf("%v", err)
			}
		})
	}
	if _, err := h.Reviews.Prepare(context.Background(), pay("SUI", payee.String())); err != nil {
		t.Errorf("a payment to somebody: %v", err)
	}
}
