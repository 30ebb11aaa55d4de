package screentest

import (
	"testing"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// Door tests an entry point with both corpora. refused submits a text and reports whether it was
// rejected as a secret, which must be the case for every secret and for no harmless text. Texts
// that need a known account are skipped, and texts longer than most characters. 0 means no limit.
func Door(t *testing.T, most int, refused func(text string) bool) {
	t.Helper()
	fits := func(text string) bool { return most == 0 || len([]rune(text)) <= most }
	tried := 0
	Pastes(t, func(shape, text string, own []sui.Address) {
		if len(own) > 0 || !fits(text) {
			return
		}
		if tried++; !refused(text) {
			t.Errorf("%s came in: %q", shape, text)
		}
	})
	for _, text := range Innocent(t) {
		if fits(text) && refused(text) {
			t.Errorf("refused: %q", text)
		}
	}
	if tried < 100 {
		t.Errorf("%d pastes were tried", tried)
	}
}
