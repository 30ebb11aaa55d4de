package review_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/proposal"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/review"
)

var payee = sui.MustAddress("0x" + strings.Repeat("5a", 32))

// invoice returns a proposal of a payment.
func invoice(now time.Time) proposal.Proposal {
	return proposal.Proposal{
		Type: proposal.TypePayment, ID: "invoice-7", Source: proposal.Source{Kind: "other", Name: "Billing of Example Ltd"},
		Network: testkit.Network, CreatedAt: now, ExpiresAt: now.Add(time.Hour), Purpose: "Pay the invoice of January.",
		Assumptions: []string{"the rate is one to one"}, RequiredChoices: []string{"whether to pay now or in March"},
		Payment: &proposal.Payment{Recipient: proposal.Party{Address: &payee, Label: "Example Ltd"}, Target: "the invoice",
			Amount: proposal.Amount{AmountDisplay: "2.5", AmountKind: "display_proposal", Symbol: "USDC"}},
	}
}

// target returns a call of DeepBook's newest package.
func target(module, function string) proposal.Target {
	pkg := registry.Packages()[0].ID
	return proposal.Target{PackageID: &pkg, Module: module, Function: function, Label: "the market"}
}

// swapping returns a proposal of an action with what leaves and what arrives.
func swapping(now time.Time, kind, from, to string) proposal.Proposal {
	p := invoice(now)
	p.Type, p.Payment = proposal.TypeSuiAction, nil
	p.Action = &proposal.Action{ActionKind: kind, Target: target("pool", "swap_exact_base_for_quote")}
	for direction, symbol := range map[string]string{proposal.FlowOutgoing: from, proposal.FlowExpected: to} {
		if symbol != "" {
			p.Action.AssetFlow = append(p.Action.AssetFlow, proposal.Asset{Direction: direction,
				Amount: proposal.Amount{AmountDisplay: "10", AmountKind: "display_proposal", Symbol: symbol}})
		}
	}
	return p
}

// TestProposalIsNeverSignable: whoever is connected, and without a node, a
// proposal ends blocked with nothing built, and nothing is handed out.
func TestProposalIsNeverSignable(t *testing.T) {
	for _, connected := range []bool{true, false} {
		h := testkit.Start(t, time.Now, nil)
		if connected {
			h.Connect(sandbox.Account)
		}
		h.Inject(sandbox.Fault{Kind: sandbox.Fail})
		ctx := context.Background()
		s, err := h.Reviews.PrepareProposal(ctx, invoice(h.Clock.Now()))
		if err != nil {
			t.Fatal(err)
		}
		if s.Account.IsZero() == connected {
			t.Errorf("connected %v, account %s", connected, s.Account)
		}
		if s, err = h.Reviews.Opened(ctx, s.ID); err != nil {
			t.Fatal(err)
		}
		if s.Status != record.WalletConnected {
			t.Errorf("opened with an account %v: %s %s", connected, s.Status, s.Reason)
		}
		s = h.Compute(s)
		t.Run("R004-368 blocked, proposal_review_only, nothing built", func(t *testing.T) {
			if s.Status != record.Blocked || s.Reason != plan.ProposalReviewOnly ||
				s.State.BlockedReason != plan.ProposalReviewOnly ||
				s.Commitment != "" || s.State.Simulation != nil || s.State.Quote != nil || s.State.Contract != nil ||
				s.Facts != nil {
				t.Errorf("%+v", s)
			}
			if worst := s.State.Checks[0]; worst.ID != "external_proposal_review_only" || worst.Do == "" ||
				len(s.State.Checks) != 4 {
				t.Errorf("checks %+v", s.State.Checks)
			}
			row, err := h.Store.ReviewRow(ctx, s.ID)
			if err != nil || len(row.Materials) != 0 {
				t.Errorf("material of a proposal: %v %v", row.Materials, err)
			}
			if _, err := h.Reviews.Handoff(ctx, s.ID, s.Revision, ""); err == nil {
				t.Error("a proposal was handed out")
			}
		})
		view, err := h.Reviews.View(ctx, s.ID)
		if err != nil || view.CanHandOff || view.Transaction != nil || view.Proposal == nil || view.Instead == nil ||
			len(view.Progress) != 0 {
			t.Errorf("view %+v, %v", view, err)
		}
		kept, err := h.Store.Review(ctx, s.ID)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(s.Proposal, kept.Proposal); diff != "" {
			t.Errorf("the proposal changed in the store: %s", diff)
		}
	}
}

