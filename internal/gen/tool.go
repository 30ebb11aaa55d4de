package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sayurintent/sayurintent/internal/evidence"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// recorded is the file with recorded answers of all tools. A test of package tools writes it.
const recorded = "tools/testdata/recorded.json"

// readRecorded returns the recorded answers by tool name.
func readRecorded(root string) (map[string]json.RawMessage, error) {
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(recorded)))
	if err != nil {
		return nil, err
	}
	var answers map[string]json.RawMessage
	if err := json.Unmarshal(text, &answers); err != nil {
		return nil, fmt.Errorf("%s: %w", recorded, err)
	}
	return answers, nil
}

// toolPage renders the page of a tool. answer is its recorded answer.
func toolPage(t tool.Tool, answer json.RawMessage) ([]byte, error) {
	m := &markdown{}
	m.line(generated)
	m.line("# %s\n", t.Name)
	m.line("%s\n", t.Summary)
	m.line("Effect: %s (%s). Status: %s. [All tools](../MCP_TOOLS.md)\n", t.Effect, t.Hints(), t.Status)
	whenToUse(m, t)
	input(m, t)
	if err := example(m, t, answer); err != nil {
		return nil, fmt.Errorf("%s: %w", t.Name, err)
	}
	output(m, t)
	m.line("## What the answer does not prove\n")
	for _, c := range t.Cases {
		m.line("- %s: %s", c.Name, codes(c.Use.Cannot))
	}
	m.line("")
	refusals(m, t)
	moreExamples(m, t)
	return m.bytes(), nil
}

func whenToUse(m *markdown, t tool.Tool) {
	m.line("## When to use it\n")
	m.table("Answer", "Answers questions about", "Next tool")
	for _, c := range t.Cases {
		next := "–"
		if c.Use.Next != nil {
			next = followUp(*c.Use.Next)
		}
		m.row(c.Name, codes(c.Use.Can), next)
	}
	m.line("")
}

func input(m *markdown, t tool.Tool) {
	m.line("## Input\n")
	args := t.Arguments()
	if len(args) == 0 {
		m.line("No arguments.\n")
		return
	}
	m.table("Argument", "Type", "Required", "Meaning")
	for _, f := range args {
		m.row(code(f.Path), f.Type, need(f), meaning(f))
	}
	m.line("")
}

// example renders a call together with its recorded answer.
func example(m *markdown, t tool.Tool, answer json.RawMessage) error {
	e, ok := t.Recorded()
	if !ok || answer == nil {
		return errors.New("answer not recorded; run: make record")
	}
	var args, text bytes.Buffer
	if err := json.Indent(&args, []byte(e.In), "", "  "); err != nil {
		return err
	}
	if err := json.Indent(&text, answer, "", "  "); err != nil {
		return err
	}
	m.line("## Example\n")
	m.line("If %s:\n", e.Given)
	m.line("```json\n%s\n```\n", &args)
	m.line("The answer, recorded on the sandbox. Long lists are shortened, and `userAnswerUse` is left out:\n")
	m.line("```json\n%s\n```\n", &text)
	return nil
}

func output(m *markdown, t tool.Tool) {
	m.line("## Output\n")
	m.table("Field of `data`", "Type", "Always", "Meaning")
	for _, f := range grouped(t.Fields()) {
		always := "yes"
		if !f.Required {
			always = "no"
		}
		m.row(code(f.Path), f.Type, always, meaning(f))
	}
	m.line("")
	for _, c := range t.Cases {
		quoting(m, c)
	}
}

// quoting renders the fields of a result that say what may be concluded from it.
func quoting(m *markdown, c tool.CaseInfo) {
	m.line("Use of the answer \"%s\":\n", c.Name)
	for _, l := range []struct {
		name  string
		paths []string
	}{
		{"answer with", c.Use.Answer}, {"check first", c.Use.Precondition},
		{"limits of the conclusion", c.Use.Rules}, {"background only", c.Use.Diagnostic},
	} {
		if len(l.paths) > 0 {
			m.line("- %s: %s", l.name, codes(l.paths))
		}
	}
	m.line("")
}

func refusals(m *markdown, t tool.Tool) {
	m.line("## Errors\n")
	m.table("Kind", "Meaning", "Example")
	for _, i := range fault.All() {
		if !slices.Contains(t.Errors, i.Code) && !slices.Contains(tool.Shared(), i.Code) {
			continue
		}
		var examples []string
		for _, e := range t.Examples {
			if e.Fault == i.Code {
				examples = append(examples, code(e.In)+", if "+e.Given)
			}
		}
		m.row("["+code(string(i.Code))+"](../ERRORS.md)", i.Meaning, strings.Join(examples, "; "))
	}
	m.line("")
}

// moreExamples renders all examples but the first.
func moreExamples(m *markdown, t tool.Tool) {
	shown, _ := t.Recorded()
	first := true
	for _, e := range t.Examples {
		if e.Fault != "" || e == shown {
			continue
		}
		if first {
			m.line("## More examples\n")
			m.table("Example", "Given", "Arguments", "Answer")
			first = false
		}
		m.row(e.Name, e.Given, code(e.In), e.Case)
	}
}

// grouped merges members that have no description into the row of their object.
func grouped(fields []tool.Field) []tool.Field {
	var rows []tool.Field
	members := map[string][]string{}
	for _, f := range fields {
		at := strings.LastIndexByte(f.Path, '.')
		if f.About != "" || at < 0 {
			continue
		}
		name := f.Path[at+1:]
		if !f.Required {
			name += "?"
		}
		members[f.Path[:at]] = append(members[f.Path[:at]], name)
	}
	for _, f := range fields {
		if f.About == "" && members[f.Path] == nil {
			continue
		}
		if inner := members[f.Path]; inner != nil {
			f.About = strings.TrimPrefix(f.About+"; has "+codes(inner), "; ")
		}
		rows = append(rows, f)
	}
	return rows
}

func need(f tool.Field) string {
	switch {
	case f.Default != "":
		return "no, default " + code(f.Default)
	case f.Required:
		return "yes"
	}
	return "no"
}

func meaning(f tool.Field) string {
	parts := []string{}
	if f.About != "" {
		parts = append(parts, f.About)
	}
	if len(f.Enum) > 0 {
		parts = append(parts, "one of "+codes(f.Enum))
	}
	if f.Rule != "" {
		parts = append(parts, f.Rule)
	}
	if len(parts) == 0 {
		return "–"
	}
	return strings.Join(parts, "; ")
}

func followUp(f evidence.FollowUp) string {
	text := code(f.Tool)
	if f.Missing {
		text += " (planned)"
	}
	text += ". " + f.Reason
	if len(f.Inputs) > 0 {
		text += " Pass on: " + codes(f.Inputs) + "."
	}
	if len(f.Answer) > 0 {
		text += " Read there: " + codes(f.Answer) + "."
	}
	return text
}
