package web

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"regexp"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// substance returns a fingerprint of what a transaction does and through which calls. A page
// compares it between the values that the user read and fresh ones. It does not include reported
// amounts, terms, times and gas, which the page compares itself.
func substance(f *plan.Facts) string {
	if f == nil {
		return ""
	}
	steps := make([]plan.StepFacts, len(f.Steps))
	for i, s := range f.Steps {
		s.Expected, s.Terms, s.Commands = plan.Amount{}, nil, nil
		steps[i] = s
	}
	b, err := json.Marshal(struct {
		Sender, Payer sui.Address
		Steps         []plan.StepFacts
	}{f.Sender, f.Gas.Owner, steps})
	if err != nil {
		return ""
	}
	hash := fnv.New64a()
	_, _ = hash.Write(b)
	return fmt.Sprint(hash.Sum64())
}

// stamped matches a time in the format of plan.Stamp.
var stamped = regexp.MustCompile(`^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d`)

// soft reports whether a term may change in fresh values without the user's consent. The page does
// not compare such terms.
func soft(t plan.Term) bool { return stamped.MatchString(t.Value) }
