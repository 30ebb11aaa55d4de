package cards

import "testing"

// TestStyle checks that a card contains only the rules that it can use, and that the theme set by
// its client takes precedence over the system's.
func TestStyle(t *testing.T) {
	sheet := `/* none */ :root { --a: 1; }
	.tag, .other { x: y; }
	.tag .gone { x: y; }
	.tag:not(:disabled, .tag):hover, #id { x: y; }
	@media (prefers-color-scheme: dark) { :root { --a: 2; } .tag { z: 1; } }
	@media (min-width: 1px) { .gone { x: y; } }
	@keyframes tag { 50% { x: y; } }`
	want := ":root{--a: 1;}\n.tag{x: y;}\n.tag:not(:disabled, .tag):hover{x: y;}\n" +
		`@media (prefers-color-scheme: dark){:root:not([data-theme]){--a: 2;}:root:not([data-theme]) .tag{z: 1;}}` +
		`:root[data-theme="dark"]{--a: 2;}:root[data-theme="dark"] .tag{z: 1;}` + "\n"
	if got := themed(rulesFor(sheet, `<p class="tag">other gone</p><script>gone()</script>`)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
