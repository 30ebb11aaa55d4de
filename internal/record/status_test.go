package record

import (
	"testing"

	"github.com/sayurintent/sayurintent/internal/plan"
)

func TestStatusWords(t *testing.T) {
	polling := map[Status]string{Proposed: "pending", AwaitingWallet: "awaiting_wallet",
		WalletConnected: "awaiting_signature",
		Ready:           "awaiting_signature", RefreshRequired: "refresh_required", Blocked: "blocked",
		SignedPendingResult: "signed_pending_result", Success: "success", Failure: "failure", Expired: "expired"}
	category := map[Status]string{Proposed: "non_terminal", AwaitingWallet: "non_terminal",
		WalletConnected: "non_terminal",
		Ready:           "non_terminal", RefreshRequired: "user_action_required", Blocked: "user_action_required",
		SignedPendingResult: "awaiting_chain_result", Success: "final", Failure: "final", Expired: "final"}
	for _, s := range Statuses() {
		if s.Polling() != polling[s] {
			t.Errorf("polling word of %s is %s", s, s.Polling())
		}
		if s.Category() != category[s] {
			t.Errorf("R004-442: category of %s is %s", s, s.Category())
		}
		for _, to := range Statuses() {
			if s.Terminal() && s.CanMove(to) {
				t.Errorf("%s is final and moves to %s", s, to)
			}
			if s == SignedPendingResult && to == Expired && s.CanMove(to) {
				t.Error("a signed transaction expires")
			}
		}
	}
	for _, r := range append(plan.BlockedReasons(), plan.RefreshReasons()...) {
		if StatusOf(r) == "" {
			t.Errorf("%s belongs to no status", r)
		}
	}
}
