package tool_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sayurintent/sayurintent/internal/evidence"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/tools/tool"
)

func TestArguments(t *testing.T) {
	target := fixture(nil)
	for _, c := range []struct {
		name, args, field, reason, says string
		allowed                         []any
	}{
		{"nothing", ``, "poolKey", "missing",
			"poolKey is missing: pool to read. direction is missing: which coin is paid, one of base_to_quote, quote_to_base.",
			nil},
		{"null", `null`, "poolKey", "missing", "", nil},
		{"no object", `[]`, "arguments", "wrong_type", "arguments must be an object.", nil},
		{"unknown", `{"poolKey":"x","direction":"base_to_quote","pool":"y"}`, "pool", "unknown_argument",
			`"pool" is unknown; this tool takes poolKey, direction, amountRaw, ticks, mode, from, wanted. Did you mean "poolKey"?`,
			[]any{"poolKey", "direction", "amountRaw", "ticks", "mode", "from", "wanted"}},
		{"unknown below", `{"poolKey":"x","direction":"base_to_quote","from":{"symbol":"SUI","amount":"1"}}`, "from.amount",
			"unknown_argument", `"amount" is unknown; from takes symbol.`, []any{"symbol"}},
		{"two unknown", `{"poolKey":"x","direction":"base_to_quote","from":{"symbol":"SUI","amount":"1","colour":"red"}}`,
			"from.amount", "unknown_argument", `"amount" is unknown; from takes symbol. "colour" is also unknown.`,
			[]any{"symbol"}},
		{"missing below", `{"poolKey":"x","direction":"base_to_quote","from":{}}`, "from.symbol", "missing",
			"from.symbol is missing: coin symbol.", nil},
		{"wrong type", `{"poolKey":7,"direction":"base_to_quote"}`, "poolKey", "wrong_type", "poolKey must be a string.",
			nil},
		{"null member", `{"poolKey":null,"direction":"base_to_quote"}`, "poolKey", "wrong_type", "poolKey must be a string.",
			nil},
		{"wrong type in list", `{"poolKey":"x","direction":"base_to_quote","wanted":[{"symbol":"a"},{"symbol":1}]}`,
			"wanted[1].symbol", "wrong_type", "wanted[1].symbol must be a string.", nil},
		{"not a word of the set", `{"poolKey":"x","direction":"up"}`, "direction", "not_allowed",
			"direction must be one of: base_to_quote, quote_to_base.", []any{"base_to_quote", "quote_to_base"}},
		{"wrong form", `{"poolKey":"x","direction":"base_to_quote","amountRaw":"-5"}`, "amountRaw", "malformed",
			"amountRaw must be a positive whole number in a string.", nil},
		{"too long", `{"poolKey":"x","direction":"base_to_quote","amountRaw":"123456789012345678901"}`, "amountRaw",
			"malformed",
			"amountRaw must have 1 to 20 characters.", nil},
		{"out of range", `{"poolKey":"x","direction":"base_to_quote","ticks":51}`, "ticks", "out_of_range",
			"ticks must be a whole number from 1 to 50.", nil},
		{"fraction", `{"poolKey":"x","direction":"base_to_quote","ticks":1.5}`, "ticks", "wrong_type",
			"ticks must be an integer.", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			answer, v := call(t, target, c.args)
			if answer.Fault == nil || answer.Fault.Code != fault.InputInvalid {
				t.Fatalf("got %s", answer.Text)
			}
			told := v["error"].(map[string]any)
			details := told["details"].(map[string]any)
			if details["field"] != c.field || details["reason"] != c.reason {
				t.Errorf("details %v, want field %s, reason %s", details, c.field, c.reason)
			}
			if c.says != "" && told["message"] != c.says {
				t.Errorf("message %q, want %q", told["message"], c.says)
			}
			if allowed, _ := details["allowed"].([]any); c.allowed != nil {
				if diff := cmp.Diff(c.allowed, allowed); diff != "" {
					t.Error(diff)
				}
			}
			for _, foreign := range []string{"jsonschema", "schema.json", "struct", "fixtureIn", "Go "} {
				if strings.Contains(string(answer.Text), foreign) {
					t.Errorf("the refusal speaks of %q: %s", foreign, answer.Text)
				}
			}
		})
	}
	t.Run("twice", func(t *testing.T) {
		answer, _ := call(t, target, `{"poolKey":"x","poolKey":"y","direction":"base_to_quote"}`)
		if answer.Fault == nil || !strings.Contains(answer.Fault.Text, `"poolKey" appears twice`) {
			t.Errorf("got %s", answer.Text)
		}
	})
	t.Run("too large", func(t *testing.T) {
		answer, _ := call(t, target, `{"poolKey":"`+strings.Repeat("x", 70_000)+`"}`)
		if answer.Fault == nil || answer.Fault.Code != fault.TooLarge {
			t.Errorf("got %.200s", answer.Text)
		}
	})
	t.Run("an invented name is shortened", func(t *testing.T) {
		answer, _ := call(t, target, `{"poolKey":"x","direction":"base_to_quote","`+strings.Repeat("é", 5000)+`":1}`)
		if answer.Fault == nil || len(answer.Text) > 1000 {
			t.Errorf("got %d bytes", len(answer.Text))
		}
	})
}

