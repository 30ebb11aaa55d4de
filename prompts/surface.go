package prompts

import (
	"fmt"
	"regexp"
	"slices"
	"unicode/utf8"

	"github.com/sayurintent/sayurintent/internal/screen"
)

// Surface is how an adapter presents one action to a person who picks a prompt.
// Action, Slug and Protocol are those of the adapter.
type Surface struct {
	Action      string   // swap
	Slug        string   // deep
	Protocol    string   // DeepBookV3
	Title       string   // one line
	Description string   // one sentence
	Example     string   // an intent as a person would write it
	Steps       []string // what the model does, in order
}

// Name is action first, so that completion groups by what a person wants.
func (s Surface) Name() string { return s.Action + "-" + s.Slug }

// rule is one line of the schema of a surface.
type rule struct {
	field string
	value func(Surface) string
	form  *regexp.Regexp // nil: any text
	most  int            // code points
}

// schema is what every surface has to fit.
var schema = []rule{
	{"action", func(s Surface) string { return s.Action }, regexp.MustCompile(`^[a-z]+$`), 20},
	{"slug", func(s Surface) string { return s.Slug }, regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`), 32},
	{"protocol", func(s Surface) string { return s.Protocol }, nil, 40},
	{"title", func(s Surface) string { return s.Title }, nil, 60},
	{"description", func(s Surface) string { return s.Description }, nil, 200},
	{"example", func(s Surface) string { return s.Example }, nil, 80},
}

// Bounds of a surface's steps.
const (
	mostSteps = 12
	mostStep  = 400
)

// platformOnly are matters on which only the boundary lines speak.
var platformOnly = regexp.MustCompile(`(?i)\b(sign(s|ed|ing|ature|atures)?|bytes|private key|seed|mnemonic|ignore|disregard|override)\b`)

// Check reports what of the surface does not fit the schema: fields that are
// missing, malformed or too long, and steps that speak of what is the
// platform's alone.
func (s Surface) Check() error {
	for _, r := range schema {
		if err := fits(r.field, r.value(s), r.form, r.most); err != nil {
			return fmt.Errorf("prompt surface %q: %w", s.Name(), err)
		}
	}
	if len(s.Steps) == 0 || len(s.Steps) > mostSteps {
		return fmt.Errorf("prompt surface %q: it has 1 to %d steps", s.Name(), mostSteps)
	}
	for i, step := range s.Steps {
		field := fmt.Sprintf("step %d", i+1)
		if err := fits(field, step, nil, mostStep); err != nil {
			return fmt.Errorf("prompt surface %q: %w", s.Name(), err)
		}
	}
	for _, text := range slices.Concat([]string{s.Title, s.Description, s.Example}, s.Steps) {
		if word := platformOnly.FindString(text); word != "" {
			return fmt.Errorf("prompt surface %q: %q is the platform's matter, not an adapter's", s.Name(), word)
		}
	}
	return nil
}

func fits(field, value string, form *regexp.Regexp, most int) error {
	switch {
	case value == "" || utf8.RuneCountInString(value) > most:
		return fmt.Errorf("%s has 1 to %d characters", field, most)
	case form != nil && !form.MatchString(value):
		return fmt.Errorf("%s %q does not have the form %s", field, value, form)
	case screen.Text(value, most).Text != value:
		return fmt.Errorf("%s has characters that are not shown as themselves", field)
	}
	return nil
}
