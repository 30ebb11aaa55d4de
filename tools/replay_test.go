package tools_test

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/internal/testkit/long"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// TestExamples replays every declared example, so that the reference shows what happens.
func TestExamples(t *testing.T) {
	long.Skip(t, "it replays every example of every tool")
	reached := map[string]map[string]bool{} // tool and case, then the answer fields that were present
	costs := newAnswerCosts(t)
	given := map[string]bool{}
	for _, d := range declared() {
		for _, e := range d.Examples {
			given[e.Given] = true
		}
	}
	for situation := range given {
		bring, ok := situations[situation]
		if !ok {
			t.Errorf("no test brings about %q", situation)
			continue
		}
		t.Run(situation, func(t *testing.T) {
			w := build(t, nil)
			bring(w)
			for _, d := range w.tools {
				for _, e := range d.Examples {
					if e.Given == situation {
						t.Run("R004-40 "+d.Name+" "+e.Name, func(t *testing.T) { replay(t, w, d, e, reached, costs) })
					}
				}
			}
		})
	}
	costs.check(t)
	for situation := range situations {
		if !given[situation] {
			t.Errorf("no example is given %q", situation)
		}
	}
	for _, d := range declared() {
		for _, c := range d.Cases {
			for _, path := range slices.Concat(c.Use.Answer, c.Use.Precondition) {
				if !reached[d.Name+"/"+c.Name][path] {
					t.Errorf("%s, case %s: no example has the field %s", d.Name, c.Name, path)
				}
			}
		}
	}
}

func replay(t *testing.T, w *world, d tool.Tool, e tool.Example, reached map[string]map[string]bool,
	costs answerCosts) {
	answer := d.Call(tool.NewCall(t.Context(), nil, tool.Client{}), e.Arguments(w.values))
	code := ""
	if answer.Fault != nil {
		code = string(answer.Fault.Code)
	}
	if code != string(e.Fault) || answer.Case != e.Case {
		t.Fatalf("case %q, fault %q; want %q, %q: %s", answer.Case, code, e.Case, e.Fault, answer.Text)
	}
	if e.Fault != "" {
		if len(answer.Fault.Text) < 20 || !strings.HasSuffix(answer.Fault.Text, ".") {
			t.Errorf("the refusal is no sentence: %q", answer.Fault.Text)
		}
		return
	}
	whole(t, d, answer)
	var v struct {
		Data struct {
			Network string
			Use     struct{ AnswerFields, PreconditionFields []string } `json:"userAnswerUse"`
		}
	}
	if err := json.Unmarshal(answer.Text, &v); err != nil {
		t.Fatal(err)
	}
	if v.Data.Use.AnswerFields == nil {
		t.Error("R004-40: there is no userAnswerUse")
	}
	if v.Data.Network != "sui:sandbox" {
		t.Errorf("the network is %q", v.Data.Network)
	}
	for word, from := range map[string]tool.Origin{testkit.WalletName: tool.FromProgram, `"Alice"`: tool.FromPerson,
		"untrustedText": tool.FromChain} {
		if strings.Contains(string(answer.Text), word) && !slices.Contains(d.Untrusted, from) {
			t.Errorf("the answer has %s, and its tool does not say that it repeats words of a %s", word, from)
		}
	}
	key := d.Name + "/" + e.Case
	if reached[key] == nil {
		reached[key] = map[string]bool{}
	}
	for _, path := range append(v.Data.Use.AnswerFields, v.Data.Use.PreconditionFields...) {
		reached[key][path] = true
	}
	costs.add(t, d.Name, e.In, answer.Text)
}

// compiledSchemas caches a *jsonschema.Schema by its text, because compiling takes longer than
// making an answer and validating it.
var compiledSchemas sync.Map

func compiledSchema(t *testing.T, text string) *jsonschema.Schema {
	t.Helper()
	if known, ok := compiledSchemas.Load(text); ok {
		return known.(*jsonschema.Schema)
	}
	schema, err := jsonschema.CompileString("tool:whole", text)
	if err != nil {
		t.Fatal(err)
	}
	compiledSchemas.Store(text, schema)
	return schema
}

// whole validates an answer against the complete schema.
func whole(t *testing.T, d tool.Tool, answer tool.Answer) {
	t.Helper()
	schema := compiledSchema(t, string(d.WholeOutputSchema()))
	var v any
	if err := json.Unmarshal(answer.Text, &v); err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(v); err != nil {
		t.Errorf("%#v\n%s", err, answer.Text)
	}
}
