package prompts

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/sayurintent/sayurintent/internal/screen"
)

// Surface is an adapter's description of one action, for a user who picks a prompt.
type Surface struct {
	Name                string   // action, hyphen, protocol slug: swap-deep
	Title               string   // one line
	Description         string   // one sentence
	Argument            string   // name of the only argument, free text: intent
	ArgumentDescription string   // what to write in it, with an example
	Text                string   // steps for the model, in order
	Symbols             []string // coins offered as completions; empty means those of the set
}

// rule is the constraint on one field of a surface.
type rule struct {
	field string
	value func(Surface) string
	form  *regexp.Regexp // nil allows any text
	most  int            // maximum code points
	lines bool           // may have several lines
}

// schema lists the constraints on a surface.
var schema = []rule{
	{"name", func(s Surface) string { return s.Name }, regexp.MustCompile(`^[a-z]+-[a-z0-9]+$`), 40, false},
	{"title", func(s Surface) string { return s.Title }, nil, 60, false},
	{"description", func(s Surface) string { return s.Description }, nil, 200, false},
	{"argument", func(s Surface) string { return s.Argument }, regexp.MustCompile(`^intent$`), 6, false},
	{"argument description", func(s Surface) string { return s.ArgumentDescription }, nil, 200, false},
	{"text", func(s Surface) string { return s.Text }, nil, 4000, true},
}

// platformOnly matches matters that only the boundary lines may mention.
var platformOnly = regexp.MustCompile(`(?i)\b(bytes|private keys?|seed phrases?|mnemonics?|ignore|disregard|override|` +
	`(you|then|and|auto) sign|sign (it|this|them|for|on behalf)|without (asking|review|reading))\b`)

// Check returns an error if a field is missing, malformed or too long, or mentions a matter that is
// reserved for the platform.
func (s Surface) Check() error {
	for _, r := range schema {
		if err := r.check(r.value(s)); err != nil {
			return fmt.Errorf("prompt surface %q: %s %w", s.Name, r.field, err)
		}
	}
	return nil
}

func (r rule) check(value string) error {
	if value == "" || utf8.RuneCountInString(value) > r.most {
		return fmt.Errorf("has 1 to %d characters", r.most)
	}
	if r.form != nil && !r.form.MatchString(value) {
		return fmt.Errorf("%q does not have the form %s", value, r.form)
	}
	if word := platformOnly.FindString(value); word != "" {
		return fmt.Errorf("says %q, which is reserved for the platform", word)
	}
	lines := []string{value}
	if r.lines {
		lines = strings.Split(value, "\n")
	}
	for _, line := range lines {
		if screen.Text(line, r.most).Text != line {
			return fmt.Errorf("has invisible or misleading characters")
		}
	}
	return nil
}
