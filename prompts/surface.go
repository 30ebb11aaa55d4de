package prompts

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/sayurintent/sayurintent/internal/screen"
)

// Surface describes an action of an adapter to users who choose a prompt.
type Surface struct {
	Name                string   // action, hyphen and protocol slug, such as swap-deep
	Title               string   // one line
	Description         string   // one sentence
	Argument            string   // name of the only argument, which must be intent
	ArgumentDescription string   // what to write in the argument, with an example
	Text                string   // steps for the model, in order
	Symbols             []string // coins offered as completions; empty means Set.Symbols
}

// rule is a constraint on one field of a Surface.
type rule struct {
	field string
	value func(Surface) string
	form  *regexp.Regexp // nil means any text
	most  int            // maximum code points
	lines bool           // line breaks are allowed
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

// platformOnly matches words that only the fixed rules at the end of a prompt may use.
var platformOnly = regexp.MustCompile(`(?i)\b(bytes|private keys?|seed phrases?|mnemonics?|ignore|disregard|override|` +
	`(you|then|and|auto) sign|sign (it|this|them|for|on behalf)|without (asking|review|reading))\b`)

// Check returns an error if a field is missing, malformed or too long, or uses words that are
// reserved for the fixed rules.
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
