package web_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/review/plan"
)

// outsideWords lists words of the pictures that leave them or touch others of their
// picture, as the browser's fonts have them.
const outsideWords = `JSON.stringify([...document.querySelectorAll('.pictures svg')].flatMap((svg) => {
  const { width, height } = svg.viewBox.baseVal;
  const boxes = [...svg.querySelectorAll('text')].map((at) => [at.textContent, at.getBBox()]);
  return boxes.filter(([, b]) => b.x < 0 || b.y < 0 || b.x + b.width > width || b.y + b.height > height)
    .concat(boxes.filter(([, b], i) => boxes.some(([, o], j) => i < j && b.x < o.x + o.width && o.x < b.x + b.width
      && b.y < o.y + o.height && o.y < b.y + b.height))).map(([words]) => words);
}))`

// TestBrowserPictures shows the market of a swap and of orders after the page itself,
// and looks at nothing but drawings: signing needs none of it.
func TestBrowserPictures(t *testing.T) {
	t.Parallel()
	j := newJob(t, nil)
	b := newBrowser(t)
	dir := screenshotDir(t)
	j.connect(b, "", "Sandbox test wallet")
	do := func(in plan.Intent) {
		_, link := j.prepare(in)
		b.open(link)
		b.waitStage("ready")
		b.wait(`document.querySelector('[data-action="sign"]')?.disabled === false`)
		b.click(`[data-action="sign"]`)
		b.waitStage("success")
	}
	do(plan.Intent{Type: "manager-create"})
	do(plan.Intent{Type: "manager-deposit", From: plan.IntentSource{Symbol: "SUI", Amount: "60"}})
	book, err := j.house.Pools.OrderBook(t.Context(), "SUI_USDC", 1)
	if err != nil {
		t.Fatal(err)
	}
	// order is a sell at so many hundredths of the middle price.
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
			b.wait(`document.querySelectorAll('[data-later] svg').length === 2`)
			// The page may be drawing the picture anew, so its words are awaited, not read once.
			b.wait(fmt.Sprintf(`((words) => words.includes(%q) && words.includes('not guaranteed'))(
				document.querySelector('[data-later] svg')?.getAttribute('aria-label') ?? '')`, c.words))
			b.theme("light")
			for _, theme := range []string{"light", "dark"} {
				b.theme(theme)
				for _, width := range []int64{1280, 390} {
					b.size(width, 900)
					if got := b.eval(outsideWords); got != "[]" {
						t.Errorf("at %d pixels these words leave their picture, or touch: %s", width, got)
					}
					if dir != "" {
						b.snap(filepath.Join(dir, "picture-"+name+"-"+theme+"-"+map[int64]string{1280: "1280", 390: "390"}[width]+".png"))
					}
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

// snap takes a picture of the card of the market.
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
