package main

import (
	"strings"

	"github.com/sayurintent/sayurintent/tools/tool"
)

// toolIndex renders a page with one line per tool: arguments, effect and purpose. AI clients read
// it to find a tool, and then read the page of that tool.
func toolIndex(all []tool.Tool) []byte {
	m := &markdown{}
	m.line(generated)
	m.line("# MCP tools\n")
	m.line("Each line is a tool: its arguments (`?` marks optional ones), effect and purpose. " +
		"The full reference of a tool, with examples, is the resource " +
		"`sayurintent://docs/mcp-tools/{name}`, for example `sayurintent://docs/mcp-tools/read.get_server_status`.\n")
	m.line("A success is `{\"ok\": true, \"data\": …}`, an error `{\"ok\": false, \"error\": {\"kind\", \"message\", \"details\"?}}`. " +
		"`data.userAnswerUse` states valid uses of a result. Amounts are exact decimal strings. Unknown arguments are refused. " +
		"Calls also accept names with underscores for dots.\n")
	for _, g := range groups {
		m.line("## %s\n\n%s\n", g.title, g.about)
		for _, t := range all {
			if strings.HasPrefix(t.Name, g.prefix+".") {
				m.line("- `%s(%s)` %s. %s", t.Name, signature(t), t.Effect, t.Summary)
			}
		}
		m.line("")
	}
	return m.bytes()
}

// signature lists a tool's top-level arguments.
func signature(t tool.Tool) string {
	var names []string
	for _, f := range t.Arguments() {
		if strings.Contains(f.Path, ".") {
			continue
		}
		name := strings.TrimRight(f.Path, "[]{}")
		if !f.Required {
			name += "?"
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}
