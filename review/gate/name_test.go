package gate_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/protocol/transfer"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sandbox/ledger"
	"github.com/sayurintent/sayurintent/internal/sandbox/sandboxtest"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/rpc"
	"github.com/sayurintent/sayurintent/internal/suins"
	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/review"
	"github.com/sayurintent/sayurintent/review/gate"
	"github.com/sayurintent/sayurintent/review/node"
)

// TestPaymentByName pays carol.sui, and has the name changed at every time at which that
// matters.
func TestPaymentByName(t *testing.T) {
	const name = suins.Name("carol.sui")
	elsewhere, holder, buyer := sui.MustAddress("0x"+strings.Repeat("e1", 32)), sui.MustAddress("0xa11ce"),
		sui.MustAddress("0xb0b")
	h := testkit.Start(t, time.Now, nil)
	h.Connect(sandbox.Account)
	year := time.Now().AddDate(1, 0, 0)
	set := func(target, holder sui.Address) {
		h.Sandbox.SetName(name, &ledger.Record{Holder: holder, Target: target, Expires: year})
	}
	in := plan.Intent{Type: "transfer", From: plan.IntentSource{Symbol: "SUI", Amount: "5"}, RecipientName: "@Carol"}
	stopped := func(t *testing.T, s record.Session, words string) {
		t.Helper()
		if len(s.State.Checks) == 0 {
			t.Fatalf("%s %s", s.Status, s.Reason)
		}
		if c := s.State.Checks[0]; s.Status != record.Blocked || s.Reason != plan.WalletMismatch ||
			!strings.Contains(c.Message, words) {
			t.Errorf("%s %s %+v", s.Status, s.Reason, c)
		}
	}
	t.Run("what leads nowhere makes no review", func(t *testing.T) {
		for _, text := range []string{"carol.sui", "nobody", "0x1"} {
			again := in
			again.RecipientName = text
			if s, err := h.Reviews.Prepare(t.Context(), again); fault.As(err).Code != fault.InputInvalid ||
				fault.As(err).Detail.Get("field") != "intent.recipientName" {
				t.Errorf("%s: %v %v", text, s.ID, err)
			}
		}
	})
	set(testkit.Friend, holder)
	t.Run("an address beside the name is refused", func(t *testing.T) {
		again := in
		again.Recipient = testkit.Friend.String()
		if _, err := h.Reviews.Prepare(t.Context(), again); fault.As(err).Code != fault.InputInvalid {
			t.Error(err)
		}
	})
	t.Run("the name is read before the review, and the review is of the address", func(t *testing.T) {
		lie := in
		lie.RecipientNFT = buyer.String()
		s := h.Ready(lie)
		if i := s.Intent; i.RecipientName != string(name) || i.Recipient != testkit.Friend.String() ||
			i.RecipientNFT != holder.String() ||
			!strings.Contains(i.Asked, "to carol.sui, "+testkit.Friend.String()) || s.Facts.Recipient() != testkit.Friend {
			t.Errorf("%+v", i)
		}
		if !slices.ContainsFunc(s.State.Checks, func(c plan.Check) bool {
			return c.ID == "transfer_name" && c.Status == plan.CheckPass && strings.Contains(c.Message,
				year.UTC().Format(time.DateOnly))
		}) {
			t.Errorf("%+v", s.State.Checks)
		}
	})
	t.Run("changed between the request and the page", func(t *testing.T) {
		s := h.Open(in)
		set(elsewhere, holder)
		stopped(t, h.Compute(s), elsewhere.String())
	})
	set(testkit.Friend, holder)
	t.Run("changed between the page and the release", func(t *testing.T) {
		for words, change := range map[string]func(){
			"now has a different address": func() { set(elsewhere, holder) },
			"registered again":            func() { set(testkit.Friend, buyer) },
			"is not registered":           func() { h.Sandbox.SetName(name, nil) },
		} {
			set(testkit.Friend, holder)
			s := h.Ready(in)
			change()
			_, err := h.Reviews.Handoff(t.Context(), s.ID, s.Revision, s.Commitment)
			if fault.As(err).Code != fault.HandoffUnavailable || !strings.Contains(fault.As(err).Text, words) {
				t.Errorf("%s: %v", words, err)
			}
			s, err = h.Reviews.Get(t.Context(), s.ID)
			if err != nil {
				t.Fatal(err)
			}
			stopped(t, s, words)
		}
	})
	set(testkit.Friend, holder)
	if s := h.Settle(h.Ready(in)); s.Status != record.Success {
		t.Fatal(s.Status)
	}
	t.Run("a name that was paid before and is the same needs nothing more", func(t *testing.T) {
		if s := h.Ready(in); slices.ContainsFunc(s.State.Checks, func(c plan.Check) bool {
			return c.Accept != "" ||
				c.ID == "payment_name"
		}) {
			t.Errorf("%+v", s.State.Checks)
		}
	})
	t.Run("another target than the one that was paid has to be accepted", func(t *testing.T) {
		set(elsewhere, holder)
		s := h.Ready(in)
		if _, err := h.Reviews.Handoff(t.Context(), s.ID, s.Revision, s.Commitment); err == nil ||
			!strings.Contains(err.Error(), "another address") {
			t.Errorf("handed out: %v", err)
		}
		if _, err := h.Reviews.Handoff(t.Context(), s.ID, s.Revision, s.Commitment, "name"); err != nil {
			t.Error(err)
		}
	})
	t.Run("another registration than the one that was paid blocks, until it is forgotten", func(t *testing.T) {
		set(testkit.Friend, buyer)
		stopped(t, h.Compute(h.Open(in)), "registered again")
		list, err := h.Store.PaidNames(t.Context())
		if err != nil || len(list) != 1 || list[0].Name != string(name) || list[0].Target != testkit.Friend.String() ||
			list[0].NFT != holder.String() {
			t.Errorf("%+v %v", list, err)
		}
		if err := h.Store.ForgetName(t.Context(), string(name), func(context.Context) error { return nil }); err != nil {
			t.Fatal(err)
		}
		h.Ready(in)
	})
	t.Run("a second node that tells another record is noticed", func(t *testing.T) {
		other, url := sandboxtest.Serve(t, sandbox.Config{Now: h.Clock.Now})
		other.SetName(name, &ledger.Record{Holder: buyer, Target: elsewhere, Expires: year})
		node, err := rpc.New(rpc.Config{URL: url, Now: h.Clock.Now})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = node.Close() })
		h.Compare(func(second *gate.Second) {
			for i, a := range second.Adapters {
				if a.Meta().Action == "transfer" {
					second.Adapters[i] = transfer.New(registry.NoWallet, suins.Resolver{Chain: node, Registry: suins.Mainnet,
						Now: h.Clock.Now})
				}
			}
		})
		s := h.Compute(h.Open(in))
		if c := s.State.Checks[0]; s.Status != record.Blocked || c.Rule != "C20" {
			t.Errorf("%s %s %+v", s.Status, s.Reason, c)
		}
	})
}

