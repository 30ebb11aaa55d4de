package bus_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/bus"
)

const pasted = "suiprivkey1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq"

// TestQuestion checks that questions and answers are rejected if they cannot be shown or contain a
// secret.
func TestQuestion(t *testing.T) {
	for name, q := range map[string]bus.Question{
		"no words": {Text: " "}, "long": {Text: strings.Repeat("x", bus.MostQuestion+1)}, "one choice": {Text: "?",
			Choices: []string{"a"}},
		"same": {Text: "?", Choices: []string{"a", "a"}}, "empty choice": {Text: "?", Choices: []string{"a", ""}},
		"too many": {Text: "?", Choices: strings.Split("abcdefghi", "")}, "secret": {Text: "Is it " + pasted},
		"secret choice": {Text: "?", Choices: []string{"a", pasted}},
	} {
		if q.Check() == nil {
			t.Errorf("%s is asked", name)
		}
	}
	free, two := bus.Question{Text: "Why?"}, bus.Question{Text: "Which?", Choices: []string{"a", "b"}}
	if err := two.Check(); err != nil {
		t.Error(err)
	}
	for name, c := range map[string]struct {
		q       bus.Question
		payload string
	}{
		"no choice": {two, `{"answer":"c"}`}, "no words": {free, `{"answer":" "}`}, "more": {free, `{"answer":"a","x":1}`},
		"secret": {free, `{"answer":"` + pasted + `"}`}, "long": {free, `{"answer":"` + strings.Repeat("x", bus.MostAnswer+
			1) + `"}`},
		"none": {free, `null`},
	} {
		if a, err := c.q.Read(json.RawMessage(c.payload)); err == nil {
			t.Errorf("%s: %q", name, a)
		}
	}
	a, err := free.Read(json.RawMessage(`{"answer":"one\ntwo\u202e"}`))
	if err != nil || !strings.HasPrefix(a.Answer, "one\ntwo") || strings.Contains(a.Answer, "\u202e") {
		t.Errorf("%q %v", a.Answer, err)
	}
}
