package web_test

import (
	"testing"

	"github.com/sayurintent/sayurintent/internal/pass"
	"github.com/sayurintent/sayurintent/review"
)

// TestBrowserShowsEveryStatus opens the review page in every status that a
// review can have, and looks at it in both themes, wide and narrow.
func TestBrowserShowsEveryStatus(t *testing.T) {
	r := newRig(t, nil)
	b := newBrowser(t)
	dir := screenshotDir(t)
	for _, c := range []struct {
		status       review.Status
		stage, words string
	}{
		{review.Ready, "ready", "Guaranteed to arrive in your own account: at least 12.84573 USDC"},
		{review.RefreshRequired, "refresh", "The figures are too old"},
		{review.Blocked, "blocked", "There is not enough in your account"},
		{review.SignedPendingResult, "pending", "Signed, and not known whether it arrived"},
		{review.Success, "success", "12.975485 USDC"},
		{review.Failure, "failure", "The chain ran it, and it failed"},
		{review.Expired, "expired", "This review has expired"},
	} {
		t.Run(string(c.status), func(t *testing.T) {
			s, materials := sample(t, c.status)
			b.t = t
			b.open(r.link(pass.Review, r.put(s, materials)))
			b.waitStage(c.stage)
			b.waitText(c.words)
			b.pictures(dir, "status-"+string(c.status))
		})
	}
	if said := b.complaints(); len(said) > 0 {
		t.Error(said)
	}
}
