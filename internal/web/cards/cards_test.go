package cards_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/web/cards"
)

const most = 30 << 10

// TestCards checks that a card is one small file that loads nothing and cannot turn text into
// markup.
func TestCards(t *testing.T) {
	for _, c := range cards.All("http://127.0.0.1:1234") {
		t.Run(c.Name, func(t *testing.T) {
			html, err := c.HTML()
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d bytes", len(html))
			if len(html) > most {
				t.Errorf("%d bytes, more than %d", len(html), most)
			}
			for _, bad := range []string{"innerHTML", "outerHTML", "insertAdjacent", "document.write", "eval(", "fetch(",
				"XMLHttpRequest",
				"WebSocket", "import(", "tools/call", "ui/message", "update-model-context", " src=", "@import", "url(",
				"ZgotmplZ"} {
				if strings.Contains(html, bad) {
					t.Errorf("it has %s", bad)
				}
			}
			if found := regexp.MustCompile(`https?://[^"' <]+`).FindAllString(html, -1); len(found) != 2 {
				t.Errorf("addresses in it: %q", found) // those of the pages, and the SVG namespace
			}
		})
	}
}