// TestProposalModel looks at every part of the model.
func TestProposalModel(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	m := invoice(now).Model(now)
	t.Run("R004-358 R004-360 what is asked for, of whom", func(t *testing.T) {
		a := m.ProposedAction
		if a.Type != "payment" || a.Purpose != "Pay the invoice of January." ||
			a.Authority != "untrusted_external_proposal" ||
			a.Source.Name != "Billing of Example Ltd" || len(m.Recipients) != 1 || *m.Recipients[0].Address != payee ||
			m.Targets[0].Label != "the invoice" {
			t.Errorf("%+v %+v %+v", a, m.Recipients, m.Targets)
		}
	})
	t.Run("R004-359 amounts by direction", func(t *testing.T) {
		p := swapping(now, "swap", "SUI", "USDC")
		p.Action.AssetFlow = append(p.Action.AssetFlow, proposal.Asset{Direction: proposal.FlowFee,
			Amount: p.Action.AssetFlow[0].Amount})
		f := p.Model(now).AssetFlow
		if len(f.Outgoing) != 1 || f.Outgoing[0].Amount.Symbol != "SUI" || len(f.ExpectedIncoming) != 1 ||
			f.ExpectedIncoming[0].Amount.Symbol != "USDC" || len(f.Fees) != 1 {
			t.Errorf("%+v", f)
		}
	})
	t.Run("R004-361 R004-362 R004-364 what it rests on, what is missing, what is not supported", func(t *testing.T) {
		if diff := cmp.Diff([]string{"external_proposal_contract", "proposal_declared_network", "proposal_display_amounts"},
			m.EvidenceUsed); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]string{"account_bound_wallet_assets", "review_time_simulation",
			"recipient_or_target_verification",
			"settlement_asset_selection"}, m.MissingEvidence); diff != "" {
			t.Error(diff)
		}
		if last := m.UnsupportedClaims[len(m.UnsupportedClaims)-1]; last != "source_assumptions_unverified" {
			t.Errorf("%v", m.UnsupportedClaims)
		}
	})
	t.Run("R004-363 choices, with whose words they are", func(t *testing.T) {
		if len(m.RequiredUserChoices) != 3 || m.RequiredUserChoices[0].From != "proposal" ||
			m.RequiredUserChoices[2].From != "say_ur_intent" {
			t.Errorf("%+v", m.RequiredUserChoices)
		}
	})
	t.Run("R004-366 R004-367 why there is nothing to sign", func(t *testing.T) {
		if len(m.BlockingChecks) != 4 || m.BlockingChecks[3].Status != plan.CheckFail ||
			m.NonSignableReason.Code != "external_proposal_review_only" ||
			len(m.NonSignableReason.BlockedCapabilities) != 5 {
			t.Errorf("%+v %+v", m.BlockingChecks, m.NonSignableReason)
		}
	})
	t.Run("R004-365 freshness", func(t *testing.T) {
		unbounded := invoice(now)
		unbounded.ExpiresAt = time.Time{}
		for want, got := range map[string]string{
			proposal.Current:         invoice(now).Model(now.Add(time.Minute)).Freshness.Status,
			proposal.Expired:         invoice(now).Model(now.Add(time.Hour)).Freshness.Status,
			proposal.CreatedInFuture: invoice(now.Add(2 * time.Minute)).Model(now).Freshness.Status,
			proposal.NoExpiry:        unbounded.Model(now).Freshness.Status,
		} {
			if got != want {
				t.Errorf("%s, want %s", got, want)
			}
		}
	})
	hostile := invoice(now)
	hostile.Purpose = "pay \u202eten"
	if got := hostile.Model(now).ProposedAction.Purpose; !strings.Contains(got, "⟦U+202E⟧") {
		t.Errorf("hidden characters are not shown: %q", got)
	}
}

