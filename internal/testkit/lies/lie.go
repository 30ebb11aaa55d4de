package lies

import (
	_ "embed"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// fieldsText names every field that this program reads from a node, one per line. A test compares
// it with honest runs.
//
//go:embed fields.txt
var fieldsText string

// Known lists the fields that this program reads, without the subject of the question. Brackets stand
// for every element, and @0 for every window of bytes.
func Known() []string { return strings.Fields(fieldsText) }

var (
	labels  = regexp.MustCompile(`\[[^\]]*\]`)
	windows = regexp.MustCompile(`@\d+$`)
)

// Plain returns a field's name in the form of Known.
func Plain(field string) string {
	method, _, path := Split(field)
	return windows.ReplaceAllString(method+":"+labels.ReplaceAllString(path, "[]"), "@0")
}

// nearby is the maximum number of fields that an error suggests.
const nearby = 8

// Parse reads FIELD=VALUE. If no honest run reads the field, the error suggests similar ones.
func Parse(text string) (Lie, error) {
	// Neither field names nor their subjects contain an equals sign.
	field, value, ok := strings.Cut(text, "=")
	if !ok || field == "" {
		return Lie{}, errors.New("a lie is FIELD=VALUE, such as LedgerService.GetEpoch:epoch.epoch=most")
	}
	if !slices.Contains(Known(), Plain(field)) {
		return Lie{}, fmt.Errorf("no answer has the field %q; near it are:\n  %s", field, strings.Join(near(field), "\n  "))
	}
	return Lie{Field: field, Value: value}, nil
}

// near lists the known fields that share the most trigrams with a name.
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
