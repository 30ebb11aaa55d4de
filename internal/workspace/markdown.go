package workspace

import (
	"fmt"
	"path"
	"strings"

	"github.com/sayurintent/sayurintent/internal/workspace/move/graph"
)

// Markdown returns the text of the protocol: a heading with the file or project, the number of
// matches, and the matches.
func (a *GrepAnswer) Markdown() string {
	var b strings.Builder
	name := a.Project
	if a.Search.Path != "" {
		name = path.Base(a.Search.Path)
	}
	fmt.Fprintf(&b, "## 文件内容搜索: %s\n\n**匹配数量**: %d\n", inline(name), len(a.Matches.Matches))
	last := ""
	for _, m := range a.Matches.Matches {
		if m.Path != last {
			fmt.Fprintf(&b, "\n### %s\n", inline(m.Path))
			last = m.Path
		}
		var lines []string
		for i, line := range m.Before {
			lines = append(lines, fmt.Sprintf("%d- %s", m.Line-len(m.Before)+i, line))
		}
		lines = append(lines, fmt.Sprintf("%d: %s", m.Line, m.Text))
		for i, line := range m.After {
			lines = append(lines, fmt.Sprintf("%d- %s", m.Line+1+i, line))
		}
		block(&b, "", lines)
	}
	for _, note := range a.Notes() {
		fmt.Fprintf(&b, "\n> %s\n", note)
	}
	return b.String()
}

// Notes say what the matches omit, and how to continue.
func (a *GrepAnswer) Notes() []string {
	var notes []string
	if a.Truncated {
		notes = append(notes, fmt.Sprintf("There are more matches than the %d shown. Specify a file in relativePath, "+
			"narrow the pattern, or raise limit up to %d.", len(a.Matches.Matches),
			MaxMatches))
	}
	if a.Withheld > 0 {
		notes = append(notes, fmt.Sprintf(
			"%d lines are withheld: they contain what looks like a private key or a recovery phrase.", a.Withheld))
	}
	return notes
}

// Markdown returns the text of the protocol: lines with their numbers.
func (a *ReadAnswer) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "## 文件内容: %s\n\n**行**: %d-%d / %d\n", inline(path.Base(a.Path)), a.Start, a.End, a.Total)
	var lines []string
	for i, line := range a.Lines {
		lines = append(lines, fmt.Sprintf("%d: %s", a.Start+i, line))
	}
	block(&b, "", lines)
	if a.Next > 0 {
		fmt.Fprintf(&b, "\n> There is more: continue with start_line %d.\n", a.Next)
	}
	for _, note := range a.Notes {
		fmt.Fprintf(&b, "\n> %s\n", note)
	}
	return b.String()
}

// Markdown returns the text of the protocol: callees and then callers, by depth.
func (a *ChainAnswer) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "## 调用链: %s\n\n**边**: %d\n", inline(a.Request.Method), len(a.Edges))
	for _, f := range a.Starts {
		fmt.Fprintf(&b, "\n- %s%s\n", f.ID, at(f.File, f.Line))
	}
	for _, d := range []graph.Direction{graph.Callees, graph.Callers} {
		title := false
		for _, e := range a.Edges {
			if e.Direction != d {
				continue
			}
			if !title {
				fmt.Fprintf(&b, "\n### %s\n\n", d)
				title = true
			}
			fmt.Fprintf(&b, "%s- %s → %s (%s%s)\n", strings.Repeat("  ", e.Depth-1), e.Caller, e.Callee, e.Confidence, marks(e))
		}
	}
	for _, s := range a.Sources {
		fmt.Fprintf(&b, "\n### %s (%s:%d)\n", s.ID, inline(s.File), s.Line)
		block(&b, "move", strings.Split(s.Text, "\n"))
		if s.Cut > 0 {
			fmt.Fprintf(&b, "\n> %d more lines; get them with read_file.\n", s.Cut)
		}
	}
	for _, note := range a.Notes {
		fmt.Fprintf(&b, "\n> %s\n", note)
	}
	return b.String()
}

func at(file string, line int) string {
	if file == "" {
		return ""
	}
	return fmt.Sprintf(" (%s:%d)", inline(file), line)
}

// marks returns notes about an edge, such as that it is a cycle.
func marks(e graph.ChainEdge) string {
	var out string
	for i, line := range e.Lines {
		if i == 0 {
			out += ", line "
		} else {
			out += ", "
		}
		out += fmt.Sprint(line)
	}
	switch {
	case e.Cycle:
		out += ", cycle"
	case e.Seen:
		out += ", shown above"
	}
	if e.External {
		out += ", not at hand"
	}
	if e.Expansion {
		out += ", of a macro"
	}
	return out
}

// Markdown returns the text of the protocol: the change as a diff.
func (a *ChangeAnswer) Markdown() string {
	var b strings.Builder
	done := "modified"
	if a.Created {
		done = "created"
	}
	fmt.Fprintf(&b, "## 修改文件: %s\n\n**状态**: applied (%s)\n", inline(path.Base(a.Path)), done)
	block(&b, "diff", strings.Split(strings.TrimSuffix(a.Diff, "\n"), "\n"))
	if a.Note != "" {
		fmt.Fprintf(&b, "\n> %s\n", a.Note)
	}
	return b.String()
}

// block writes lines as a code block. Its fence is longer than any fence in the lines.
func block(b *strings.Builder, language string, lines []string) {
	fence := "```"
	for _, line := range lines {
		for strings.Contains(line, fence) {
			fence += "`"
		}
	}
	fmt.Fprintf(b, "\n%s%s\n", fence, language)
	for _, line := range lines {
		b.WriteString(line)
		b.WriteByte('\n')
	}
	b.WriteString(fence + "\n")
}

// inline converts a text to one line of Markdown.
func inline(s string) string { return strings.Join(strings.Fields(s), " ") }
