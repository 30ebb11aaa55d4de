package prompts

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/sayurintent/sayurintent/internal/screen"
)

// Surface is how an adapter presents one action to a user who picks a prompt: plain data, in the
// adapter's own words.
type Surface struct {
	Name                string   // action, hyphen, protocol slug: swap-deep
	Title               string   // one line
	Description         string   // one sentence
	Argument            string   // the one free-text argument: intent
	ArgumentDescription string   // what to write there, with an example
	Text                string   // what the model does, in order
	Symbols             []string // the coins that completion offers; none: those of the set
}

// rule is one line of the schema of a surface.
type rule struct {
	field string
	value func(Surface) string
	form  *regexp.Regexp // nil: any text
	most  int            // code points
	lines bool           // may have several lines
}

// schema is what every surface has to fit.
var schema = []rule{
	{"name", func(s Surface) string { return s.Name }, regexp.MustCompile(`^[a-z]+-[a-z0-9]+$`), 40, false},
	{"title", func(s Surface) string { return s.Title }, nil, 60, false},
	{"description", func(s Surface) string { return s.Description }, nil, 200, false},
	{"argument", func(s Surface) string { return s.Argument }, regexp.MustCompile(`^intent$`), 6, false},
	{"argument description", func(s Surface) string { return s.ArgumentDescription }, nil, 200, false},
	{"text", func(s Surface) string { return s.Text }, nil, 4000, true},
}

// platformOnly are matters on which only the boundary lines speak.
var platformOnly = regexp.MustCompile(`(?i)\b(bytes|private keys?|seed phrases?|mnemonics?|ignore|disregard|override|` +
	`(you|then|and|auto) sign|sign (it|this|them|for|on behalf)|without (asking|review|reading))\b`)

// Check reports what of the surface does not fit the schema: fields that are
// missing, malformed or too long, and words about what is the platform's alone.
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
		return fmt.Errorf("says %q, which is the platform's matter and not an adapter's", word)
	}
	lines := []string{value}
	if r.lines {
		lines = strings.Split(value, "\n")
	}
	for _, line := range lines {
		if screen.Text(line, r.most).Text != line {
			return fmt.Errorf("has characters that are not shown as themselves")
		}
	}
	return nil
}
