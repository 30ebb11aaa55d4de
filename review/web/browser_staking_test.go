package web_test

import (
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/flowx"
	flowxswap "github.com/sayurintent/sayurintent/internal/protocol/flowx/swap"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui/rpc"
	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/review"
)

// TestBrowserStaking stakes with a validator and withdraws the stake with the test wallet.
func TestBrowserStaking(t *testing.T) {
	inBrowser(t)
	j, b, dir := newJob(t, nil), newBrowser(t), screenshotDir(t)
	j.withWallet()
	_, list, err := j.house.Node.Validators(t.Context())
	if err != nil || len(list) == 0 {
		t.Fatalf("%d validators, %v", len(list), err)
	}
	validator := list[0].Address.String()
	j.show(b, dir, "stake", plan.Intent{Type: "stake", From: plan.IntentSource{Symbol: "SUI", Amount: "10"},
		Own: plan.Own{"validator": validator}}, "Stake 10 SUI with a validator", "You pay exactly 10 SUI", "Gas, at most")
	b.wordBudget(t, "a stake", 150)
	b.size(1280, 900)
	j.signed(b, dir, "stake", "Staked 10 SUI", "Stake")
	stake := b.eval(`[...document.querySelectorAll('.receipt .row')].find(at => at.querySelector('dt')?.textContent === 'Stake').querySelector('.address').textContent`)
	j.show(b, dir, "unstake", plan.Intent{Type: "unstake",
		Own: plan.Own{"stakedSuiId": stake}, To: plan.IntentTarget{Symbol: "SUI"}},
		"10 SUI", "Gas, at most")
	j.signed(b, dir, "unstake", "10 SUI arrived")
	if said := b.complaints(); len(said) > 0 {
		t.Error(said)
	}
}

// TestBrowserWhatIfVenue compares a swap on DeepBook with the same swap on FlowX, and uses the
// latter.
func TestBrowserWhatIfVenue(t *testing.T) {
	inBrowser(t)
	j := newJob(t, func(c *review.Config) {
		c.Adapters = append(c.Adapters, flowxswap.New(flowx.New(c.Chain.(*rpc.Client), c.Now), nil))
	})
	j.bundled()
	b := newBrowser(t)
	j.withWallet()
	b.open(j.link(pagetoken.Home, pagetoken.HomeSubject))
	b.wait(`document.body.dataset.session === 'wide'`)
	in := testkit.Swap("10", "SUI", "USDC")
	in.Protocol = "deep"
	id, _ := j.prepare(in)
	b.open(j.origin + "/review/" + string(id))
	b.waitStage("ready")
	b.click(`[data-part="whatif"] summary`)
	if got := b.eval(`[...document.querySelector('[name="venue"]').options].map((at) => at.label).join()`); got != "DeepBook,FlowX" {
		t.Errorf("venues: %s", got)
	}
	b.do(chromedp.SetValue(chromedp.CSS(`[name="venue"]`), "flowx"))
	b.click(`[data-form="whatif"] button`)
	b.waitText("Instead")
	b.says([]string{"You get at least", "FlowX", "Use this instead"}, nil)
	b.pictures(screenshotDir(t), "whatif-venue")
	b.click(`[data-action="instead"]`)
	b.waitText("You changed this request. Before: swap 10 SUI to USDC")
	b.waitStage("ready")
	b.says([]string{"FlowX"}, nil)
	now, err := j.reviews.Get(t.Context(), id)
	if err != nil || now.ReplacedBy() == "" {
		t.Fatalf("%v %+v", err, now.Execution)
	}
	if next := j.session(now.ReplacedBy()); next.Protocol != "flowx" {
		t.Errorf("the new review is on %s", next.Protocol)
	}
	b.click(`[data-action="sign"]`)
	b.waitStage("success")
	if s := j.session(now.ReplacedBy()); s.Status != record.Success {
		t.Error(s.Status)
	}
	if said := b.complaints(); len(said) > 0 {
		t.Error(said)
	}
}
