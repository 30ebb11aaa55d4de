package web_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/proposal"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/workspace"
)

// TestProposalNamesOwnProject checks that a review that is blocked because it calls the user's own
// package names its project.
func TestProposalNamesOwnProject(t *testing.T) {
	own, other := sui.MustAddress("0xbb"), sui.MustAddress("0xcc")
	r := newRig(t, func(c *config) {
		c.Locate = func(_ context.Context, pkg, module, function string) (workspace.Place, bool) {
			p := workspace.Place{Project: "my-vault", Package: "my_vault"}
			if module == "vault" && function == "rebalance" {
				p.File, p.Line = "sources/vault.move", 5
			}
			return p, pkg == own.String()
		}
	})
	view := func(pkg sui.Address, function string) string {
		p := proposed(time.Now())
		p.Type, p.Payment = proposal.TypeSuiAction, nil
		p.Action = &proposal.Action{ActionKind: "call", Target: proposal.Target{PackageID: &pkg, Module: "vault",
			Function: function}}
		s, err := r.reviews.PrepareProposal(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		return r.do("GET", "/api/review/"+string(s.ID)+"/view", r.token(pagetoken.Review, string(s.ID)), nil).body
	}
	if body := view(own, "rebalance"); !strings.Contains(body, "sources/vault.move:5 in your project my-vault") ||
		strings.Contains(body, `data-action="sign"`) {
		t.Error(body)
	}
	if body := view(own, "gone"); !strings.Contains(body, "the package my_vault of your project my-vault") {
		t.Error(body)
	}
	if body := view(other, "rebalance"); strings.Contains(body, "my-vault") {
		t.Error(body)
	}
}