// TestProposalContract: what does not fit is refused by field, and nothing is kept.
func TestProposalContract(t *testing.T) {
	h := testkit.Start(t, time.Now, nil)
	now := h.Clock.Now()
	long := func(n int) string { return strings.Repeat("ab ", n/3) + "abcd" }
	for _, c := range []struct {
		name, field string
		code        fault.Code
		edit        func(p *proposal.Proposal)
	}{
		{"R004-347 another network", "proposal.network", fault.NetworkMismatch,
			func(p *proposal.Proposal) { p.Network = "sui:mainnet" }},
		{"R004-346 another type", "proposal.type", "", func(p *proposal.Proposal) { p.Type = "loan" }},
		{"R004-349 no payment", "proposal.payment", "", func(p *proposal.Proposal) { p.Payment = nil }},
		{"R004-350 no action", "proposal.action", "", func(p *proposal.Proposal) { p.Type = proposal.TypeSuiAction }},
		{"R004-350 no target", "proposal.action.target", "", func(p *proposal.Proposal) {
			*p = swapping(now, "swap", "SUI", "USDC")
			p.Action.Target = proposal.Target{}
		}},
		{"R004-349 nobody", "proposal.payment.recipient", "",
			func(p *proposal.Proposal) { p.Payment.Recipient = proposal.Party{} }},
		{"R004-348 ends before it begins", "proposal.expiresAt", "",
			func(p *proposal.Proposal) { p.ExpiresAt = p.CreatedAt }},
		{"R004-347 no time", "proposal.createdAt", "", func(p *proposal.Proposal) { p.CreatedAt = time.Time{} }},
		{"R004-347 no purpose", "proposal.purpose", "", func(p *proposal.Proposal) { p.Purpose = " " }},
		{"R004-355 a long purpose", "proposal.purpose", "", func(p *proposal.Proposal) { p.Purpose = long(512) }},
		{"R004-355 a long label", "proposal.payment.recipient.label", "",
			func(p *proposal.Proposal) { p.Payment.Recipient.Label = long(120) }},
		{"R004-355 many assumptions", "proposal.assumptions", "",
			func(p *proposal.Proposal) { p.Assumptions = strings.Fields(strings.Repeat("so ", 21)) }},
		{"R004-351 another kind", "proposal.payment.amount.amountKind", "",
			func(p *proposal.Proposal) { p.Payment.Amount.AmountKind = "raw" }},
		{"R004-356 a coin type that is none", "proposal.payment.amount.coinType", "",
			func(p *proposal.Proposal) { p.Payment.Amount.CoinType = "gold" }},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := invoice(now)
			c.edit(&p)
			_, err := h.Reviews.PrepareProposal(context.Background(), p)
			if c.code == "" {
				c.code = fault.InputInvalid
			}
			if f := fault.As(err); err == nil || f.Code != c.code || f.Detail.Get("field") != c.field {
				t.Errorf("%v", err)
			}
		})
	}
	for _, amount := range []string{"", "0", "0.00", "-1", "+1", "1,000", "1e3", "5 SUI", "ten", ".5", "5.", "01",
		"1.1234567890123456789", strings.Repeat("9", 41)} {
		t.Run("R004-352 "+amount, func(t *testing.T) {
			p := invoice(now)
			p.Payment.Amount.AmountDisplay = sui.Decimal(amount)
			if _, err := h.Reviews.PrepareProposal(context.Background(), p); !fault.Is(err, fault.InputInvalid) {
				t.Errorf("%v", err)
			}
		})
	}
	for _, amount := range []sui.Decimal{"100", "100.25", "0.5"} {
		p := invoice(now)
		p.Payment.Amount.AmountDisplay = amount
		if _, err := h.Reviews.PrepareProposal(context.Background(), p); err != nil {
			t.Errorf("R004-352 %s: %v", amount, err)
		}
	}
}

