package main

import (
	"net/http"
	"slices"
	"strconv"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// retries holds the texts for the values of Retry.
var retries = []struct {
	advice fault.Retry
	means  string
}{
	{fault.RetryNever, "the same call fails again; change the arguments"},
	{fault.RetryLater, "the same call may succeed later"},
	{fault.RetryAfter, "do what the message says, then call again"},
	{fault.RetryChecked, "the state has changed; read it first"},
}

func errorReference(list []fault.Info, all []tool.Tool) []byte {
	m := &markdown{}
	m.line(generated)
	m.line("# Errors\n")
	m.line("Tools and the pages' API use the same closed list for `error.kind`. `error.message` is a sentence that says what to do. " +
		"`error.details` names fields and choices, if any.\n")
	m.table("Kind", "Meaning", "Retry", "HTTP status", "Tools that declare it")
	for _, i := range list {
		m.row(code(string(i.Code)), i.Meaning, string(i.Retry),
			strconv.Itoa(i.Status)+" "+http.StatusText(i.Status), users(i.Code, all))
	}
	m.line("")
	m.line("Retry advice:\n")
	for _, r := range retries {
		m.line("- %s: %s", code(string(r.advice)), r.means)
	}
	return m.bytes()
}

func users(c fault.Code, all []tool.Tool) string {
	if slices.Contains(tool.Shared(), c) {
		return "all"
	}
	var names []string
	for _, t := range all {
		if slices.Contains(t.Errors, c) {
			names = append(names, t.Name)
		}
	}
	return codes(names)
}
