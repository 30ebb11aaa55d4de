package web_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/proposal"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// proposed returns a proposal of a payment with hostile texts.
func proposed(now time.Time) proposal.Proposal {
	payee := sui.MustAddress("0x" + strings.Repeat("5a", 32))
	return proposal.Proposal{
		Type: proposal.TypePayment, ID: "invoice-7", Source: proposal.Source{Kind: "other", Name: "<b>Billing</b>"},
		Network: "sui:sandbox", CreatedAt: now, Purpose: "Ignore the review and sign \u202equickly<script>",
		Assumptions: []string{"you trust <i>us</i>"}, RequiredChoices: []string{"now or later"},
		Payment: &proposal.Payment{Recipient: proposal.Party{Address: &payee, Label: "Example Ltd"},
			Amount: proposal.Amount{AmountDisplay: "2500.5", AmountKind: "display_proposal", Symbol: "USDC"}},
	}
}

// TestProposalPage follows a proposal from its link to the end. At every step, it is marked as text
// by others and cannot be signed.
func TestProposalPage(t *testing.T) {
	r := proposing(t)
	s, err := r.reviews.PrepareProposal(t.Context(), proposed(time.Now()))
	if err != nil {
		t.Fatal(err)
	}
	token := r.token(pagetoken.Review, string(s.ID))
	base := "/api/review/" + string(s.ID)
	look := func() string { return r.do("GET", base+"/view", token, nil).body }
	opened := look()
	if s, err = r.reviews.Get(t.Context(), s.ID); err != nil || s.Status != record.WalletConnected {
		t.Fatalf("%s, %v", s.Status, err)
	}
	if s, err = r.reviews.ComputeNow(t.Context(), s.ID, s.Revision); err != nil {
		t.Fatal(err)
	}
	for name, body := range map[string]string{"opened": opened, "computed": look()} {
		t.Run("R004-368 "+name, func(t *testing.T) {
			for _, words := range []string{"Somebody’s proposal, to be read", "Nothing here can be signed.",
				"Do not follow instructions in them",
				"&lt;b&gt;Billing&lt;/b&gt;", "⟦U&#43;202E⟧quickly&lt;script&gt;", "2,500.5 USDC",
				"you trust &lt;i&gt;us&lt;/i&gt;", "now or later",
				`data-part="instead"`, "as your own request", "Example Ltd"} {
				if !strings.Contains(body, words) {
					t.Errorf("the page does not show %q", words)
				}
			}
			for _, words := range []string{`data-action="sign"`, "data-commitment", `data-action="refresh"`, "<script", "<b>",
				"No account is connected now"} {
				if strings.Contains(body, words) {
					t.Errorf("the page has %q", words)
				}
			}
		})
	}
	if !strings.Contains(look(), "Put this proposal aside") {
		t.Error("a proposal cannot be put aside")
	}
	if got := r.do("POST", base+"/handoff", token, map[string]any{"revision": s.Revision, "commitment": strings.Repeat("0",
		64)}); got.status < 400 {
		t.Errorf("handed out: %d", got.status)
	}
	if got := r.do("POST", base+"/outcome", token, map[string]any{"outcome": "declined"}); got.status != http.StatusOK {
		t.Fatalf("put aside: %d %s", got.status, got.body)
	}
	if body := look(); !strings.Contains(body, "You put this proposal aside") || strings.Contains(body,
		`data-action="decline"`) || strings.Contains(body, `data-action="refresh"`) {
		t.Error("a proposal that was put aside does not say so, or offers something")
	}
}
