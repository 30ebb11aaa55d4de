package coins

import (
	"slices"
	"strings"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// maxNamed limits how much of an unknown name an error repeats.
const maxNamed = 60

// Match finds the row with a name. It prefers an exact match, and accepts another spelling only if
// there is a single candidate.
func Match[T any](rows []T, name string, of func(T) string) (T, bool) {
	var found T
	hits := 0
	for _, r := range rows {
		if of(r) == name {
			return r, true
		}
		if strings.EqualFold(of(r), name) {
			found = r
			hits++
		}
	}
	if hits != 1 {
		var none T
		return none, false
	}
	return found, true
}

// Miss returns the fault.RegistryMiss for a name that is not in a pinned table. Its details list all
// similar names or, if there are none, all names. kind describes the table's rows.
func Miss(kind, name string, all []string) error {
	shown := fault.Clip(name, maxNamed)
	if near := nearest(name, all); len(near) > 0 {
		return fault.New(fault.RegistryMiss, "There is no pinned %s %q. Did you mean %s?",
			kind, shown, strings.Join(near, " or ")).WithList("near", near)
	}
	return fault.New(fault.RegistryMiss, "There is no pinned %s %q. Available: %s.",
		kind, shown, strings.Join(all, ", ")).WithList("available", all)
}

// nearest returns up to four names that contain the given one, are contained in it, or differ from
// it by at most two letters.
func nearest(name string, all []string) []string {
	asked := letters(name)
	if len(asked) < 2 || len(name) > maxNamed {
		return nil
	}
	var near []string
	for _, n := range all {
		known := letters(n)
		alike := strings.Contains(known, asked) || strings.Contains(asked, known)
		if alike || fault.Edits(asked, known) <= min(2, len(known)/3) || sameParts(name, n) {
			near = append(near, n)
		}
	}
	slices.SortStableFunc(near, func(a, b string) int {
		return fault.Edits(asked, letters(a)) - fault.Edits(asked, letters(b))
	})
	return near[:min(len(near), 4)]
}

// letters folds case and drops separators, so that sui/usdc equals SUI_USDC.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(s))
}

// sameParts reports whether two pool keys name the same coins, in any order.
func sameParts(a, b string) bool {
	split := func(s string) []string {
		parts := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
			return r == '_' || r == '-' || r == '/' ||
				r == ' '
		})
		slices.Sort(parts)
		return parts
	}
	pa, pb := split(a), split(b)
	return len(pa) > 1 && slices.Equal(pa, pb)
}
