package activity

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// The quick bound of a detail's bytes is one: of long words, of such that JSON
// escapes, and of the largest numbers.
func TestDetailAtMost(t *testing.T) {
	id := sui.Address{31: 1}
	big, code := sui.Raw(math.MaxUint64), uint64(math.MaxUint64)
	for _, word := range []string{"", "m", strings.Repeat("<&>", 200), strings.Repeat("\u2028", 100),
		strings.Repeat("\x7f", 300)} {
		d := &Detail{Kind: word, Gas: &Gas{big, big, big, big, sui.Delta{Negative: true, Amount: big}, SuiAmount{word[:0] +
			strings.Repeat("9", 30), strings.Repeat("9", 30), "SUI"}},
			Failure: &Failure{word, &code, &id, word, word}, Lists: Lists{Unavailable, Unavailable, Unavailable, Unavailable,
				Unavailable}}
		for i := range 20 {
			i += math.MaxInt32
			d.Calls = append(d.Calls, Call{i, id, word, word, id.String() + word})
			d.Balances = append(d.Balances, Balance{i, &id, sui.CoinType(word), sui.Delta{Negative: true, Amount: big},
				Increase})
			d.Objects = append(d.Objects, Object{i, id, word, word})
			d.Events = append(d.Events, Event{i, id, word, word, &id})
			d.Shared = append(d.Shared, id)
		}
		text, err := json.Marshal(d)
		if err != nil || d.atMost() < len(text) {
			t.Errorf("%d bytes, bound %d, %v", len(text), d.atMost(), err)
		}
	}
}
