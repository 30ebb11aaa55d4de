package tools_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"slices"
	"testing"
	"testing/cryptotest"
	"time"

	"github.com/sayurintent/sayurintent/internal/testkit/long"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// recordedAt is the sandbox's time while answers are recorded.
var recordedAt = time.Date(2026, time.January, 31, 12, 0, 0, 0, time.UTC)

// recordedAnswers contains each tool's answer to its first successful example. The pages in
// docs/tools show it.
const recordedAnswers = "testdata/recorded.json"

var write = flag.Bool("write", false, "record the answers in "+recordedAnswers+" again")

// TestRecordedAnswers checks that the answers in the reference are current.
func TestRecordedAnswers(t *testing.T) {
	long.Skip(t, "it calls every tool")
	build(t, nil) // the first one in a process draws more random numbers
	answers := map[string]json.RawMessage{}
	for _, situation := range slices.Sorted(maps.Keys(recordedIn())) {
		t.Run(situation, func(t *testing.T) {
			cryptotest.SetGlobalRandom(t, 1)
			w := buildAt(t, func() time.Time { return recordedAt }, nil)
			situations[situation](w)
			for _, d := range w.tools {
				if e, ok := d.Recorded(); ok && e.Given == situation {
					answer := d.Call(tool.NewCall(t.Context(), nil, tool.Client{}), e.Arguments(w.values))
					if answer.Case != e.Case {
						t.Fatalf("%s: case %q, want %q: %s", d.Name, answer.Case, e.Case, answer.Text)
					}
					answers[d.Name] = shorten(t, answer.Text)
				}
			}
		})
	}
	if *write {
		text, err := indented(answers)
		if err == nil {
			err = os.WriteFile(recordedAnswers, text, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(recordedAnswers)
	if err != nil {
		t.Fatal(err)
	}
	var before map[string]json.RawMessage
	if err := json.Unmarshal(text, &before); err != nil {
		t.Fatal(err)
	}
	if len(before) != len(answers) {
		t.Errorf("%d answers are recorded, of %d. Run: make record", len(before), len(answers))
	}
	for name, answer := range answers {
		var was bytes.Buffer
		if err := json.Compact(&was, before[name]); err != nil || !bytes.Equal(was.Bytes(), answer) {
			t.Errorf("%s: the recorded answer is not current. Run: make record\nrecorded %s\nnow %s", name, &was, answer)
		}
	}
}

// indented encodes answers in the file's format.
func indented(answers map[string]json.RawMessage) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	err := e.Encode(answers)
	return b.Bytes(), err
}

// recordedIn returns the situations in which answers are recorded.
func recordedIn() map[string]bool {
	in := map[string]bool{}
	for _, d := range declared() {
		if e, ok := d.Recorded(); ok {
			in[e.Given] = true
		}
	}
	return in
}
