package lies

import (
	_ "embed"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// fieldsText names every field that this program asks a node for, one a line. A
// test reads them from honest runs and holds this list against them.
//
//go:embed fields.txt
var fieldsText string

// Known lists the fields that this program asks for, without what a question was
// about: brackets stand for every element, @0 for every window of some bytes.
func Known() []string { return strings.Fields(fieldsText) }

var (
	labels  = regexp.MustCompile(`\[[^\]]*\]`)
	windows = regexp.MustCompile(`@\d+$`)
)

// Plain writes a field's name as Known lists it.
func Plain(field string) string {
	method, _, path := Split(field)
	return windows.ReplaceAllString(method+":"+labels.ReplaceAllString(path, "[]"), "@0")
}

// nearby is how many fields an error names at most.
const nearby = 8

// Parse reads FIELD=VALUE. A field that no honest run asks for is an error that
// names those that are near it.
func Parse(text string) (Lie, error) {
	// Fields have no equals sign, and what they are about has none either.
	field, value, ok := strings.Cut(text, "=")
	if !ok || field == "" {
		return Lie{}, errors.New("a lie is FIELD=VALUE, such as LedgerService.GetEpoch:epoch.epoch=most")
	}
	if !slices.Contains(Known(), Plain(field)) {
		return Lie{}, fmt.Errorf("no answer has the field %q; near it are:\n  %s", field, strings.Join(near(field), "\n  "))
	}
	return Lie{Field: field, Value: value}, nil
}

// near lists the known fields that share the most three-letter pieces with a name.
func near(field string) []string {
	pieces := func(s string) map[string]bool {
		out := map[string]bool{}
		for i := range max(len(s)-2, 0) {
			out[strings.ToLower(s[i:i+3])] = true
		}
		return out
	}
	asked := pieces(field)
	score := func(known string) (n int) {
		has := pieces(known)
		for p := range asked {
			if has[p] {
				n += 2
			}
		}
		return n*100 - len(has)
	}
	list := Known()
	slices.SortStableFunc(list, func(a, b string) int { return score(b) - score(a) })
	return list[:min(len(list), nearby)]
}
