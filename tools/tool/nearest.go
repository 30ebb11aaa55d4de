package tool

import "strings"

// nearest gives the known name that an unknown one was most likely meant to be,
// "" when none is close: the same letters, one inside the other, or at most a
// third of the letters different.
func nearest(name string, known []string) string {
	asked := folded(name)
	best, least := "", 0
	if len(asked) < 2 || len(name) > maxName {
		return ""
	}
	for _, k := range known {
		letters := folded(k)
		d := edits(asked, letters)
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

// folded drops case and separators, so that pool_key is poolKey.
func folded(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(s))
}

// edits counts the single-letter changes between two short words.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j+1]+1, row[j]+1)
		}
	}
	return row[len(b)]
}
