package tool_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/evidence"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/tools/tool"
)

func TestSchemas(t *testing.T) {
	target := fixture(nil)
	in := `{"type":"object","properties":{` +
		`"poolKey":{"type":"string","description":"pool to read"},` +
		`"direction":{"type":"string","description":"which coin is paid","enum":["base_to_quote","quote_to_base"]},` +
		`"amountRaw":{"type":"string","description":"raw amount","pattern":"^[1-9][0-9]*$","minLength":1,"maxLength":20},` +
		`"ticks":{"type":"integer","description":"levels","minimum":1,"maximum":50,"default":5},` +
		`"mode":{"type":"string","description":"fee mode","default":"deep"},` +
		`"from":{"type":"object","description":"what leaves","properties":{"symbol":{"type":"string","description":"coin symbol"}},` +
		`"required":["symbol"],"additionalProperties":false},` +
		`"wanted":{"type":"array","description":"what is wanted","items":{"type":"object","properties":` +
		`{"symbol":{"type":"string","description":"coin symbol"}},"required":["symbol"],"additionalProperties":false}}},` +
		`"required":["poolKey","direction"],"additionalProperties":false}`
	// Listed schemas omit formats, minimums, and the ban on unknown members.
	listed := strings.NewReplacer(`,"pattern":"^[1-9][0-9]*$","minLength":1,"maxLength":20`, "", `"minimum":1,`, "",
		`,"additionalProperties":false`, "").Replace(in)
	if got := string(target.InputSchema()); got != listed {
		t.Errorf("listed schema\n%s\nwant\n%s", got, listed)
	}
	if got := string(target.WholeInputSchema()); got != in {
		t.Errorf("input schema\n%s\nwant\n%s", got, in)
	}
	out := string(target.OutputSchema())
	for _, want := range []string{
		`{"type":"object","properties":{"ok":{"type":"boolean"},"data":{"type":"object","properties":{"rows":{"type":"array"`,
		`"quote":{"type":"object"}`, // no members below depth 2
		`"userAnswerUse":{"type":"object"}`,
		`"required":["ok","data"]`,
	} {
		if !strings.Contains(out, want) {
			t.Errorf("output schema lacks %s:\n%s", want, out)
		}
	}
	if got, want := string(target.ListedOutputSchema()),
		`{"type":"object","properties":{"ok":{"type":"boolean"},"data":{"type":"object"}},`+
			`"required":["ok","data"]}`; got != want {
		t.Errorf("listed output schema\n%s\nwant\n%s", got, want)
	}
	if strings.Contains(out, "additionalProperties") || strings.Contains(out, `"const"`) || strings.Contains(out,
		"anyOf") {
		t.Errorf("output schema is not lean: %s", out)
	}
	if whole := string(target.WholeOutputSchema()); !strings.Contains(whole, `"extra":{"type":"string"`) {
		t.Errorf("the whole schema leaves things out: %s", whole)
	}
}

type recursive struct {
	Next *recursive `json:"next"`
}

func TestUndeclarableTypes(t *testing.T) {
	for name, declare := range map[string]func(){
		"floating point":   func() { tool.Declare(tool.Spec[struct{ X float64 }, row]{Name: "x"}) },
		"anything":         func() { tool.Declare(tool.Spec[struct{ X any }, row]{Name: "x"}) },
		"bytes":            func() { tool.Declare(tool.Spec[struct{}, struct{ X []byte }]{Name: "x"}) },
		"itself":           func() { tool.Declare(tool.Spec[struct{}, recursive]{Name: "x"}) },
		"its own JSON":     func() { tool.Declare(tool.Spec[struct{}, struct{ X json.RawMessage }]{Name: "x"}) },
		"no object":        func() { tool.Declare(tool.Spec[struct{}, string]{Name: "x"}) },
		"no object to ask": func() { tool.Declare(tool.Spec[string, row]{Name: "x"}) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("was declared")
				}
			}()
			declare()
		})
	}
}

type secretWord string

func (secretWord) Secret() {}

type secretPointer struct{ hidden string }

func (*secretPointer) Secret() {}

func (s *secretPointer) MarshalText() ([]byte, error) { return []byte(s.hidden), nil }

type deepSecret struct {
	List []struct {
		Table map[string]secretPointer `json:"table" description:"a"`
	} `json:"list" description:"b"`
}