// TestProposalSecrets puts secrets into every text: each is refused, told by
// field and class, and in no file of the store.
func TestProposalSecrets(t *testing.T) {
	other := sui.MustAddress("0x" + strings.Repeat("77", 32))
	var kept error
	h := testkit.Start(t, time.Now, func(c *review.Config) {
		c.Known = func(context.Context) ([]sui.Address, error) { return []sui.Address{sandbox.Account}, kept }
	})
	const phrase = "legal winner thank year wave sausage worth useful legal winner thank yellow"
	now := h.Clock.Now()
	key := sui.MustAddress("0x" + strings.Repeat("11", 32)) // owns the sandbox's account
	for _, c := range []struct {
		name, field, class, marker string
		edit                       func(p *proposal.Proposal)
	}{
		{"R004-356 a phrase as the purpose", "proposal.purpose", "recovery_phrase", phrase,
			func(p *proposal.Proposal) { p.Purpose = phrase }},
		{"R004-356 a phrase as an amount", "proposal.payment.amount.amountDisplay", "recovery_phrase", phrase,
			func(p *proposal.Proposal) { p.Payment.Amount.AmountDisplay = phrase }},
		{"R004-356 a phrase as a coin type", "proposal.payment.amount.coinType", "recovery_phrase", phrase,
			func(p *proposal.Proposal) { p.Payment.Amount.CoinType = phrase }},
		{"R004-356 a phrase over two assumptions", "proposal.assumptions", "recovery_phrase", phrase[:42],
			func(p *proposal.Proposal) { p.Assumptions = []string{phrase[:42], phrase[43:]} }},
		{"R004-356 a key that is a recipient", "proposal.payment.recipient.address", "key_of_address", key.String(),
			func(p *proposal.Proposal) { p.Payment.Recipient.Address = &key }},
		{"R004-356 a key that is called an object", "proposal.purpose", "key_of_address", key.String(),
			func(p *proposal.Proposal) { p.Purpose = "about the object " + key.String() }},
		{"R004-356 a key inside a coin type", "proposal.payment.amount.coinType", "key_of_address", key.String(),
			func(p *proposal.Proposal) { p.Payment.Amount.CoinType = key.String() + "::a::B" }},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := invoice(now)
			c.edit(&p)
			_, err := h.Reviews.PrepareProposal(context.Background(), p)
			f := fault.As(err)
			if err == nil || f.Code != fault.InputInvalid || f.Detail.Get("field") != c.field ||
				f.Detail.Get("class") != c.class {
				t.Fatalf("%v", err)
			}
			for i := range len(c.marker) - 12 {
				if piece := c.marker[i : i+12]; strings.Contains(f.Error(), piece) || strings.Contains(f.Text, piece) {
					t.Errorf("the refusal repeats %q", piece)
				}
			}
			files, err := filepath.Glob(filepath.Join(h.Dir(), "*"))
			if err != nil || len(files) == 0 {
				t.Fatal("the store has no files")
			}
			for _, file := range files {
				if raw, _ := os.ReadFile(file); strings.Contains(string(raw), c.marker) {
					t.Errorf("%s holds it", filepath.Base(file))
				}
			}
		})
	}
	fine := invoice(now)
	fine.Payment.Recipient.Address = &other
	if _, err := h.Reviews.PrepareProposal(context.Background(), fine); err != nil {
		t.Errorf("an address that is a key of nobody known: %v", err)
	}
	kept = errors.New("the store is away")
	if _, err := h.Reviews.PrepareProposal(context.Background(), fine); err == nil {
		t.Error("accepted without knowing whose keys to look for")
	}
}

