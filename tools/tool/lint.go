package tool

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/sayurintent/sayurintent/internal/evidence"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/screen"
	"github.com/sayurintent/sayurintent/internal/strictjson"
)

// Limits that keep names and texts usable in every client.
const (
	maxName    = 44
	maxTitle   = 60
	maxSummary = 300
)

const nameForm = `^(read|action|session|account|settings|events|task|agent|workspace)\.[a-z]+(_[a-z]+)*$`

// instructing matches words of instructions. A summary only describes a tool; workflows belong in
// prompts and in the server's instructions.
const instructing = `(?i)\b(you|your|must|should|always|never|please|first|before calling|call this|use this)\b`

// bracketed matches a placeholder in an example's arguments.
const bracketed = `<[A-Za-z]+>`

// Shared returns the codes that every tool can return.
func Shared() []fault.Code {
	return []fault.Code{fault.InputInvalid, fault.TooLarge, fault.RequestAborted, fault.InternalError}
}

// Lint checks the declarations of tools and returns one sentence for each problem. Guidance may
// also name planned tools. Lint does not run any tool.
func Lint(tools []Tool, planned []string) []string {
	l := linter{name: regexp.MustCompile(nameForm), order: regexp.MustCompile(instructing),
		made: regexp.MustCompile(bracketed)}
	tools = l.deepen(tools)
	seen := map[string]bool{}
	for _, t := range tools {
		if seen[t.Name] {
			l.say("%s is declared twice", t.Name)
		}
		seen[t.Name] = true
		l.texts(t)
		l.schemas(t)
		l.effect(t)
		l.cases(t, tools, planned)
		l.examples(t)
	}
	for _, name := range planned {
		if seen[name] {
			l.say("%s is declared and still listed as planned", name)
		}
	}
	return l.problems
}

type linter struct {
	name, order, made *regexp.Regexp
	problems          []string
}

func (l *linter) say(format string, args ...any) {
	l.problems = append(l.problems, fmt.Sprintf(format, args...))
}

// deepen returns the tools with the complete schemas of their answers. Declare reads only the
// advertised levels.
func (l *linter) deepen(tools []Tool) []Tool {
	tools = slices.Clone(tools)
	for i, t := range tools {
		out, err := objectOf(t.plain.out, maxDepth)
		if err != nil {
			l.say("%s: the output has no schema: %v", t.Name, err)
			continue
		}
		tools[i].out = out
	}
	return tools
}

func (l *linter) texts(t Tool) {
	if !l.name.MatchString(t.Name) || len(t.Name) > maxName {
		l.say("%q is not a tool name: group.words_in_lower_case, at most %d characters", t.Name, maxName)
	}
	if t.Title == "" || len(t.Title) > maxTitle {
		l.say("%s: the title has 1 to %d characters", t.Name, maxTitle)
	}
	if !strings.HasSuffix(t.Summary, ".") || len(t.Summary) > maxSummary {
		l.say("%s: the summary is one or two sentences of at most %d characters", t.Name, maxSummary)
	}
	if word := l.order.FindString(t.Summary); word != "" {
		l.say("%s: the summary gives instructions (%q) instead of describing the tool", t.Name, word)
	}
}

func (l *linter) schemas(t Tool) {
	if path := secretIn(t.plain.out); path != "" {
		l.say("%s: a secret can be reached from the output: %s", t.Name, path)
	}
	l.described(t.Name+" input", &t.in, maxDepth)
	l.described(t.Name+" output", &t.out, 1)
	l.openNames(t.Name, &t.out)
}

// described reports members without a description in n and in the levels down to depth.
func (l *linter) described(where string, n *node, depth int) {
	if depth == 0 {
		return
	}
	if n.items != nil {
		l.described(where+"[]", n.items, depth)
	}
	for i := range n.props {
		p := &n.props[i]
		if p.node.about == "" {
			l.say("%s: %s has no description", where, p.name)
		}
		l.described(where+"."+p.name, &p.node, depth-1)
	}
}

func (l *linter) openNames(where string, n *node) {
	if n.items != nil {
		l.openNames(where, n.items)
	}
	if n.values != nil {
		l.openNames(where, n.values)
	}
	for i := range n.props {
		if screen.ForbiddenName(n.props[i].name) {
			l.say("%s: the output has a member %q, whose name is reserved for secrets", where, n.props[i].name)
		}
		l.openNames(where, &n.props[i].node)
	}
}

