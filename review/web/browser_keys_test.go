package web_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/protocol/flowx"
	"github.com/sayurintent/sayurintent/internal/protocol/flowx/swap"
	"github.com/sayurintent/sayurintent/internal/protocol/transfer"
	"github.com/sayurintent/sayurintent/internal/sui/rpc"
	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/review"
)

// stop is an element at which the Tab key stops.
type stop struct {
	Place        int  // position among all such elements in document order
	Parts        bool // it contains further stops
	Name, Ring   string
	Inside, Seen bool
}

// keyed moves through the whole page with the Tab key, at both widths. It fails if an interactive
// element is not reached, is out of order, has no name, or shows no focus.
func (b *tab) keyed() {
	b.t.Helper()
	for _, width := range []int64{1280, 320} {
		b.size(width, 700)
		// An update can disable Sign for a moment, which changes the order, so walk may be
		// repeated.
		var wrong string
		for tries := 0; tries < 3; tries++ {
			if wrong = b.walk(width); wrong == "" {
				break
			}
		}
		if wrong != "" {
			b.t.Fatal(wrong)
		}
	}
	b.size(1280, 900)
}

// walk moves once through all focusable elements, and returns what is wrong.
func (b *tab) walk(width int64) string {
	b.t.Helper()
	if b.eval(`document.querySelector('[data-action="sign"]') !== null && document.getElementById('view').dataset.stage === 'ready'`) == "true" {
		// Every update disables it again for a moment.
		b.wait(`document.querySelector('[data-action="sign"]')?.ariaDisabled === 'false'`)
	}
	b.eval(`(window.reach = [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]')]
		  .filter((at) => !at.disabled && at.checkVisibility() && (at.type !== 'radio' || at.checked))) && document.activeElement?.blur()`)
	var all int
	if err := json.Unmarshal([]byte(b.eval("reach.length")), &all); err != nil || all < 2 {
		b.t.Fatalf("%d things can be reached, %v", all, err)
	}
	b.eval(`(() => { const at = document.createElement('span'); at.tabIndex = -1; document.body.prepend(at); at.focus(); at.remove(); })()`)
	for place := range all {
		var s stop
		for tries := 0; tries == 0 || s.Place == place-1 && s.Parts && tries < 5; tries++ {
			b.press("\t") // a date field has several stops
			if err := json.Unmarshal([]byte(b.eval(focused)), &s); err != nil {
				b.t.Fatal(err)
			}
		}
		switch {
		case s.Place != place:
			return fmt.Sprintf("at %d pixels, stop %d of %d is %q, which is place %d: something is out of order, or not reached",
				width, place, all, s.Name, s.Place)
		case strings.TrimSpace(s.Name) == "":
			b.t.Errorf("at %d pixels, stop %d has no name", width, place)
		case !s.Seen || !s.Inside:
			b.t.Errorf("at %d pixels, %q has the focus, and nobody sees it: ring %s, in sight %v", width, s.Name, s.Ring,
				s.Inside)
		}
	}
	return ""
}

// focused describes the focused element. An element as tall as the window counts as visible if part
// of it is.
const focused = `JSON.stringify((() => {
  const at = document.activeElement;
  const box = at.getBoundingClientRect();
  const style = getComputedStyle(at);
  const label = at.labels?.[0]?.innerText ?? (at.getAttribute('aria-labelledby') && document.getElementById(at.getAttribute('aria-labelledby'))?.innerText);
  return {
    Place: reach.indexOf(at),
    Parts: at.type === 'date',
    Name: at.ariaLabel || label || at.innerText || at.title || '',
    Ring: style.outlineStyle + ' ' + style.outlineWidth,
    Seen: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2,
    Inside: box.bottom > 0 && box.top < innerHeight && (box.height > innerHeight || box.top >= -1 && box.bottom <= innerHeight + 1),
  };
})())`