func TestDefaults(t *testing.T) {
	_, v := call(t, fixture(nil), `{"poolKey":"x","direction":"quote_to_base"}`)
	echo := v["data"].(map[string]any)["echo"].(map[string]any)
	if echo["ticks"] != 5.0 || echo["mode"] != "deep" {
		t.Errorf("defaults are not filled: %v", echo)
	}
	_, v = call(t, fixture(nil), `{"poolKey":"x","direction":"quote_to_base","ticks":7,"mode":"input"}`)
	echo = v["data"].(map[string]any)["echo"].(map[string]any)
	if echo["ticks"] != 7.0 || echo["mode"] != "input" {
		t.Errorf("defaults replace what was given: %v", echo)
	}
}

func TestEnvelope(t *testing.T) {
	answer, v := call(t, fixture(nil), `{"poolKey":"rows","direction":"base_to_quote"}`)
	if answer.Fault != nil || v["ok"] != true || answer.Case != "rows" {
		t.Fatalf("got %s", answer.Text)
	}
	if !strings.Contains(string(answer.Text), `"a <b> & c"`) {
		t.Errorf("characters are escaped for HTML: %s", answer.Text)
	}
	answer, v = call(t, fixture(nil), `{"poolKey":"miss","direction":"base_to_quote"}`)
	want := map[string]any{"ok": false, "error": map[string]any{"kind": "registry_miss", "message": "No pool <miss>.",
		"details": map[string]any{"poolKey": "miss", "allowed": []any{"a"}}}}
	if diff := cmp.Diff(want, v); diff != "" || answer.Fault == nil {
		t.Error(diff)
	}
}

