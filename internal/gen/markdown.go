package main

import (
	"fmt"
	"strings"
)

// markdown builds the text of a page.
type markdown struct{ b strings.Builder }

func (m *markdown) line(format string, args ...any) {
	fmt.Fprintf(&m.b, format+"\n", args...)
}

// row writes a row of a table.
func (m *markdown) row(cells ...string) {
	for i, c := range cells {
		cells[i] = strings.NewReplacer("|", "\\|", "\n", " ").Replace(c)
	}
	m.line("| %s |", strings.Join(cells, " | "))
}

// table writes the header of a table.
func (m *markdown) table(heads ...string) {
	m.row(heads...)
	rule := make([]string, len(heads))
	for i := range rule {
		rule[i] = "---"
	}
	m.row(rule...)
}

func (m *markdown) bytes() []byte {
	return []byte(strings.TrimRight(m.b.String(), "\n") + "\n")
}

// code formats a word as code.
func code(s string) string { return "`" + s + "`" }

// codes formats words as code and joins them with commas. It returns "–" if there are none.
func codes[T ~string](words []T) string {
	if len(words) == 0 {
		return "–"
	}
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = code(string(w))
	}
	return strings.Join(quoted, ", ")
}

const generated = "<!-- Rendered from the declarations in the code by `make gen`. Change those, not this page. -->\n"
