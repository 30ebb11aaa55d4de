package tool

import (
	"strings"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// nearest returns the known name most similar to name, or "" if none is similar. Names are similar
// if they have the same letters, if one contains the other, or if at most a third of the letters
// differ.
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

// folded removes case and separators from a name, so that pool_key matches poolKey.
func folded(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(s))
}