// TestBrowserKeys moves through pages with the Tab key: a review in every state, and other pages.
func TestBrowserKeys(t *testing.T) {
	inBrowser(t)
	past := &pastNode{t: pastSample(t)}
	r := newRig(t, func(c *config) { c.Receipts = past })
	r.use(person, "Sandbox test wallet")
	b := newBrowser(t)
	for _, c := range stageWords {
		t.Run(c.stage, func(t *testing.T) {
			b.t = t
			s, materials := sample(t, c.status)
			b.open(r.link(pagetoken.Review, r.put(s, materials)))
			b.waitStage(c.stage)
			if c.stage == "ready" {
				b.wait(`document.querySelector('[data-action="sign"]')?.ariaDisabled === 'false'`)
			}
			b.keyed()
		})
	}
	t.Run("receipt", func(t *testing.T) {
		b.t = t
		b.open(r.origin + "/receipt/" + sampleDigest(t))
		b.waitText("Show what happened")
		b.keyed()
		b.enter(`[data-action="look"]`)
		b.waitText("The chain executed it")
		b.wait(`document.querySelector('[data-action="look"]').disabled === false`)
		b.keyed()
	})
	t.Run("home", func(t *testing.T) {
		b.t = t
		b.open(r.link(pagetoken.Home, pagetoken.HomeSubject))
		b.waitText("need you")
		b.keyed()
	})
	t.Run("nothing here", func(t *testing.T) {
		b.t = t
		b.open(r.origin + "/nothing")
		b.keyed()
	})
}

// onFlowX returns a job whose swaps use FlowX.
func onFlowX(t *testing.T) *job {
	t.Helper()
	return newJob(t, func(c *review.Config) {
		c.Adapters = []plan.Adapter{swap.New(flowx.New(c.Chain.(*rpc.Client), c.Now), nil)}
	})
}

// swapOnFlowX returns a swap on FlowX. testkit.Swap uses DeepBook.
func swapOnFlowX(amount, from, to string) plan.Intent {
	in := testkit.Swap(amount, from, to)
	in.Protocol = "flowx"
	return in
}

// TestBrowserFlowX swaps on FlowX, using only the keyboard.
func TestBrowserFlowX(t *testing.T) {
	inBrowser(t)
	j, b, dir := onFlowX(t), newBrowser(t), screenshotDir(t)
	j.withWallet()
	j.show(b, dir, "flowx", swapOnFlowX("10", "SUI", "USDC"), "You get at least", "FlowX", "Likely")
	if huge, hoped := b.fontSize(".money.hero"), b.fontSize(".aside.below"); huge < 2*hoped {
		t.Errorf("what is guaranteed is printed in %v pixels, what is hoped for in %v", huge, hoped)
	}
	j.signed(b, dir, "flowx", "Arrived in your account")
	if said := b.complaints(); len(said) > 0 {
		t.Error(said)
	}
}

// fontSize returns the font size of the first element of a selector, in pixels.
func (b *tab) fontSize(selector string) float64 {
	b.t.Helper()
	var px float64
	if err := json.Unmarshal([]byte(b.eval(fmt.Sprintf("parseFloat(getComputedStyle(document.querySelector(%q)).fontSize)",
		selector))), &px); err != nil {
		b.t.Fatal(err)
	}
	return px
}

// proposing returns a page server with the only adapter to which a proposal can lead.
func proposing(t *testing.T) *rig {
	t.Helper()
	r := newRig(t, nil)
	r.reviews.Close()
	r.reviews = review.New(review.Config{Store: r.db, Hub: r.hub, Now: time.Now, Network: "sui:sandbox", Active: r.active,
		Compare:  asStored,
		Adapters: []plan.Adapter{transfer.New(registry.NoWallet, nil)}})
	t.Cleanup(r.reviews.Close)
	r.host = ""
	r.serve(nil)
	return r
}

// TestBrowserProposal reads a proposal and dismisses it, using only the keyboard.
func TestBrowserProposal(t *testing.T) {
	inBrowser(t)
	r, b, dir := proposing(t), newBrowser(t), screenshotDir(t)
	s, err := r.reviews.PrepareProposal(t.Context(), proposed(time.Now()))
	if err != nil {
		t.Fatal(err)
	}
	b.open(r.link(pagetoken.Review, string(s.ID)))
	b.says([]string{"Somebody’s proposal, to be read", "Do not follow instructions in them", "2,500.5 USDC",
		"Your decisions",
		"Put this proposal aside"}, []string{"Sign in", "Guaranteed", "quickly<script> and"})
	b.pictures(dir, "proposal")
	b.keyed()
	b.enter(`[data-action="decline"]`)
	b.says([]string{"You put this proposal aside"}, []string{"Put this proposal aside"})
	b.unharmed("the proposal")
	b.pictures(dir, "proposal-aside")
}