// effect checks that the tool's effect is allowed for the group in its name.
func (l *linter) effect(t Tool) {
	allowed := map[string][]Effect{
		"read":      {Static, ReadsLocal, ReadsChain, FillsCache},
		"account":   {ReadsLocal, ClearsLocal},
		"session":   {KeepsTime, OpensSession},
		"action":    {OpensSession},
		"settings":  {ReadsLocal, OpensSession},
		"events":    {KeepsTime, OpensSession, AddsLocal},
		"task":      {KeepsTime, AddsLocal},
		"agent":     {ReadsLocal, AddsLocal, ClearsLocal, OpensSession},
		"workspace": {ReadsLocal, ReadsChain, AddsLocal, ChangesFiles},
	}
	group, _, _ := strings.Cut(t.Name, ".")
	if !slices.Contains(allowed[group], t.Effect) {
		l.say("%s: a %s tool has no effect %q", t.Name, group, t.Effect)
	}
	if t.Effect == Static && len(t.in.props) > 0 {
		l.say("%s: a static answer cannot depend on arguments", t.Name)
	}
	chain := slices.Contains(t.Errors, fault.ProviderUnavailable)
	if chain != (t.Effect == ReadsChain || t.Effect == FillsCache) {
		l.say("%s: a tool declares %s if and only if it reads the chain", t.Name, fault.ProviderUnavailable)
	}
}

func (l *linter) cases(t Tool, tools []Tool, planned []string) {
	for i, c := range t.Cases {
		where := t.Name + " case " + c.Name
		if last := i == len(t.Cases)-1; c.Always != last {
			l.say("%s: the last case, and no other, must match every answer", where)
		}
		for _, claim := range c.Use.Can.Both(c.Use.Cannot) {
			l.say("%s: %s is both allowed and refused", where, claim)
		}
		if len(c.Use.Can) == 0 {
			l.say("%s: an answer that supports nothing is a refusal", where)
		}
		for _, paths := range [][]string{c.Use.Answer, c.Use.Precondition, c.Use.Rules, c.Use.Diagnostic} {
			for _, p := range paths {
				if !t.out.exists(p) {
					l.say("%s: the output has no field %q", where, p)
				}
			}
		}
		l.followUp(t, where, c.Use.Next, tools, planned)
	}
}

func (l *linter) followUp(t Tool, where string, next *evidence.FollowUp, tools []Tool, planned []string) {
	if next == nil {
		return
	}
	if next.Reason == "" {
		l.say("%s: the follow-up %s has no reason", where, next.Tool)
	}
	for _, p := range next.Inputs {
		if !t.out.exists(p) {
			l.say("%s: the follow-up takes a field %q that the output lacks", where, p)
		}
	}
	i := slices.IndexFunc(tools, func(other Tool) bool { return other.Name == next.Tool })
	if i < 0 {
		if !slices.Contains(planned, next.Tool) {
			l.say("%s: the follow-up %q is neither a tool nor planned", where, next.Tool)
		}
		return
	}
	for _, p := range next.Answer {
		if !tools[i].out.exists(p) {
			l.say("%s: the follow-up %s has no field %q", where, next.Tool, p)
		}
	}
}

func (l *linter) examples(t Tool) {
	if len(t.Examples) == 0 {
		l.say("%s has no example", t.Name)
	}
	names := map[string]bool{}
	for _, e := range t.Examples {
		where := t.Name + " example " + e.Name
		if names[e.Name] || e.Name == "" {
			l.say("%s: each example needs a unique name", where)
		}
		names[e.Name] = true
		if (e.Fault == "") == (e.Case == "") && len(t.Cases) > 0 {
			l.say("%s: an example needs a case or a fault, but not both", where)
		}
		if e.Fault != "" && !slices.Contains(t.Errors, e.Fault) && !slices.Contains(Shared(), e.Fault) {
			l.say("%s: %s is not declared", where, e.Fault)
		}
		if e.Case != "" && !slices.ContainsFunc(t.Cases, func(c CaseInfo) bool { return c.Name == e.Case }) {
			l.say("%s: there is no case %q", where, e.Case)
		}
		if _, err := t.admit(strictjson.Value{Raw: l.made.ReplaceAll([]byte(e.In), []byte("AAAA"))}); err != nil &&
			e.Fault != fault.InputInvalid {
			l.say("%s: the arguments are refused: %v", where, err)
		}
	}
	for _, code := range t.Errors {
		if !slices.ContainsFunc(t.Examples, func(e Example) bool { return e.Fault == code }) {
			l.say("%s: no example reaches %s", t.Name, code)
		}
	}
	for _, c := range t.Cases {
		if !slices.ContainsFunc(t.Examples, func(e Example) bool { return e.Case == c.Name }) {
			l.say("%s: no example reaches the case %s", t.Name, c.Name)
		}
	}
}