// A recipient's default name is only informational; nothing waits or fails for it.
func TestChosenNames(t *testing.T) {
	const id, name = "recipient_chose_name", suins.Name("carol.sui")
	h := testkit.Start(t, time.Now, nil)
	record := func(target sui.Address) {
		h.Sandbox.SetName(name, &ledger.Record{Holder: sui.MustAddress("0xa11ce"), Target: target,
			Expires: time.Now().AddDate(1, 0, 0)})
	}
	pay := plan.Intent{Type: "transfer", From: plan.IntentSource{Symbol: "SUI", Amount: "5"},
		Recipient: testkit.Friend.String()}
	none := func(t *testing.T, in plan.Intent) {
		t.Helper()
		if c, told := testkit.Check(h.Ready(in), id); told {
			t.Errorf("%+v", c)
		}
	}
	none(t, pay)
	record(testkit.Friend)
	h.Sandbox.ChooseName(testkit.Friend, name)
	c, told := testkit.Check(h.Ready(pay), id)
	if !told || c.Class() != plan.ClassNote || !strings.Contains(c.Message, "calls itself carol.sui") ||
		!strings.Contains(c.Message, "what counts is the address") {
		t.Errorf("%v %+v", told, c)
	}
	t.Run("not where the person paid by that name", func(t *testing.T) {
		by := pay
		by.Recipient, by.RecipientName = "", string(name)
		none(t, by)
	})
	t.Run("not where the name leads elsewhere", func(t *testing.T) {
		record(sui.MustAddress("0xb0b"))
		defer record(testkit.Friend)
		none(t, pay)
	})
	t.Run("a node that does not answer for it keeps nobody from paying", func(t *testing.T) {
		silent := testkit.Start(t, time.Now, func(c *review.Config) { c.Names = silentNames{c.Names} })
		if c, told := testkit.Check(silent.Ready(pay), id); told {
			t.Errorf("%+v", c)
		}
	})
}

// silentNames does not answer which name an address chose.
type silentNames struct{ node.Names }

func (silentNames) Chosen(context.Context, sui.Address) (suins.Found, bool, error) {
	return suins.Found{}, false, fault.New(fault.ProviderUnavailable, "no answer")
}
