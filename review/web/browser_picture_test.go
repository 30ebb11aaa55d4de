package web_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
)

// outsideWords lists words in the drawings that exceed the drawing or their block, overlap others,
// or are compressed or stretched by more than a quarter, in the font of the page.
const outsideWords = `JSON.stringify([...document.querySelectorAll('.pictures svg, .graph svg')].flatMap((svg) => {
  const whole = { x: 0, y: 0, width: svg.viewBox.baseVal.width, height: svg.viewBox.baseVal.height };
  const blocks = [...svg.querySelectorAll('.g-box')].map((at) => at.getBBox());
  const boxes = [...svg.querySelectorAll('text')].map((at) => [at, at.getBBox()]);
  const natural = (at) => {
    const free = at.cloneNode(true);
    free.removeAttribute('textLength');
    at.after(free);
    const wide = free.getComputedTextLength();
    free.remove();
    return wide;
  };
  return boxes.filter(([at, b], i) => {
    const frame = blocks.find((o) => o.y < b.y + b.height / 2 && b.y + b.height / 2 < o.y + o.height) ?? whole;
    const scale = at.hasAttribute('textLength') ? b.width / natural(at) : 1;
    return !(b.width > 0) || b.x < frame.x || b.y < frame.y || b.x + b.width > frame.x + frame.width
      || b.y + b.height > frame.y + frame.height || scale < 0.75 || scale > 1.25
      || boxes.some(([, o], j) => i < j && b.x < o.x + o.width && o.x < b.x + b.width && b.y < o.y + o.height && o.y < b.y + b.height);
  }).map(([at, b]) => [at.textContent, b.x, b.y, b.width, b.height, b.width / natural(at)]);
}))`

// laddered reports whether exactly one ladder is drawn, its prices fall from row to row, the market
// and the user's order have one row each, and each offer has a bar and an amount.
const laddered = `((rows) => document.querySelectorAll('.ladder').length === 1
  && ['own', 'market'].every((kind) => rows.filter((at) => at.classList.contains(kind)).length === 1)
  && ['seller', 'buyer'].every((kind) => rows.some((at) => at.classList.contains(kind)))
  && rows.map((at) => Number(at.cells[0].textContent)).every((price, i, all) => price > 0 && (!i || price <= all[i - 1]))
  && rows.filter((at) => at.matches('.seller, .buyer')).every((at) => at.querySelector('.bar rect') && at.cells[2].textContent.trim())
  && rows.find((at) => at.matches('.own')).innerText.includes('Your order: sell 10 SUI')
  )([...document.querySelectorAll('.ladder tbody tr')])`

// outsideOfLadder lists cells of the ladder that exceed the page, whose contents exceed them, or in
// which a word wraps.
const outsideOfLadder = `JSON.stringify([...document.querySelectorAll('.ladder :is(th, td)')].filter((at) => at.checkVisibility() && !at.closest('thead')).filter((at) => {
  const cell = at.getBoundingClientRect();
  const range = document.createRange();
  return cell.left < 0 || cell.right > innerWidth || [...at.childNodes].some((node) => {
    if (node.className === 'unseen') return false;
    for (const { 0: word, index } of node.nodeType === Node.TEXT_NODE ? node.data.matchAll(/\S+/g) : []) {
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      if (range.getClientRects().length > 1) return true;
    }
    range.selectNode(node);
    return [...range.getClientRects()].some((r) => r.left < cell.left - 1 || r.right > cell.right + 1 || r.top < cell.top - 1 || r.bottom > cell.bottom + 1);
  });
}).map((at) => [at.className, at.textContent]))`

// commonFonts are the fonts for which the drawings are measured, with their Debian packages.
// test/setup.sh installs them.
var commonFonts = map[string]string{
	"DejaVu Sans": "fonts-dejavu-core", "Inter": "fonts-inter", "Liberation Sans": "fonts-liberation",
	"Noto Sans": "fonts-noto-core",
}

// inFont shows the page in a font of the machine. If the family is not installed, its width depends
// on the fallback font.
func (b *tab) inFont(family string) {
	b.t.Helper()
	widths := b.eval(fmt.Sprintf(`(() => {
	  const sheet = new CSSStyleSheet();
	  sheet.replaceSync('* { font-family: "%[1]s" !important }');
	  document.adoptedStyleSheets = [sheet];
	  const pen = document.createElement('canvas').getContext('2d');
	  return new Set(['serif', 'monospace'].map((behind) => {
	    pen.font = '100px "%[1]s", ' + behind;
	    return pen.measureText('Buyers 1,350.5 SUI').width;
	  })).size + ' ' + getComputedStyle(document.querySelector('.pictures text')).fontFamily.replaceAll('"', '');
	})()`, family))
	if widths != "1 "+family {
		b.t.Fatalf("The page is not in %s (%s). On Debian: apt-get install %s", family, widths, commonFonts[family])
	}
}