// TestLint breaks one rule at a time.
func TestLint(t *testing.T) {
	type spec = tool.Spec[fixtureIn, fixtureOut]
	for _, c := range []struct {
		name, says string
		change     func(*spec)
	}{
		{"planned name", "is declared and still listed as planned", func(s *spec) { s.Name = notBuilt }},
		{"R004-4 no dot", "is not a tool name", func(s *spec) { s.Name = "get_server_status" }},
		{"R004-1 no group", "is not a tool name", func(s *spec) { s.Name = "shell.run" }},
		{"no title", "the title has", func(s *spec) { s.Title = "" }},
		{"long summary", "the summary is one or two", func(s *spec) { s.Summary = strings.Repeat("x", 300) + "." }},
		{"R004-495 instructing summary", "the summary gives instructions",
			func(s *spec) { s.Summary = "Call this before anything else; you must." }},
		{"effect of another group", "has no effect", func(s *spec) { s.Effect = tool.OpensSession }},
		{"chain without its error", "provider_unavailable if and only if it reads the chain",
			func(s *spec) { s.Effect = tool.ReadsChain }},
		{"claim allowed and refused", "is both allowed and refused",
			func(s *spec) { s.Cases[0].Use.Cannot = s.Cases[0].Use.Can }},
		{"nothing allowed", "supports nothing", func(s *spec) { s.Cases[0].Use.Can = nil }},
		{"unknown path", `no field "price"`, func(s *spec) { s.Cases[0].Use.Answer = []string{"price"} }},
		{"path into a list without brackets", `no field "rows.id"`,
			func(s *spec) { s.Cases[0].Use.Rules = []string{"rows.id"} }},
		{"brackets on no list", `no field "quote[]"`, func(s *spec) { s.Cases[0].Use.Diagnostic = []string{"quote[]"} }},
		{"unknown follow-up", "is neither a tool nor planned",
			func(s *spec) { s.Cases[0].Use.Next = evidence.Ask("read.nothing", "why") }},
		{"follow-up without a reason", "has no reason", func(s *spec) { s.Cases[0].Use.Next = evidence.Ask(notBuilt, "") }},
		{"follow-up passes a missing field", "takes a field", func(s *spec) {
			s.Cases[0].Use.Next = evidence.Ask(notBuilt, "why").With("price")
		}},
		{"follow-up reads a missing field", "has no field", func(s *spec) {
			s.Cases[0].Use.Next = evidence.Ask(s.Name, "why").Reading("price")
		}},
		{"a case that always fits hides others", "the last case, and no other", func(s *spec) { s.Cases[0].When = nil }},
		{"no case for the rest", "the last case, and no other", func(s *spec) { s.Cases = s.Cases[:1] }},
		{"undeclared error", "is not declared", func(s *spec) { s.Errors = nil }},
		{"unreached error", "no example reaches blocked", func(s *spec) { s.Errors = append(s.Errors, fault.Blocked) }},
		{"unreached case", "no example reaches the case nothing", func(s *spec) { s.Examples[1].Case = "rows" }},
		{"unknown case", "there is no case", func(s *spec) { s.Examples[1].Case = "other" }},
		{"refused example", "the arguments are refused", func(s *spec) { s.Examples[0].In = `{}` }},
		{"same example twice", "needs a unique name", func(s *spec) { s.Examples[1].Name = "rows" }},
		{"no examples", "has no example", func(s *spec) { s.Examples = nil }},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := problems(fixture(c.change)); !strings.Contains(got, c.says) {
				t.Errorf("got %q, want %q in it", got, c.says)
			}
		})
	}
	t.Run("a sound tool", func(t *testing.T) {
		if got := problems(fixture(nil)); got != "" {
			t.Error(got)
		}
	})
	t.Run("twice", func(t *testing.T) {
		if got := strings.Join(tool.Lint([]tool.Tool{fixture(nil), fixture(nil)}, nil), "\n"); !strings.Contains(got,
			"is declared twice") {
			t.Error(got)
		}
	})
}

// problems runs Lint on one tool.
func problems(t tool.Tool) string {
	return strings.Join(tool.Lint([]tool.Tool{t}, []string{notBuilt, "read.preview_intent_evidence"}), "\n")
}

func TestLintOfOutputs(t *testing.T) {
	t.Run("undescribed", func(t *testing.T) {
		got := problems(tool.Declare(tool.Spec[struct {
			A string `json:"a"`
		}, struct {
			B string `json:"b"`
		}]{Name: "read.x"}))
		if !strings.Contains(got, "a has no description") || !strings.Contains(got, "b has no description") {
			t.Error(got)
		}
	})
	t.Run("secrets", func(t *testing.T) {
		got := problems(tool.Declare(tool.Spec[struct{}, struct {
			W secretWord `json:"w" description:"w"`
		}]{Name: "read.x"}))
		if !strings.Contains(got, "a secret can be reached") {
			t.Error(got)
		}
		got = problems(tool.Declare(tool.Spec[struct{}, deepSecret]{Name: "read.x"}))
		if !strings.Contains(got, "a secret can be reached from the output: tool_test.deepSecret.List.Table") {
			t.Error(got)
		}
	})
	t.Run("what is deep inside and cannot be told as a schema", func(t *testing.T) {
		type deep struct {
			Rows []struct {
				Price float64 `json:"price" description:"price"`
			} `json:"rows" description:"rows"`
		}
		got := problems(tool.Declare(tool.Spec[struct{}, deep]{Name: "read.x"}))
		if !strings.Contains(got, "read.x: the output has no schema: rows: price: float64") {
			t.Error(got)
		}
	})
	t.Run("names kept for secrets", func(t *testing.T) {
		got := problems(tool.Declare(tool.Spec[struct{}, struct {
			Rows []struct {
				Tx string `json:"signedTransactionBytes" description:"tx"`
			} `json:"rows" description:"rows"`
		}]{Name: "read.x"}))
		if !strings.Contains(got, "whose name is reserved for secrets") {
			t.Error(got)
		}
	})
	t.Run("static with arguments", func(t *testing.T) {
		got := problems(fixture(func(s *tool.Spec[fixtureIn, fixtureOut]) { s.Effect = tool.Static }))
		if !strings.Contains(got, "cannot depend on arguments") {
			t.Error(got)
		}
	})
}

// TestArgumentsThatHoldBytes checks that arguments with bytes to sign are refused, with a hint how
// to inspect them.
func TestArgumentsThatHoldBytes(t *testing.T) {
	for _, name := range []string{"transactionBytes", "tx_bytes", "bytes_to_sign", "transaction_base64",
		"rawTransaction", "raw_tx", "signature", "privateKey"} {
		answer := fixture(nil).Call(tool.NewCall(t.Context(), nil, tool.Client{}),
			json.RawMessage(`{"poolKey":"SUI_USDC","direction":"base_to_quote","`+name+`":"AAAC"}`))
		if text := string(answer.Text); answer.Fault == nil || !strings.Contains(text, "tx inspect") || strings.Contains(text,
			"AAAC") {
			t.Errorf("%s: %s", name, text)
		}
	}
}
