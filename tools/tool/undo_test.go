package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// telling is a line that records the functions registered with Unsent.
type telling struct{ undo []func() }

func (*telling) Progress(int64, int64, string) bool { return false }
func (*telling) Park() func()                       { return func() {} }
func (*telling) InputEnded() <-chan struct{}        { return nil }
func (l *telling) Unsent(undo func())               { l.undo = append(l.undo, undo) }

// TestUndo checks that what a call created is undone if its answer is not sent.
func TestUndo(t *testing.T) {
	var taken []string
	target := func(change func(*tool.Spec[fixtureIn, fixtureOut])) tool.Tool {
		return fixture(func(s *tool.Spec[fixtureIn, fixtureOut]) {
			s.Effect = tool.OpensSession
			s.Undo = func(ctx context.Context, out *fixtureOut) {
				if ctx.Err() != nil {
					t.Error("taking back is cancelled with the call")
				}
				taken = append(taken, out.Kind)
			}
			if change != nil {
				change(s)
			}
		})
	}
	run := func(t *testing.T, target tool.Tool, ctx context.Context, client tool.Client, pool string) (tool.Answer,
		*telling) {
		t.Helper()
		taken = nil
		l := &telling{}
		return target.Call(tool.NewCall(ctx, l, client), json.RawMessage(`{"poolKey":"`+pool+
			`","direction":"base_to_quote"}`)), l
	}
	background := context.Background()
	made := []string{"a <b> & c"}
	t.Run("a call that is answered takes nothing back until the line says so", func(t *testing.T) {
		ctx, cancel := context.WithCancel(background)
		_, l := run(t, target(nil), ctx, tool.Client{}, "rows")
		if len(taken) != 0 || len(l.undo) != 1 {
			t.Fatalf("%v is taken back, %d registered", taken, len(l.undo))
		}
		cancel()
		if l.undo[0](); !slices.Equal(taken, made) {
			t.Errorf("%v is taken back", taken)
		}
	})
	for _, pool := range []string{"miss", "material", "plain"} {
		t.Run("a call that fails after it made something: "+pool, func(t *testing.T) {
			if answer, l := run(t, target(nil), background, tool.Client{}, pool); answer.Fault == nil || !slices.Equal(taken,
				made) || len(l.undo) != 0 {
				t.Errorf("%s: %v is taken back, %d registered", answer.Text, taken, len(l.undo))
			}
		})
	}
	asks := func(s *tool.Spec[fixtureIn, fixtureOut]) {
		s.Asking = &tool.Asking[fixtureOut]{
			Question: func(tool.Call, *fixtureOut) *tool.Question { return &tool.Question{Message: "Open?"} },
			Replied:  func(tool.Call, *fixtureOut, bool, tool.Reply) {},
		}
	}
	t.Run("a question in the place of the answer", func(t *testing.T) {
		answer, l := run(t, target(asks), background, tool.Client{AsksForm: true, AsksByResult: true}, "rows")
		if answer.Ask == nil || len(l.undo) != 1 {
			t.Fatalf("%s, %d registered", answer.Text, len(l.undo))
		}
		if l.undo[0](); !slices.Equal(taken, made) {
			t.Errorf("%v is taken back", taken)
		}
	})
	t.Run("a run that fails without having made anything of use", func(t *testing.T) {
		nothing := target(func(s *tool.Spec[fixtureIn, fixtureOut]) {
			s.Run = func(tool.Call, fixtureIn) (fixtureOut, error) { return fixtureOut{}, errors.New("x") }
		})
		if _, l := run(t, nothing, background, tool.Client{}, "rows"); !slices.Equal(taken, []string{""}) ||
			len(l.undo) != 0 {
			t.Errorf("%v, %d registered", taken, len(l.undo))
		}
	})
}

// TestRefusalsAreClean checks that errors do not repeat invisible characters.
func TestRefusalsAreClean(t *testing.T) {
	const marks = "a\u202eb\u0007c\u3164d"
	refusing := fixture(func(s *tool.Spec[fixtureIn, fixtureOut]) {
		s.Run = func(tool.Call, fixtureIn) (fixtureOut, error) {
			return fixtureOut{}, fault.New(fault.RegistryMiss, "No pool %s.", marks).With("poolKey", marks).WithList("allowed",
				[]string{marks})
		}
	})
	for name, args := range map[string]string{
		"text and details":    `{"poolKey":"x","direction":"base_to_quote"}`,
		"a name given twice":  `{"poolKey":"x","direction":"base_to_quote","a\u202eb\u0007":1,"a\u202eb\u0007":2}`,
		"a null of that name": `{"poolKey":"x","direction":"base_to_quote","a\u202eb\u0007":null}`,
	} {
		t.Run(name, func(t *testing.T) {
			answer, v := call(t, refusing, args)
			if answer.Fault == nil {
				t.Fatalf("got %s", answer.Text)
			}
			var all strings.Builder
			told := v["error"].(map[string]any)
			all.WriteString(told["message"].(string))
			if details, ok := told["details"].(map[string]any); ok {
				for _, value := range details {
					switch value := value.(type) {
					case string:
						all.WriteString(value)
					case []any:
						for _, one := range value {
							all.WriteString(one.(string))
						}
					}
				}
			}
			if strings.ContainsAny(all.String(), "\u202e\u0007\u3164") {
				t.Errorf("%q", all.String())
			}
		})
	}
}
