package workspace

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// TestForeign: what an editor answers is passed on without what could act on a terminal,
// and without keys.
func TestForeign(t *testing.T) {
	key := "suiprivkey1qzwant3kaegmjy4qxex93s0jzvemekkjmyv3r2sjwgnv2y479pgsywhveae"
	for _, c := range []struct{ name, text, want string }{
		{"plain", "a\tb\r\nc", "a\tb\nc"},
		{"escapes", "a\x1b[2Jb\x00\u0085\u202ec", "a⟦U+001B⟧[2Jb⟦U+0000⟧⟦U+0085⟧⟦U+202E⟧c"},
		{"broken", "a\xffb", "a\uFFFDb"},
		{"a key", "a\nkey = " + key + "\nb", "a\n" + Withheld + "\nb"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Foreign(c.text, nil); got != c.want {
				t.Errorf("%q", got)
			}
		})
	}
	if got := Foreign(strings.Repeat("é", mostForeign), nil); !utf8.ValidString(got) || len(got) > mostForeign+60 || !strings.HasSuffix(got, "is longer]") {
		t.Errorf("%d bytes", len(got))
	}
}
