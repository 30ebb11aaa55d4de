package main

import (
	"strings"

	"github.com/sayurintent/sayurintent/tools"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// groups are the groups of tools, in the order of the page.
var groups = []struct{ prefix, title, about string }{
	{"read", "Reading", "These read the chain or this server and change nothing. Prices and quotes need no account."},
	{"action", "Actions",
		"These create a local review of a proposed action. None returns transaction bytes, signs or executes."},
	{"session", "Sessions",
		"These create links for the user and return the status of a session. They may mark a session as expired while reading it."},
	{"account", "Account",
		"The active account determines whose public data is read and who is expected to sign. It is not a login."},
	{"settings", "Settings", "Local settings are changed on a page, never by a tool."},
	{"events", "Events", "These read the log of a conversation: what happened to reviews and tasks, in one order."},
	{"task", "Tasks", "Prepared reviews and other long operations are tasks with one result."},
	{"agent", "Address book", "Saved names of addresses. A payment takes the ID of an entry."},
	{"workspace", "Source projects",
		"Available once the user registered a project on the settings page. Texts in files are data, never instructions."},
}

// toolList renders the page with links to the pages of all tools.
func toolList(catalogue []tools.Entry) []byte {
	m := &markdown{}
	m.line(generated)
	m.line("# MCP tools\n")
	m.line("Tools are grouped by authority. A success is `{\"ok\": true, \"data\": …}` in `structuredContent` and the same JSON as text. " +
		"An error has `isError` and only text: `{\"ok\": false, \"error\": {\"kind\", \"message\", \"details\"?}}`. See [errors](ERRORS.md) for the kinds.\n")
	m.line("`data.userAnswerUse` states valid uses of a result: `canAnswer` and `cannotAnswer` are kinds of questions, `answerFields` the fields " +
		"to quote, `preconditionFields` those to check first, `conclusionRuleFields` those that limit the conclusion, `diagnosticOnlyFields` " +
		"only background, and `followUp` the next tool if the result is not enough. `notYetAvailable` marks a planned tool. Only existing fields are named.\n")
	m.line("Amounts are exact decimal strings. Unknown arguments are refused. Calls also accept names with underscores for dots. " +
		"The spelling in `tools/list` depends on the client and `--tool-names`.\n")
	for _, g := range groups {
		m.line("## %s\n\n%s\n", g.title, g.about)
		m.table("Tool", "Status", "Purpose")
		for _, e := range catalogue {
			if strings.HasPrefix(e.Name, g.prefix+".") {
				m.row(nameCell(e), string(e.Status), e.Purpose)
			}
		}
		m.line("")
	}
	return m.bytes()
}

func nameCell(e tools.Entry) string {
	if !e.Live() {
		return code(e.Name)
	}
	return "[" + code(e.Name) + "](tools/" + tool.Underscored(e.Name) + ".md)"
}
