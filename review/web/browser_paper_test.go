package web_test

import (
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/testkit"
)

// legible reports whether an element can be read: it is drawn, and nothing covers it.
const legible = `((selector) => {
  const at = document.querySelector(selector);
  if (!at?.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return 'not drawn';
  at.scrollIntoView({ block: 'center' });
  const { left, top, width, height } = at.getBoundingClientRect();
  const over = document.elementFromPoint(left + width / 2, top + height / 2);
  return at.contains(over) || over?.contains(at) ? '' : 'covered by ' + over?.outerHTML.slice(0, 80);
})(%q)`

// TestBrowserPrints prints reviews. The guarantee, the recipient and the note about practice coins
// are on paper; buttons are not.
func TestBrowserPrints(t *testing.T) {
	inBrowser(t)
	j, b := newJob(t, nil), newBrowser(t)
	j.withWallet()
	print := func(media string) {
		t.Helper()
		if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia,
			emulation.SetEmulatedMediaParams{Media: media}); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name, fact string
		intent     plan.Intent
	}{
		{"a swap", `[data-fact="Guaranteed"]`, testkit.Swap("10", "SUI", "USDC")},
		{"a payment", `[data-fact="Paid to"] .address`, payOf("5", stepAlice)},
	} {
		_, link := j.prepare(c.intent)
		b.open(link)
		b.waitStage("ready")
		for _, width := range []int64{1280, 720, 390} {
			b.size(width, 900)
			print("print")
			for _, at := range []string{"h1", c.fact, ".deal .money", ".strip"} {
				if why := b.eval(fmt.Sprintf(legible, at)); why != "" {
					t.Errorf("%s on paper %d wide: %s is %s", c.name, width, at, why)
				}
			}
			for _, at := range []string{".rail", ".pages", `[data-part="sign"]`, `[data-action="decline"]`} {
				if why := b.eval(fmt.Sprintf(legible, at)); why != "not drawn" {
					t.Errorf("%s on paper %d wide shows %s", c.name, width, at)
				}
			}
			print("")
		}
	}
}

// placed returns the position of a part of the first element that matches a selector.
const placed = `((selector, words) => {
  const walker = document.createTreeWalker(document.querySelector(selector), NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const from = node.data.replaceAll('\u00a0', ' ').indexOf(words);
    if (from < 0) continue;
    const range = document.createRange();
    range.setStart(node, from);
    range.setEnd(node, from + words.length);
    const { left, right, top, bottom } = range.getBoundingClientRect();
    return { left, right, top, bottom };
  }
  return null;
})`

// flipped returns the first character of the recipient's address that is drawn before its
// predecessor.
const flipped = `(() => {
  const walker = document.createTreeWalker(document.querySelector('.deal .payee .address'), NodeFilter.SHOW_TEXT);
  let before = { right: -1, bottom: -1 };
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    for (let at = 0; at < node.length; at += 1) {
      const range = document.createRange();
      range.setStart(node, at);
      range.setEnd(node, at + 1);
      const here = range.getBoundingClientRect();
      if (here.left < before.right - 1 && here.top < before.bottom - 1) return node.data.slice(at);
      before = here;
    }
  }
  return '';
})()`

// TestBrowserLeftward gives a recipient a right-to-left name. Sentences and addresses keep their
// order.
func TestBrowserLeftward(t *testing.T) {
	inBrowser(t)
	j, b := newJob(t, nil), newBrowser(t)
	svc := j.bundled()
	const name = "שלום"
	j.knownPayee(name, stepAlice)
	j.withWallet()
	inOrder := func(selector string, words ...string) {
		t.Helper()
		b.size(1280, 900)
		b.eval(fmt.Sprintf(`document.querySelector(%q).style.whiteSpace = 'nowrap'`, selector))
		for i := 1; i < len(words); i++ {
			if got := b.eval(fmt.Sprintf(`(([before, after]) => String(Boolean(before && after && before.right <= after.left + 1)))([%q, %q].map((words) => %s(%q, words)))`, words[i-1], words[i], placed,
				selector)); got != "true" {
				t.Errorf("%s: %q does not come before %q", b.eval(fmt.Sprintf(`document.querySelector(%q).textContent`, selector)),
					words[i-1], words[i])
			}
		}
		b.eval(fmt.Sprintf(`document.querySelector(%q).style.whiteSpace = ''`, selector))
	}
	_, link := j.prepare(payOf("5", stepAlice))
	b.open(link)
	b.waitStage("ready")
	inOrder("h1", "Send", "5", "SUI", "to", "שלום")
	b.says([]string{name}, nil)
	if got := b.address(`.deal .payee .address`); got != stepAlice {
		t.Errorf("the page shows %s", got)
	}
	if got := b.eval(flipped); got != "" {
		t.Errorf("the address is drawn in another order, from %s on", got)
	}
	b.pictures(screenshotDir(t), "leftward")
	made, err := svc.Ask(t.Context(), "Weekly", false, stepsOf(testkit.Swap("10", "SUI", "USDC"), payOf("3", stepAlice),
		pay("2", "USDC", stepAlice)))
	if err != nil {
		t.Fatal(err)
	}
	b.open(j.link(pagetoken.Bundle, string(made.ID)))
	b.waitText("Spend up to 10 SUI and pay")
	inOrder("h1", "Spend", "10", "SUI", "pay", "שלום", "3", "USDC", "in 3 steps")
	b.pictures(screenshotDir(t), "leftward-bundle")
}
