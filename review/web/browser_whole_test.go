package web_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// TestBrowserWholeTypes reviews payments of two coins whose types differ only after their first 400
// characters. On a page that can sign, they look different everywhere.
func TestBrowserWholeTypes(t *testing.T) {
	inBrowser(t)
	j := newJob(t, nil)
	b := newBrowser(t)
	dir := screenshotDir(t)
	j.withWallet()
	var pages []string
	for i, last := range []string{"Good", "Evil"} {
		long := "0x" + strings.Repeat("0fed", 16) + "::" + strings.Repeat("longmodule", 6) + "::" + strings.Repeat("LongCoin",
			8)
		coin, err := sui.ParseCoinType(long + "<" + long + ", 0x2::sui::SUI, 0x" + strings.Repeat("0fed", 16) + "::tail::" +
			last + ">")
		if err != nil {
			t.Fatal(err)
		}
		if cut := strings.Index(string(coin), last); cut < 400 {
			t.Fatalf("the types differ at %d already", cut)
		}
		j.house.Sandbox.Describe(sui.Metadata{Type: coin, Decimals: 4, Symbol: "GOLD", Name: "Gold"})
		j.house.Sandbox.Hold(sandbox.Account, coin, 1_000_000, 0)
		j.show(b, "", fmt.Sprintf("whole-type-%d", i), pay("12.5", string(coin), payee), "The coin is "+string(coin))
		for _, place := range []string{".deal", ".steps", "dl.small"} {
			if got := b.eval(fmt.Sprintf("[...document.querySelectorAll(%q)].map((at) => at.textContent).join(' ')",
				place)); !strings.Contains(got, "::tail::"+last) {
				t.Errorf("%s does not show the end of the type: %s", place, got)
			}
		}
		pages = append(pages, b.eval("document.querySelector('main').innerText"))
		b.pictures(dir, fmt.Sprintf("whole-type-%d", i))
	}
	if strings.Contains(pages[0], "Evil") || strings.Contains(pages[1], "Good") {
		t.Error("the pages are mixed up")
	}
}

// inks measures how far the letters of each text on the page extend above and below their line. A
// text that extends more than one line covers other rows. It returns the first such text, or "".
const inks = `(() => {
  const pen = document.createElement('canvas').getContext('2d');
  const walk = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
  let marked = 0;
  for (let at; (at = walk.nextNode());) {
    const style = getComputedStyle(at.parentElement);
    if (/[\u0300-\u036f]/.test(at.data)) marked++;
    if (at.parentElement.closest('svg') || !at.data.trim()) continue;
    pen.font = style.font;
    const ink = pen.measureText(at.data), size = parseFloat(style.fontSize);
    if (ink.actualBoundingBoxAscent > 1.5 * size || ink.actualBoundingBoxDescent > 0.8 * size) {
      return ink.actualBoundingBoxAscent / size + ' above, ' + ink.actualBoundingBoxDescent / size + ' below: ' + at.data.slice(0, 60);
    }
  }
  return marked > 0 ? '' : 'no text has a mark';
})()`

// TestBrowserMarks adds many combining marks to letters in every text of a review. None of them
// covers another row, and each pile is visible as one.
func TestBrowserMarks(t *testing.T) {
	inBrowser(t)
	r := newRig(t, nil)
	b := newBrowser(t)
	b.size(800, 900)
	evil := "Z" + strings.Repeat("\u0301\u030a", 60) + "e" + strings.Repeat("\u0323\u0331", 60) + " SUI"
	s, materials := poisoned(t, record.Ready, evil)
	id := r.put(s, materials)
	b.open(r.link(pagetoken.Review, id))
	b.wait("document.getElementById('view')?.dataset.stage")
	if over := b.eval(inks); over != "" {
		t.Errorf("it paints over other rows: %s", over)
	}
	b.says([]string{"⟦U+0301⟧", "⟦U+0331⟧"}, nil)
	b.pictures(screenshotDir(t), "marks")
}
