package tools_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// question is one file of testdata/questions; its README describes the format.
type question struct {
	name  string
	asks  []string // the user's words
	reply string   // what a good answer does
	given string
	waits []string // tools that do not exist yet
	steps []step
	// Claims that no answer may support, and words that no tool's name may contain.
	nowhere, noTool []string
}

// step is one call and what its answer must allow, refuse and contain.
type step struct {
	line       int
	tool, args string
	refusal    string // error kind; "" means success
	next       string // next tool, or none; "" is unchecked
	can        []string
	cannot     []string
	use        []string // present fields to answer with
	first      []string // fields to check first
	limits     []string // fields that limit the conclusion
	never      []string // present fields that must not be answered with
	lacks      []string // absent fields
	facts      []fact
}

// fact is a field that has a value, or whose value says something.
type fact struct{ path, op, want string }

// addWords appends the words of a line to a list.
func addWords(to *[]string, text string) { *to = append(*to, strings.Fields(text)...) }

// parseQuestion reads one file.
func parseQuestion(name, text string) (question, error) {
	q := question{name: name}
	for n, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		key, value, ok := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		if !ok || value == "" {
			return q, fmt.Errorf("%s:%d: not a key with a value: %s", name, n+1, line)
		}
		if q.head(key, value) {
			continue
		}
		if key == "call" {
			tool, args, _ := strings.Cut(value, " ")
			q.steps = append(q.steps, step{line: n + 1, tool: tool, args: args})
			continue
		}
		if len(q.steps) == 0 || !q.steps[len(q.steps)-1].add(key, value) {
			return q, fmt.Errorf("%s:%d: %q does not belong here", name, n+1, key)
		}
	}
	if len(q.asks) == 0 || q.reply == "" || len(q.steps)+len(q.nowhere)+len(q.noTool) == 0 || len(q.steps) > 0 &&
		q.given == "" {
		return q, fmt.Errorf("%s: needs ask, reply, given and what to check", name)
	}
	return q, nil
}

// head reads a line about the whole question.
func (q *question) head(key, value string) bool {
	switch key {
	case "ask":
		q.asks = append(q.asks, value)
	case "reply":
		q.reply = value
	case "given":
		q.given = value
	case "waits":
		addWords(&q.waits, value)
	case "nowhere":
		addWords(&q.nowhere, value)
	case "notool":
		addWords(&q.noTool, value)
	default:
		return false
	}
	return true
}

// add reads a line about the call before it.
func (s *step) add(key, value string) bool {
	lists := map[string]*[]string{"can": &s.can, "cannot": &s.cannot, "use": &s.use, "first": &s.first,
		"limits": &s.limits,
		"never":  &s.never, "lacks": &s.lacks}
	if to, ok := lists[key]; ok {
		addWords(to, value)
		return true
	}
	switch key {
	case "refused":
		s.refusal = value
	case "next":
		s.next = value
	case "fact":
		for _, op := range []string{" = ", " ~ ", " has "} {
			if path, want, ok := strings.Cut(value, op); ok {
				s.facts = append(s.facts, fact{strings.TrimSpace(path), strings.TrimSpace(op), strings.TrimSpace(want)})
				return true
			}
		}
		return false
	default:
		return false
	}
	return true
}

// questions reads every file.
func questions(t *testing.T) []question {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "questions", "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatal("there are no questions", err)
	}
	var all []question
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		q, err := parseQuestion(strings.TrimSuffix(filepath.Base(file), ".txt"), string(b))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, q)
	}
	return all
}

// TestQuestionFormat checks that a misspelled line is an error and not ignored.
func TestQuestionFormat(t *testing.T) {
	const good = "ask: a\nreply: b\ngiven: c\ncall: read.x {}\nuse: d e\nfact: f = \"g\"\n"
	q, err := parseQuestion("good", good)
	if err != nil || len(q.steps) != 1 || !slices.Equal(q.steps[0].use, []string{"d", "e"}) ||
		q.steps[0].facts[0] != (fact{"f", "=", `"g"`}) {
		t.Errorf("%+v %v", q, err)
	}
	for name, text := range map[string]string{
		"an unknown key": good + "uses: f", "no value": good + "use:", "a fact without a relation": good + "fact: f",
		"a check before any call": "ask: a\nreply: b\ngiven: c\nuse: d", "nothing checked": "ask: a\nreply: b\ngiven: c",
		"no state": "ask: a\nreply: b\ncall: read.x {}", "nobody asks": "reply: b\ngiven: c\ncall: read.x {}",
		"no key": good + "text",
	} {
		if _, err := parseQuestion(name, text); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
}
