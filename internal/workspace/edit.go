package workspace

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	udiff "github.com/aymanbagabas/go-udiff"
)

// Edit is a change of a file that was prepared but not written.
type Edit struct {
	Path          string // relative, with forward slashes
	Created       bool
	Before, After []byte
	Diff          string
	Note          string
}

// Errors of an edit that do not concern its path.
var (
	ErrSame     = errors.New("the change changes nothing")
	ErrExists   = errors.New("the file exists; to change it, put the text to replace into searchContent")
	ErrNoParent = errors.New("the directory of the new file does not exist")
	ErrSecret   = errors.New(
		"the new text contains what looks like a private key or a recovery phrase; nothing was written")
	ErrBase = errors.New("the file has changed since it was read; nothing was written. Read it again")
)

// maxHits limits the lines listed in an error about several matches.
const maxHits = 10

// ManyError means that the search text occurs more than once.
type ManyError struct {
	Count int
	Lines []int // lines of the first matches, counting from 1
}

// Error states the number of matches and their lines.
func (e *ManyError) Error() string {
	more := ""
	if e.Count > len(e.Lines) {
		more = ", …"
	}
	return fmt.Sprintf("searchContent occurs %d times, on lines %s%s; extend it until it occurs once", e.Count,
		strings.Trim(strings.ReplaceAll(fmt.Sprint(e.Lines), " ", ", "), "[]"), more)
}

// NoneError means that the search text does not occur. Line is the most similar line, or 0.
type NoneError struct {
	Line int
	Text string
}

// Error states the most similar line.
func (e *NoneError) Error() string {
	if e.Line == 0 {
		return "searchContent does not occur in the file, and no line is similar"
	}
	return fmt.Sprintf("searchContent does not occur in the file; the closest is line %d: %s", e.Line, e.Text)
}

// Prepare prepares a change. If Search is empty, it creates a file. The file must not exist, but
// its directory must.
func (p *Project) Prepare(r ChangeRequest) (*Edit, error) {
	parts, err := split(r.Path)
	switch {
	case err != nil:
		return nil, err
	case len(parts) == 0:
		return nil, ErrNotFile
	case Secret(r.Replace):
		return nil, ErrSecret
	}
	e := &Edit{Path: strings.Join(parts, "/")}
	data, err := p.ReadAll(e.Path)
	if r.Search == "" {
		err = p.prepareNew(e, parts, r.Replace, err)
	} else if err == nil {
		err = e.replace(data, r)
	}
	switch {
	case err != nil:
		return nil, err
	case len(e.After) > MaxFile:
		return nil, ErrTooLarge
	case binary(e.After):
		return nil, ErrBinary
	}
	e.Diff = difference(e)
	return e, nil
}

// prepareNew prepares a new file. found is the error from reading it.
func (p *Project) prepareNew(e *Edit, parts []string, text string, found error) error {
	//mutant:never ./internal/workspace TestCreate
	if !errors.Is(found, ErrNotExist) {
		if found == nil || errors.Is(found, ErrTooLarge) {
			return ErrExists
		}
		return found
	}
	at, err := p.directory(parts[:len(parts)-1])
	if err != nil {
		return ErrNoParent
	}
	at.Close()
	e.Created, e.After = true, []byte(text)
	return nil
}

// replace replaces the only occurrence of the search text.
func (e *Edit) replace(data []byte, r ChangeRequest) error {
	if binary(data) {
		return ErrBinary
	}
	e.Before = data
	f := parseFile(masked(data))
	place, err := f.find(unixLines(r.Search))
	if err != nil {
		return err
	}
	text := unixLines(r.Replace)
	if place.indented {
		text = place.reindent(text)
		e.Note = "The place was found by ignoring indentation; the new lines have the indentation of the file."
	}
	f.data = data
	e.After = f.put(place, text)
	switch {
	case bytes.Equal(e.After, e.Before):
		return ErrSame
	//mutant:never ./internal/workspace TestEditsKeepSecretsHidden
	case uncovers(e.Before, e.After):
		return ErrSecret
	}
	return nil
}