// TestInstead: what an adapter can do is offered as a request of the user's own, and nothing else
// is.
func TestInstead(t *testing.T) {
	h := testkit.Start(t, time.Now, nil)
	now := h.Clock.Now()
	edit := func(change func(*proposal.Proposal)) proposal.Proposal {
		p := invoice(now)
		change(&p)
		return p
	}
	elsewhere := swapping(now, "swap", "SUI", "USDC")
	elsewhere.Action.Recipient = &proposal.Party{Address: &payee}
	at := func(p proposal.Proposal, to proposal.Target) proposal.Proposal { p.Action.Target = to; return p }
	theirs := target("balance_manager", "deposit")
	theirs.PackageID = &payee
	for _, c := range []struct {
		name   string
		p      proposal.Proposal
		action string // "" for none
		needs  []string
	}{
		{"a payment of a pinned coin", invoice(now), "transfer", []string{}},
		{"a payment to a label", edit(func(p *proposal.Proposal) { p.Payment.Recipient.Address = nil }), "transfer",
			[]string{"intent.recipient"}},
		{"a payment of dollars", edit(func(p *proposal.Proposal) { p.Payment.Amount.Symbol = "" }), "transfer",
			[]string{"intent.from.symbol"}},
		{"a payment of a coin that is not pinned", edit(func(p *proposal.Proposal) { p.Payment.Amount.Symbol = "GOLD" }), "",
			nil},
		{"a payment of a coin that is not pinned, to a label", edit(func(p *proposal.Proposal) {
			p.Payment.Amount.Symbol, p.Payment.Recipient.Address = "GOLD", nil
		}), "", nil},
		{"a payment of another coin of that name", edit(func(p *proposal.Proposal) {
			p.Payment.Amount.CoinType = payee.String() + "::usdc::USDC"
		}), "", nil},
		{"a swap", swapping(now, "Token Swap", "SUI", "USDC"), "swap", []string{"intent.maxSlippageBps"}},
		{"a swap for somebody else", elsewhere, "", nil},
		{"a swap of a coin with itself", swapping(now, "swap", "SUI", "SUI"), "", nil},
		{"a deposit", at(swapping(now, "deposit", "SUI", ""), target("balance_manager", "deposit")), "manager-deposit",
			[]string{}},
		{"a withdrawal", at(swapping(now, "withdraw", "", "SUI"), target("balance_manager", "withdraw")), "manager-withdraw",
			[]string{}},
		{"an order", at(swapping(now, "place limit order", "SUI", "USDC"), target("pool", "place_limit_order")),
			"limit-order",
			[]string{"intent.order.pool", "intent.order.side", "intent.order.price", "intent.order.quantity"}},
		{"a deposit with anybody", at(swapping(now, "deposit", "SUI", ""), proposal.Target{Label: "YieldBot vault"}), "",
			nil},
		{"a deposit in a package of somebody else", at(swapping(now, "deposit", "SUI", ""), theirs), "", nil},
		{"a deposit by another function of ours", at(swapping(now, "deposit", "SUI", ""), target("pool",
			"swap_exact_base_for_quote")), "", nil},
		{"a deposit by another module of ours", at(swapping(now, "deposit", "SUI", ""), target("vault", "deposit")), "", nil},
		{"a deposit without a function", at(swapping(now, "deposit", "SUI", ""), target("", "")), "", nil},
		{"a stake", swapping(now, "stake", "SUI", ""), "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			way := h.Reviews.InsteadOf(c.p)
			if c.action == "" {
				if way != nil {
					t.Errorf("offered %+v", way)
				}
				return
			}
			if way == nil || way.Intent.Type != c.action || way.Message == "" {
				t.Fatalf("%+v", way)
			}
			if diff := cmp.Diff(c.needs, way.StillNeeded); diff != "" {
				t.Error(diff)
			}
		})
	}
	if way := h.Reviews.InsteadOf(invoice(now)); way != nil {
		h.Connect(sandbox.Account)
		if _, err := h.Reviews.Prepare(context.Background(), way.Intent); err != nil {
			t.Errorf("what is offered cannot be prepared: %v", err)
		}
	}
}
