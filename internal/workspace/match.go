package workspace

import (
	"strings"
)

// place is the position of a text in a file. If the text was found with a different indentation,
// indents maps each indentation in the search text to the one in the file.
type place struct {
	from, to int
	indented bool
	indents  map[string]string
	base     string // indentation of the search text's first line
	unit     string // one level of the file's indentation
}

// find returns the only position of a text. It first tries an exact match, then one with a
// different indentation.
func (f *textFile) find(search string) (*place, error) {
	var hits []int
	for at := 0; ; {
		i := strings.Index(f.text[at:], search)
		if i < 0 {
			break
		}
		hits = append(hits, at+i)
		at += i + 1 // matches may overlap
	}
	//mutant:never ./internal/workspace TestReplaceRefusals
	if len(hits) > 1 {
		return nil, f.many(hits)
	}
	if len(hits) == 1 {
		return &place{from: hits[0], to: hits[0] + len(search)}, nil
	}
	return f.findLines(search)
}

func (f *textFile) many(hits []int) error {
	e := &ManyError{Count: len(hits)}
	for _, at := range hits[:min(len(hits), maxHits)] {
		e.Lines = append(e.Lines, f.line(at))
	}
	return e
}

// findLines finds lines that differ from the text only in white space at either end.
func (f *textFile) findLines(search string) (*place, error) {
	want := strings.Split(strings.TrimSuffix(search, "\n"), "\n")
	for len(want) > 0 && strings.TrimSpace(want[0]) == "" {
		want = want[1:]
	}
	for len(want) > 0 && strings.TrimSpace(want[len(want)-1]) == "" {
		want = want[:len(want)-1]
	}
	if len(want) == 0 {
		return nil, &NoneError{}
	}
	trimmed := make([]string, len(want))
	for i, line := range want {
		trimmed[i] = strings.TrimSpace(line)
	}
	have := strings.Split(f.text, "\n")
	bare := make([]string, len(have))
	for i, line := range have {
		bare[i] = strings.TrimSpace(line)
	}
	var hits []int
	for i := 0; i+len(want) <= len(have); i++ {
		j := 0
		for j < len(want) && bare[i+j] == trimmed[j] {
			j++
		}
		if j == len(want) {
			hits = append(hits, i)
		}
	}
	if len(hits) == 0 {
		return nil, closest(have, trimmed[0])
	}
	if len(hits) > 1 {
		for i := range hits {
			hits[i] = f.lines[hits[i]]
		}
		return nil, f.many(hits)
	}
	first := hits[0]
	last := first + len(want) - 1
	p := &place{from: f.lines[first], to: f.lines[last] + len(have[last]), indented: true, indents: map[string]string{},
		base: indentOf(want[0]), unit: unitOf(have)}
	if strings.HasSuffix(search, "\n") && p.to < len(f.text) {
		p.to++ // the search text ends with a line end
	}
	for j, line := range want {
		if trimmed[j] != "" {
			if _, ok := p.indents[indentOf(line)]; !ok {
				p.indents[indentOf(line)] = indentOf(have[first+j])
			}
		}
	}
	return p, nil
}

// reindent replaces the indentation of a text's lines with the file's.
func (p *place) reindent(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		bare := strings.TrimLeft(line, " \t")
		if bare == "" {
			lines[i] = ""
			continue
		}
		lines[i] = p.indent(indentOf(line)) + bare
	}
	return strings.Join(lines, "\n")
}

// indent converts an indentation. If it does not occur in the search text, it is converted by
// units.
func (p *place) indent(of string) string {
	for n := len(of); n >= 0; n-- {
		if known, ok := p.indents[of[:n]]; ok {
			return known + p.steps(of[n:])
		}
	}
	// The indentation is smaller than all known ones, so the file's is reduced by the same amount.
	base := p.indents[p.base]
	return base[:max(0, len(base)-(len(p.base)-len(of)))]
}

// steps converts an indentation to units of the file.
func (p *place) steps(rest string) string {
	switch {
	case p.unit == "\t" && strings.Trim(rest, " ") == "":
		return strings.Repeat("\t", (len(rest)+3)/4)
	case p.unit != "" && p.unit != "\t":
		return strings.ReplaceAll(rest, "\t", p.unit)
	}
	return rest
}

func indentOf(line string) string { return line[:len(line)-len(strings.TrimLeft(line, " \t"))] }

// unitOf returns one level of a file's indentation: a tab, or the smallest number of leading spaces
// that is at least two.
func unitOf(lines []string) string {
	tabs, spaces, least := 0, 0, 8
	for _, line := range lines {
		switch n := len(indentOf(line)); {
		case n == 0 || n == len(line):
		case line[0] == '\t':
			tabs++
		case n >= 2:
			spaces++
			least = min(least, n)
		}
	}
	switch {
	case tabs > spaces:
		return "\t"
	case spaces > 0:
		return strings.Repeat(" ", least)
	}
	return ""
}

// maxCompared is the number of characters of a line that are compared with a text.
const maxCompared = 200

// closest finds the line that has the most pairs of characters in common with a text.
func closest(lines []string, want string) *NoneError {
	pairs := func(s string) map[string]int {
		m := map[string]int{}
		s = s[:min(len(s), maxCompared)]
		for i := 0; i+2 <= len(s); i++ {
			m[s[i:i+2]]++
		}
		return m
	}
	wanted := pairs(want)
	best, score := &NoneError{}, 0.34 // at least a third must be in common
	for i, line := range lines {
		bare := strings.TrimSpace(line)
		if len(bare) < 2 || len(want) < 2 || bare[0] == maskByte {
			continue
		}
		common := 0
		for pair, n := range pairs(bare) {
			common += min(n, wanted[pair])
		}
		total := min(len(bare), maxCompared) + min(len(want), maxCompared) - 2
		if s := 2 * float64(common) / float64(total); s > score {
			best, score = &NoneError{Line: i + 1, Text: bare}, s
		}
	}
	if best.Line > 0 {
		best.Text = shorten(visible(strings.ToValidUTF8(best.Text, "\uFFFD")))
	}
	return best
}
