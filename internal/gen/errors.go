package main

import (
	"net/http"
	"slices"
	"strconv"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// retries says what the retry advice of a code means.
var retries = []struct {
	advice fault.Retry
	means  string
}{
	{fault.RetryNever, "the same call fails again; change the input"},
	{fault.RetryLater, "the same call can succeed later"},
	{fault.RetryAfter, "first do what the message says, then call again"},
	{fault.RetryChecked, "read the present state first; it has moved on"},
}

func errorReference(list []fault.Info, all []tool.Tool) []byte {
	m := &markdown{}
	m.line(generated)
	m.line("# Failure kinds\n")
	m.line("`error.kind` of a refusal is one of this closed list, for tools and for the pages' API alike. `error.message` is one plain sentence " +
		"that says what to do; `error.details` names fields and choices where there are some.\n")
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
