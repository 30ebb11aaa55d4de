package workspace

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/sayurintent/sayurintent/internal/screen/screentest"
)

// TestForeign: an editor's answer is passed on without terminal control characters and keys.
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
	if got := Foreign(strings.Repeat("é", maxForeign), nil); !utf8.ValidString(got) || len(got) > maxForeign+60 ||
		!strings.HasSuffix(got, "is longer]") {
		t.Errorf("%d bytes", len(got))
	}
}

// TestForeignCorpora: an editor's answer is screened like a wallet's text. It may contain text from
// files or our pages, so keys as in files and page tokens are withheld too.
func TestForeignCorpora(t *testing.T) {
	both := regexp.MustCompile(`\b([0-9a-fA-F]{64}|[A-Za-z0-9_-]{43})\b`)
	innocent := screentest.Innocent(t)
	screentest.Door(t, 0, func(text string) bool {
		if slices.Contains(innocent, text) && both.MatchString(text) {
			return false
		}
		return strings.Contains(Foreign(text, nil), Withheld)
	})
}
