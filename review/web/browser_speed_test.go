package web_test

import (
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/testkit"
)

// seen records when an element was first visible in a document, in milliseconds since 1970.
const seen = `window.seen = {};
const note = (what) => { window.seen[what] ??= performance.timeOrigin + performance.now(); };
const look = () => {
  if (document.querySelector('[data-part="sign"]')?.ariaDisabled === 'false') note('armed');
  if (document.querySelector('.found table')) note('found');
  const stage = document.getElementById('view')?.dataset.stage;
  if (stage) note('stage ' + stage);
  const title = document.querySelector('main h1')?.textContent;
  if (title) note(title);
};
new MutationObserver(look).observe(document, { attributes: true, childList: true, characterData: true, subtree: true });
addEventListener('click', ({ target }) => note('click ' + (target.closest('[data-action]')?.dataset.action ?? target.type)), { capture: true });`

// at waits until something is visible and returns when that happened first.
func (b *tab) at(what string) float64 {
	b.t.Helper()
	b.wait("window.seen?." + "[" + strconv.Quote(what) + "] !== undefined")
	ms, err := strconv.ParseFloat(b.eval("window.seen["+strconv.Quote(what)+"]"), 64)
	if err != nil {
		b.t.Fatal(err)
	}
	return ms
}

func milliseconds(t time.Time) float64 { return float64(t.UnixMicro()) / 1000 }

// TestMeasurePages measures how long a user waits for pages, in Chromium with a sandbox in this
// process. It checks nothing: make bench prints the results.
func TestMeasurePages(t *testing.T) {
	if os.Getenv("SAY_UR_INTENT_MEASURE") == "" {
		t.Skip("it measures; run make bench")
	}
	const rounds = 15
	j := newJob(t, nil)
	j.bundled()
	b := newBrowser(t)
	j.withWallet()
	home := b.another()
	for _, page := range []*tab{b, home} {
		page.inject(seen)
	}
	home.open(j.link(pagetoken.Home, pagetoken.HomeSubject))
	home.at("Nothing needs you")
	took := map[string][]float64{}
	measured := func(what string, from, to float64) { took[what] = append(took[what], to-from) }
	for i := range rounds {
		begin := milliseconds(time.Now())
		s, _, err := j.reviews.PrepareLooking(t.Context(), testkit.Swap(strconv.Itoa(10+i), "SUI", "USDC"))
		if err != nil {
			t.Fatal(err)
		}
		b.open(j.origin + "/review/" + string(s.ID))
		measured("tool call to Sign enabled", begin, b.at("armed"))
		b.click(`[data-part="whatif"] summary`)
		b.fill(`[name="amount"]`, "5")
		b.click(`[data-form="whatif"] button`)
		found := b.at("found")
		measured("what if", b.at("click submit"), found)
		b.wait(`document.querySelector('[data-part="sign"]')?.ariaDisabled === 'false'`)
		b.click(`[data-action="sign"]`)
		done := b.at("stage success")
		measured("sign to receipt", b.at("click sign"), done)
		if got := j.session(s.ID); got.Status != record.Success {
			t.Fatal(got.Status)
		}
	}
	home.wait(`document.querySelector('main h1').textContent === 'Nothing needs you'`)
	for i := range rounds {
		home.eval(`(() => { window.seen = {}; })()`)
		s, err := j.reviews.Prepare(t.Context(), testkit.Swap(strconv.Itoa(50+i), "SUI", "USDC"))
		if err == nil {
			s, err = j.reviews.Opened(t.Context(), s.ID)
		}
		if err != nil {
			t.Fatal(err)
		}
		home.at("1 thing needs you")
		begin := milliseconds(time.Now())
		if _, err := j.reviews.Outcome(t.Context(), s.ID, "", record.OutcomeDeclined); err != nil {
			t.Fatal(err)
		}
		measured("news on an open page", begin, home.at("Nothing needs you"))
	}
	for what, list := range took {
		slices.Sort(list)
		t.Logf("%-26s median %4.0f ms, slowest %4.0f ms, of %d", what, list[len(list)/2], list[len(list)-1], len(list))
	}
}
