package words

import (
	"fmt"
	"regexp"
	"time"
)

// moments matches times in sentences. They are always in UTC, in the formats of this package and of
// the adapters, which decode times from bytes and events.
var moments = regexp.MustCompile(`\b(\d{1,2} [A-Z][a-z]{2} \d{4}, \d{2}:\d{2}:\d{2}|\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}(\.\d{1,3})?) UTC\b`)

// withMoments splits a text without addresses at its times and quotations. The concatenation of the
// pieces is the text.
func withMoments(s string) []Piece {
	var out []Piece
	words := 0
	for _, at := range moments.FindAllStringIndex(s, -1) {
		text := s[at[0]:at[1]]
		moment, ok := readMoment(text)
		if !ok {
			continue
		}
		if words < at[0] {
			out = append(out, withQuotes(s[words:at[0]])...)
		}
		out, words = append(out, Piece{Text: text, Moment: moment}), at[1]
	}
	if words < len(s) {
		out = append(out, withQuotes(s[words:])...)
	}
	return out
}

// readMoment converts a time in a sentence to RFC 3339. It returns false for an impossible time,
// such as 31 June.
func readMoment(text string) (string, bool) {
	for _, form := range []string{momentForm, "2006-01-02 15:04:05.999 UTC"} {
		if t, err := time.Parse(form, text); err == nil {
			return t.UTC().Format(time.RFC3339Nano), true
		}
	}
	return "", false
}

// momentForm is the format of times on pages.
const momentForm = "2 Jan 2006, 15:04:05 UTC"

// Since describes how long ago then was. If that was more than a day, it returns the date.
func Since(now, then time.Time) string {
	switch ago := now.Sub(then); {
	case then.IsZero():
		return ""
	case ago < time.Minute:
		return "just now"
	case ago < time.Hour:
		return fmt.Sprintf("%d min ago", ago/time.Minute)
	case ago < 24*time.Hour:
		return fmt.Sprintf("%d h ago", ago/time.Hour)
	}
	return "on " + At(then)
}