// uncovers reports whether a change would reveal a withheld line, for example by changing the words
// that show that it is a key.
func uncovers(before, after []byte) bool {
	held := withheld(before)
	if held == nil {
		return false
	}
	now := withheld(after)
	was, is := bytes.Split(before, []byte("\n")), bytes.Split(after, []byte("\n"))
	limit := min(len(was), len(is))
	first, last := 0, 0 // number of equal lines at the beginning and at the end
	for first < limit && bytes.Equal(was[first], is[first]) {
		first++
	}
	for last < limit && bytes.Equal(was[len(was)-1-last], is[len(is)-1-last]) {
		last++
	}
	for i, hidden := range held {
		j := i
		if i >= first {
			j = i + len(is) - len(was)
		}
		if hidden && (i >= first && i < len(was)-last || now == nil || !now[j]) {
			return true
		}
	}
	return false
}

// difference returns the unified diff of an edit, with withheld lines replaced.
func difference(e *Edit) string {
	old := "a/" + e.Path
	if e.Created {
		old = "/dev/null"
	}
	text := udiff.Unified(old, "b/"+e.Path, shown(e.Before), shown(e.After))
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = visible(strings.TrimSuffix(line, "\r"))
	}
	return strings.Join(lines, "\n")
}

// shown converts a file to displayable text, with withheld lines replaced.
func shown(data []byte) string {
	return strings.ToValidUTF8(string(replaced(data, func([]byte) []byte { return []byte(Withheld) })), "\uFFFD")
}

func unixLines(s string) string {
	return strings.ReplaceAll(strings.TrimPrefix(s, "\ufeff"), "\r\n", "\n")
}

// textFile is a file whose line endings were converted to \n. bom and crlf describe the original
// file. cuts holds the positions in text at which a carriage return was removed.
type textFile struct {
	data  []byte
	text  string
	bom   bool
	crlf  bool
	cuts  []int
	lines []int // offset of each line in text
}

func parseFile(data []byte) *textFile {
	f := &textFile{data: data, bom: bytes.HasPrefix(data, []byte("\xef\xbb\xbf")), lines: []int{0}}
	var b strings.Builder
	body := bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	bare := 0
	for i, c := range body {
		if c == '\r' && i+1 < len(body) && body[i+1] == '\n' {
			f.cuts = append(f.cuts, b.Len())
			continue
		}
		b.WriteByte(c)
		if c == '\n' {
			f.lines = append(f.lines, b.Len())
			if i == 0 || body[i-1] != '\r' {
				bare++
			}
		}
	}
	f.text, f.crlf = b.String(), len(f.cuts) > bare
	return f
}

// original converts an offset in text to an offset in data.
func (f *textFile) original(at int) int {
	n := at
	for _, cut := range f.cuts {
		if cut >= at {
			break
		}
		n++
	}
	if f.bom {
		n += 3
	}
	return n
}

// line returns the number, from 1, of the line at a position in text.
func (f *textFile) line(at int) int {
	n := 0
	for n < len(f.lines) && f.lines[n] <= at {
		n++
	}
	return n
}

// put replaces a part of the file by text, which uses \n. It keeps the line endings of the file,
// and whether the last line has one.
func (f *textFile) put(p *place, text string) []byte {
	if p.to == len(f.text) && f.text != "" && text+f.text[:p.from] != "" {
		had, has := strings.HasSuffix(f.text, "\n"), strings.HasSuffix(text, "\n") || text == "" &&
			strings.HasSuffix(f.text[:p.from], "\n")
		switch {
		case had && !has:
			text += "\n"
		case !had && has && text != "":
			text = strings.TrimRight(text, "\n")
		}
	}
	if f.crlf {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	var out []byte
	out = append(out, f.data[:f.original(p.from)]...)
	out = append(out, text...)
	return append(out, f.data[f.original(p.to):]...)
}
