// Package marks draws the small pictures on pages: icons, coins, and the patterns by which people
// recognize addresses. All are hidden from screen readers, because there is text next to them.
package marks

import (
	"crypto/sha256"
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// Functions returns the functions that templates may use.
func Functions() template.FuncMap {
	return template.FuncMap{
		"icon":     Icon,
		"coin":     Coin,
		"bar":      Bar,
		"identity": Identity,
		"initial":  Initial,
		"meter":    Meter,
	}
}

// outlines are the strokes of each icon, in a square of 24 by 24.
var outlines = map[string]string{
	"home":     "M4 11.5 12 5l8 6.5V19a1 1 0 0 1-1 1h-4.5v-5h-5v5H5a1 1 0 0 1-1-1z",
	"reviews":  "M7 3.5h7l4 4V19.5a1 1 0 0 1-1 1H7a1 1 0 0 1-1-1v-15a1 1 0 0 1 1-1zM14 3.5v4h4M9 14l2 2 4-4",
	"holdings": "M12 4 3.5 8.5 12 13l8.5-4.5zM3.5 12.25 12 16.75l8.5-4.5M3.5 16 12 20.5 20.5 16",
	"book":     "M6 3.5h12v17H6zM9.75 16a2.25 2.25 0 0 1 4.5 0M12 12.5a1.75 1.75 0 1 0 0-3.5 1.75 1.75 0 0 0 0 3.5z",
	"settings": "M4 8h9M17 8h3M4 16h3M11 16h9M13 5.5v5M7 13.5v5",
	"check":    "m5 12.5 4.5 4.5L19 7.5",
	"cross":    "m7 7 10 10M17 7 7 17",
	"warn":     "M12 4 2.5 20h19zM12 10v5M12 17.2v.3",
	"stop":     "M8.2 3.5h7.6l4.7 4.7v7.6l-4.7 4.7H8.2l-4.7-4.7V8.2zM8.5 12h7",
	"info":     "M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17zM12 11v5M12 8v.3",
	"clock":    "M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17zM12 7.5V12l3 2",
	"shield":   "M12 3.5 5 6v5.5c0 4.2 2.8 7.4 7 9 4.2-1.6 7-4.8 7-9V6zM9 12l2.2 2.2L15.2 10",
	"client":   "M4 5h16v11h-9l-4 4v-4H4z",
	"copy":     "M9 9h11v11H9zM5 15H4V4h11v1",
	"edit":     "M4 20l1-4.5L16 4.5 19.5 8 8.5 19zM14 6.5 17.5 10",
	"lock":     "M6 10.5h12v10H6zM8.5 10.5V8a3.5 3.5 0 0 1 7 0v2.5",
	"next":     "m9 5 7 7-7 7",
	"back":     "m15 5-7 7 7 7",
	"down":     "m5 9 7 7 7-7",
	"plug":     "M9 3.5V8M15 3.5V8M6.5 8h11v3a5.5 5.5 0 0 1-11 0zM12 16.5v4",
	"search":   "M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zM15.5 15.5 20 20",
	"plus":     "M12 5v14M5 12h14",
	"explorer": "M13 4h7v7M20 4l-9 9M17 13.5V20H4V7h6.5",
	"receipt":  "M6 3.5h12v17l-2-1.5-2 1.5-2-1.5-2 1.5-2-1.5-2 1.5zM9 8h6M9 12h6",
}

// Icon returns the icon with a name, such as check or settings. It returns an error for an unknown
// name, so that tests find it when they first draw the page.
func Icon(name string) (template.HTML, error) {
	d, ok := outlines[name]
	if !ok {
		return "", fmt.Errorf("marks: no icon %q", name)
	}
	return template.HTML(`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false"><path d="` + d +
		`"/></svg>`), nil
}

// colours are the colors of the coins of the registry. A coin cannot choose its own.
var colours = map[string]string{
	"SUI": "#1a66c2", "USDC": "#4744b8", "WAL": "#0c6e5c", "DEEP": "#7a3bb0", "NS": "#a8326f",
}

// Coins returns the symbols of the coins that have a color, sorted.
func Coins() []string { return slices.Sorted(maps.Keys(colours)) }

// Colors returns the color of each of these coins.
func Colors() map[string]string { return maps.Clone(colours) }

// Coin returns the mark of a coin. A coin that is not listed, or that has no color, gets a dashed
// ring with a question mark, so that no imitation looks like the original.
func Coin(symbol string, listed bool) template.HTML {
	colour, ok := colours[symbol]
	if !ok || !listed {
		return `<svg class="coin" viewBox="0 0 40 40" aria-hidden="true"><circle class="unlisted" cx="20" cy="20" r="17.5"/>` +
			`<text class="unlisted" x="20" y="26">?</text></svg>`
	}
	return template.HTML(fmt.Sprintf(`<svg class="coin" viewBox="0 0 40 40" aria-hidden="true"><circle cx="20" cy="20" r="19.5" fill="%s"/>`+
		`<circle class="ring" cx="20" cy="20" r="16"/><text x="20" y="26.5">%s</text></svg>`, colour, symbol[:1]))
}

// Part is the share of one coin in a bar.
type Part struct {
	Symbol string
	Share  float64 // 0 to 1
}

// Bar returns a bar that is divided into parts, each in the color of its coin.
func Bar(parts []Part) template.HTML {
	var b strings.Builder
	b.WriteString(`<svg class="parts" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">`)
	at := 0.0
	for _, p := range parts {
		colour, ok := colours[p.Symbol]
		if !ok {
			colour = "#7b8a8a"
		}
		width := p.Share * 100
		fmt.Fprintf(&b, `<rect x="%.2f" width="%.2f" height="1" fill="%s"/>`, at, max(width-0.4, 0.4), colour)
		at += width
	}
	b.WriteString("</svg>")
	return template.HTML(b.String())
}

// hues is the number of colors of address patterns. style.css defines them.
const hues = 10

// Identity returns the pattern of an address: five by five cells, mirrored, in one of ten colors,
// from a hash of the whole address. It helps users to notice a difference and proves nothing.
func Identity(address string) template.HTML {
	sum := sha256.Sum256([]byte(strings.ToLower(address)))
	var b strings.Builder
	fmt.Fprintf(&b,
		`<svg class="identity hue-%d" viewBox="0 0 40 40" aria-hidden="true"><rect class="ground" width="40" height="40" rx="7"/>`,
		sum[0]%hues)
	for x := range 3 {
		for y := range 5 {
			if sum[1+x*5+y]&1 == 0 {
				continue
			}
			fmt.Fprintf(&b, `<rect x="%d" y="%d" width="6" height="6"/>`, 5+6*x, 5+6*y)
			if x < 2 {
				fmt.Fprintf(&b, `<rect x="%d" y="%d" width="6" height="6"/>`, 5+6*(4-x), 5+6*y)
			}
		}
	}
	b.WriteString("</svg>")
	return template.HTML(b.String())
}

// Initial returns the mark of a wallet: a filled square with the first letter of its name.
func Initial(name string) template.HTML {
	first, _ := utf8.DecodeRuneInString(strings.TrimSpace(name))
	if first == utf8.RuneError {
		first = '?'
	}
	return template.HTML(`<svg class="wallet-mark" viewBox="0 0 40 40" aria-hidden="true"><rect width="40" height="40" rx="9"/><text x="20" y="26.5">` +
		template.HTMLEscapeString(strings.ToUpper(string(first))) + `</text></svg>`)
}

// Meter returns a thin bar that is filled to a percentage. tone is "", "warn" or "bad". The caller
// must also write the numbers as text.
func Meter(percent int, tone string) (template.HTML, error) {
	if tone != "" && tone != "warn" && tone != "bad" {
		return "", fmt.Errorf("marks: no tone %q", tone)
	}
	return template.HTML(fmt.Sprintf(`<svg class="meter %s" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true"><rect width="%d" height="1"/></svg>`,
		tone, min(max(percent, 0), 100))), nil
}
