package tool

import (
	"strings"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// nearest returns the known name most similar to an unknown one, or "" if none is close. Close
// means: equal letters, one name contained in the other, or at most a third of the letters
// different.
func nearest(name string, known []string) string {
	asked := folded(name)
	best, least := "", 0
	if len(asked) < 2 || len(name) > maxName {
		return ""
	}
	for _, k := range known {
		letters := folded(k)
		d := fault.Edits(asked, letters)
		switch inside := strings.Contains(asked, letters) || strings.Contains(letters, asked); {
		case inside:
			d = min(d, 1)
		case d > max(len(asked), len(letters))/3:
			continue
		}
		if best == "" || d < least {
			best, least = k, d
		}
	}
	return best
}

// folded removes case and separators, so that pool_key matches poolKey.
func folded(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(s))
}