// TestBrowserPictures checks that the drawings of the market of a swap and of orders arrive after
// the page itself. Signing does not depend on them.
func TestBrowserPictures(t *testing.T) {
	inBrowser(t)
	j := newJob(t, nil)
	b := newBrowser(t)
	dir := screenshotDir(t)
	j.withWallet()
	do := func(in plan.Intent) {
		_, link := j.prepare(in)
		b.open(link)
		b.waitStage("ready")
		b.wait(`document.querySelector('[data-action="sign"]')?.ariaDisabled === 'false'`)
		b.click(`[data-action="sign"]`)
		b.waitStage("success")
	}
	do(plan.Intent{Type: "manager-create"})
	do(plan.Intent{Type: "manager-deposit", From: plan.IntentSource{Symbol: "SUI", Amount: "60"}})
	book, err := j.house.Pools.OrderBook(t.Context(), "SUI_USDC", 1)
	if err != nil {
		t.Fatal(err)
	}
	// order returns a sale at a number of hundredths of the mid price.
	order := func(hundredths sui.Raw) plan.Intent {
		price := book.Mid * hundredths / 100 / book.Parameters.Tick * book.Parameters.Tick
		return plan.Intent{Type: "limit-order", Order: &plan.Order{Pool: "SUI_USDC", Side: "sell", Quantity: "10",
			Price: string(price.Decimal(book.Pool.PriceDecimals()))}}
	}
	for name, c := range map[string]struct {
		in    plan.Intent
		words string
	}{
		"swap":        {testkit.Swap("10", "SUI", "USDC"), "your swap reaches "},
		"swap-buys":   {testkit.Swap("200", "USDC", "SUI"), "your swap reaches "},
		"swap-large":  {testkit.Swap("900", "SUI", "USDC"), "your swap "},
		"order-near":  {order(101), "your price "},
		"order-fills": {order(97), "your price "},
		"order-far":   {order(700), "your price "},
	} {
		t.Run(name, func(t *testing.T) {
			b.t = t
			_, link := j.prepare(c.in)
			b.open(link)
			b.waitStage("ready")
			b.wait(`document.querySelectorAll('[data-later] .pictures svg').length === 2`)
			// The page may be redrawing the picture, so wait for its words instead of reading them
			// once.
			b.wait(fmt.Sprintf(`((words) => words.includes(%q) && words.includes('not guaranteed'))(
				document.querySelector('[data-later] .pictures svg')?.getAttribute('aria-label') ?? '')`, c.words))
			if c.in.Order == nil {
				b.wait(`!document.querySelector('.ladder')`)
			} else {
				b.wait(laddered)
			}
			b.eval(`document.querySelectorAll('details').forEach((at) => { at.open = true; })`)
			if n := b.eval(`document.querySelectorAll('.graph svg .g-box').length`); n == "0" {
				t.Error("the transaction is not drawn")
			}
			for family := range commonFonts {
				b.inFont(family)
				for _, width := range []int64{1280, 390} {
					b.size(width, 900)
					if got := b.eval(outsideWords); got != "[]" {
						t.Errorf("in %s at %d pixels these words leave their drawing, touch, or are out of shape: %s", family, width, got)
					}
					if got := b.eval(outsideOfLadder); got != "[]" {
						t.Errorf("in %s at %d pixels these cells of the ladder are too narrow for their words: %s", family, width, got)
					}
				}
			}
			b.eval(`document.adoptedStyleSheets = []`)
			b.eval(`document.documentElement.style.fontSize = '200%'`)
			b.size(640, 900)
			if got := b.eval(outsideOfLadder); got != "[]" {
				t.Errorf("at 640 pixels, with text of twice the size, these cells of the ladder are too narrow for their words: %s",
					got)
			}
			b.eval(`document.documentElement.style.fontSize = ''`)
			if got := b.eval(`document.body.innerText.match(/\d,\d{1,2}(?!\d)/)?.[0] ?? ''`); got != "" {
				t.Errorf("digits are grouped by %s", got)
			}
			for _, theme := range []string{"light", "dark"} {
				if dir == "" {
					break
				}
				b.theme(theme)
				for _, width := range []int64{1280, 390} {
					b.size(width, 900)
					b.snap(filepath.Join(dir, fmt.Sprintf("picture-%s-%s-%d.png", name, theme, width)))
				}
			}
			b.theme("light")
			b.size(1280, 900)
		})
	}
	b.t = t
	if said := b.complaints(); len(said) > 0 {
		t.Error(said)
	}
}

// snap takes a picture of the market's card.
func (b *tab) snap(path string) {
	b.t.Helper()
	picture, err := chromedp.Run(b.ctx, chromedp.Screenshot(chromedp.CSS(".pictures")))
	if err == nil {
		err = os.WriteFile(path, picture, 0o644)
	}
	if err != nil {
		b.t.Fatal(err)
	}
}
