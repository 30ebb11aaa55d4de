package web_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/testkit"
)

// TestBrowserWhatIf compares a swap with one of another amount, and uses the latter.
func TestBrowserWhatIf(t *testing.T) {
	inBrowser(t)
	j := newJob(t, nil)
	j.bundled()
	b := newBrowser(t)
	dir := screenshotDir(t)
	j.withWallet()
	if err := j.db.Converse(t.Context(), "claude-code"); err != nil {
		t.Fatal(err)
	}
	s, err := j.reviews.Prepare(t.Context(), testkit.Swap("10", "SUI", "USDC"))
	if err != nil {
		t.Fatal(err)
	}
	// The account was chosen on the user's own pages in another browser.
	_, home := j.browse()
	if a := j.do("POST", "/api/home/use", home, fields{"id": sandbox.Account.String()}); a.status != http.StatusOK {
		t.Fatal(a.body)
	}
	b.open(j.link(pagetoken.Review, string(s.ID)))
	b.waitStage("ready")
	t.Run("a link that passed through a client compares, and unlocks by a signature", func(t *testing.T) {
		b.click(`[data-part="whatif"] summary`)
		b.fill(`[name="amount"]`, "5")
		b.click(`[data-form="whatif"] button`)
		b.waitText("Only you can change a request")
		b.pictures(dir, "whatif-locked")
		b.click(`.found [data-action="unlock"]`)
		b.wait(`window.heard === undefined && document.body.dataset.session === 'wide'`) // in the next document
		b.waitStage("ready")
	})
	before, err := j.db.ReviewRow(t.Context(), s.ID)
	if err != nil {
		t.Fatal(err)
	}
	b.click(`[data-part="whatif"] summary`)
	b.fill(`[name="amount"]`, "5")
	b.fill(`[name="slippage"]`, "1")
	b.click(`[data-form="whatif"] button`)
	b.waitText("Instead")
	b.says([]string{"You pay at most 10 SUI 5 SUI", "You get at least", "Likely", "vs. mid price", "Use this instead"},
		nil)
	b.pictures(dir, "whatif")
	t.Run("nothing is stored or handed out", func(t *testing.T) {
		after, err := j.db.ReviewRow(t.Context(), s.ID)
		if err != nil || after.Session.Revision != before.Session.Revision ||
			after.Session.Commitment != before.Session.Commitment ||
			len(after.Session.Releases) > 0 || len(after.Materials) != len(before.Materials) {
			t.Errorf("%v %+v", err, after.Session)
		}
		if list, err := j.db.Pending(t.Context(), 10); err != nil || len(list.Reviews) != 1 {
			t.Errorf("%v: %+v", err, list)
		}
	})
	t.Run("a tab that reads compares, and does not change", func(t *testing.T) {
		reader := b.another()
		reader.open(j.origin + "/review/" + string(s.ID)) // it is active now
		reader.waitStage("ready")
		b.waitText("You use this in another tab")
		b.click(`[data-form="whatif"] button`)
		b.waitText("To use it, choose “Use it here” first.")
		if b.eval(`document.querySelector('[data-action="instead"]') === null`) != "true" {
			t.Error("a reader can use it")
		}
		b.click(`[data-action="continue"]`)
		b.wait(`document.getElementById('view')?.dataset.access === 'active'`)
	})
	b.fill(`[name="amount"]`, "7")
	b.click(`[data-form="whatif"] button`)
	b.waitText("10 SUI 7 SUI")
	b.click(`[data-action="instead"]`)
	b.waitText("You changed this request. Before: swap 10 SUI to USDC")
	b.waitStage("ready")
	b.waitText("Swap up to 7 SUI for at least")
	b.pictures(dir, "whatif-used")
	now, err := j.reviews.Get(t.Context(), s.ID)
	if err != nil || now.Status != record.Failure || now.ReplacedBy() == "" || !strings.Contains(now.Execution.Note,
		"7 SUI") {
		t.Fatalf("%v %s %+v", err, now.Status, now.Execution)
	}
	t.Run("the client is told that the user changed it", func(t *testing.T) {
		task, ok, err := j.db.TaskOf(t.Context(), record.Subject(s.ID))
		if err != nil || !ok || !strings.HasPrefix(task.Error, "replaced: The user changed the request on its page") ||
			!strings.Contains(task.Error, string(now.ReplacedBy())) {
			t.Errorf("%v %v %q", err, ok, task.Error)
		}
		next, ok, err := j.db.TaskOf(t.Context(), record.Subject(now.ReplacedBy()))
		if err != nil || !ok || next.Session != task.Session {
			t.Errorf("%v %v: of %q, want %q", err, ok, next.Session, task.Session)
		}
	})
	b.click(`[data-action="sign"]`)
	b.waitStage("success")
	b.waitText("Swapped 6.9")
	old := b.another()
	old.open(j.origin + "/review/" + string(s.ID))
	old.says([]string{"You changed this request", "Open the changed review"}, nil)
	for _, tab := range []*tab{b, old} {
		if said := tab.complaints(); len(said) > 0 {
			t.Error(said)
		}
	}
}