func TestGuidance(t *testing.T) {
	use := func(args string) map[string]any {
		_, v := call(t, fixture(nil), args)
		return v["data"].(map[string]any)["userAnswerUse"].(map[string]any)
	}
	t.Run("R004-46 answer fields are those that the answer has", func(t *testing.T) {
		got := use(`{"poolKey":"rows","direction":"base_to_quote"}`)
		want := []any{"kind", "rows[].id", "rows[].extra", "maybe.symbol", "quote.symbol"}
		if diff := cmp.Diff(want, got["answerFields"]); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("a list path needs the field in every row", func(t *testing.T) {
		got := use(`{"poolKey":"uneven","direction":"base_to_quote"}`)
		if diff := cmp.Diff([]any{"kind", "rows[].id", "quote.symbol"}, got["answerFields"]); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("R004-51 follow-up inputs are those that the answer has", func(t *testing.T) {
		got := use(`{"poolKey":"uneven","direction":"base_to_quote"}`)
		if diff := cmp.Diff([]any{"kind"}, got["followUp"].(map[string]any)["inputFields"]); diff != "" {
			t.Error(diff)
		}
		if _, there := got["conclusionRuleFields"]; there {
			t.Errorf("an empty list of rules is shown: %v", got)
		}
	})
	t.Run("every part of the guidance has its own member", func(t *testing.T) {
		full := fixture(func(s *tool.Spec[fixtureIn, fixtureOut]) {
			s.Cases = []tool.Case[fixtureOut]{{Name: "all", Use: evidence.Use{
				Can: evidence.Claims{"a"}, Cannot: evidence.Claims{"b"}, Answer: []string{"kind"}, Precondition: []string{"rows"},
				Rules: []string{"quote"}, Diagnostic: []string{"fetchedAt"},
				Next: evidence.Ask(notBuilt, "Because.").With("kind").Reading("pools"),
			}}}
		})
		tool.MarkPlanned([]tool.Tool{full}, []string{notBuilt})
		_, v := call(t, full, `{"poolKey":"rows","direction":"base_to_quote"}`)
		got := v["data"].(map[string]any)["userAnswerUse"].(map[string]any)
		for id, want := range map[string]map[string]any{
			"R004-44 canAnswer":            {"canAnswer": []any{"a"}},
			"R004-45 cannotAnswer":         {"cannotAnswer": []any{"b"}},
			"R004-47 preconditionFields":   {"preconditionFields": []any{"rows"}},
			"R004-48 conclusionRuleFields": {"conclusionRuleFields": []any{"quote"}},
			"R004-49 diagnosticOnlyFields": {"diagnosticOnlyFields": []any{"fetchedAt"}},
			"R004-50 R004-52 followUp": {"followUp": map[string]any{"tool": notBuilt, "notYetAvailable": true,
				"reason":      "Because.",
				"inputFields": []any{"kind"}, "answerFields": []any{"pools"}}},
		} {
			t.Run(id, func(t *testing.T) {
				for name, value := range want {
					if diff := cmp.Diff(value, got[name]); diff != "" {
						t.Error(diff)
					}
				}
			})
		}
	})
	t.Run("the first case that fits wins, lists are never null", func(t *testing.T) {
		got := use(`{"poolKey":"x","direction":"base_to_quote"}`)
		want := map[string]any{"canAnswer": []any{"deepbook_pool_mid_price_snapshot"}, "cannotAnswer": []any{},
			"answerFields": []any{"rows"}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestFailures(t *testing.T) {
	for _, pool := range []string{"plain", "panic", "material"} {
		t.Run(pool, func(t *testing.T) {
			answer, _ := call(t, fixture(nil), `{"poolKey":"`+pool+`","direction":"base_to_quote"}`)
			if answer.Fault == nil || answer.Fault.Code != fault.InternalError {
				t.Fatalf("got %s", answer.Text)
			}
			for _, leak := range []string{"secret cause", "AAA=", "transactionBytes", "goroutine"} {
				if strings.Contains(string(answer.Text), leak) {
					t.Errorf("%q is told: %s", leak, answer.Text)
				}
			}
			if answer.Fault.Err == nil {
				t.Error("the cause is lost to the log")
			}
		})
	}
	t.Run("R004-432 a cancelled call is request_aborted", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		answer := fixture(nil).Call(tool.NewCall(ctx, nil, tool.Client{}),
			json.RawMessage(`{"poolKey":"wait","direction":"base_to_quote"}`))
		if answer.Fault == nil || answer.Fault.Code != fault.RequestAborted {
			t.Errorf("got %s", answer.Text)
		}
	})
}

type brokenOut struct {
	Rows []*row `json:"rows" description:"rows"`
	Word word   `json:"word" description:"one of a set"`
}

type word string

func (word) Values() []string { return []string{"yes", "no"} }

func TestAnswersAreChecked(t *testing.T) {
	broken := tool.Declare(tool.Spec[struct{}, brokenOut]{
		Name: "read.broken", Run: func(tool.Call, struct{}) (brokenOut, error) { return brokenOut{Word: "maybe"}, nil },
	})
	if answer, _ := call(t, broken, `{}`); answer.Fault == nil || answer.Fault.Code != fault.InternalError {
		t.Errorf("an answer outside its schema went out: %s", answer.Text)
	}
	fine := tool.Declare(tool.Spec[struct{}, brokenOut]{
		Name: "read.fine", Run: func(tool.Call, struct{}) (brokenOut, error) { return brokenOut{Word: "yes"}, nil },
	})
	answer, _ := call(t, fine, ``)
	if string(answer.Text) != `{"ok":true,"data":{"rows":[],"word":"yes"}}` {
		t.Errorf("got %s", answer.Text)
	}
}

func TestStaticAnswersAreMadeOnce(t *testing.T) {
	runs := 0
	static := tool.Declare(tool.Spec[struct{}, row]{
		Name: "read.static", Effect: tool.Static,
		Run: func(tool.Call, struct{}) (row, error) {
			runs++
			if runs == 1 {
				return row{}, fault.New(fault.ProviderUnavailable, "Not yet.")
			}
			return row{ID: "x"}, nil
		},
	})
	if answer, _ := call(t, static, `{}`); answer.Fault == nil {
		t.Error("the refusal is lost")
	}
	first, _ := call(t, static, `{}`)
	second, _ := call(t, static, `{}`)
	if runs != 2 || string(first.Text) != string(second.Text) || first.Fault != nil {
		t.Errorf("%d runs, %s, %s", runs, first.Text, second.Text)
	}
	if answer, _ := call(t, static, `{"x":1}`); answer.Fault == nil {
		t.Error("unknown arguments pass")
	}
}
