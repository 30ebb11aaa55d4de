package words

import (
	"fmt"
	"regexp"
	"time"
)

// moments finds times as sentences here have them, always in UTC: those of this
// package and those that adapters decode from bytes and events.
var moments = regexp.MustCompile(`\b(\d{1,2} [A-Z][a-z]{2} \d{4}, \d{2}:\d{2}:\d{2}|\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}(\.\d{1,3})?) UTC\b`)

// withMoments cuts a text without addresses at its times and quotations. Joined, the pieces are the
// text.
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

// readMoment returns a time of a sentence in the form of RFC 3339, false for what is
// no time, such as the 31st of June.
func readMoment(text string) (string, bool) {
	for _, form := range []string{momentForm, "2006-01-02 15:04:05.999 UTC"} {
		if t, err := time.Parse(form, text); err == nil {
			return t.UTC().Format(time.RFC3339Nano), true
		}
	}
	return "", false
}

// momentForm is how pages write a time.
const momentForm = "2 Jan 2006, 15:04:05 UTC"

// Since says how long ago something was, if it was today, else when.
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
