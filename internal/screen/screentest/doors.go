package screentest

import (
	"testing"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// Door tries both corpora on a door: every paste has to be refused, and no innocent text.
// refused puts a text in at the door and reports whether it was refused for a secret. Texts
// that need a known account are passed over, and texts longer than most characters; 0 means
// no bound.
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
