package workspace

import (
	"errors"
	"fmt"
)

// Limits on one answer of ReadFile.
const (
	MaxReadLines = 400
	MaxReadBytes = 32 << 10
)

// ReadRequest asks for a file or a part of it. Lines count from 1, ranges include both ends, and 0
// means not set. A range Start to End takes precedence over Line with Context lines on both sides,
// which takes precedence over the whole file.
type ReadRequest struct {
	Path       string
	Start, End int
	Line       int
	Context    int
}

// Text is the result: the lines Start to End of Total. Next is the first requested line that did
// not fit, or 0. Notes say what differs from the request or the file: a clamped range, invalid
// UTF-8, withheld lines.
type Text struct {
	Path              string
	Lines             []string
	Start, End, Total int
	Next              int
	Notes             []string
}

// Errors about a range.
var (
	ErrRange    = errors.New("start_line is after end_line")
	ErrNegative = errors.New("line numbers start at 1")
)

const defaultContext = 20

// ReadFile returns part of a text file.
func (p *Project) ReadFile(r ReadRequest) (*Text, error) {
	if r.Start < 0 || r.End < 0 || r.Line < 0 || r.Context < -1 {
		return nil, ErrNegative
	}
	data, err := p.ReadAll(r.Path)
	if err != nil {
		return nil, err
	}
	if binary(data) {
		return nil, ErrBinary
	}
	all := readable(data)
	t := &Text{Path: r.Path, Total: len(all.lines)}
	if all.repaired {
		t.Notes = append(t.Notes, "The file is not valid UTF-8; invalid bytes are shown as U+FFFD.")
	}
	first, last, err := r.span(t.Total)
	if err != nil {
		return nil, err
	}
	t.clamp(first, last)
	if t.Total == 0 {
		return t, nil
	}
	size := 0
	for n := t.Start; n <= t.End; n++ {
		line := visible(all.lines[n-1])
		if n-t.Start >= MaxReadLines || size+len(line)+1 > MaxReadBytes && n > t.Start {
			t.Next, t.End = n, n-1
			break
		}
		if len(line) > MaxReadBytes { // a single line may be longer than the limit
			line = Cut(line, MaxReadBytes)
			t.Notes = append(t.Notes, fmt.Sprintf("Line %d is cut.", n))
		}
		size += len(line) + 1
		t.Lines = append(t.Lines, line)
	}
	if n := all.count(t.Start-1, t.End); n > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf(
			"%d lines are withheld: they contain what looks like a private key or a recovery phrase.", n))
	}
	return t, nil
}

// span returns the range of requested lines, which may exceed the file.
func (r ReadRequest) span(total int) (first, last int, err error) {
	switch {
	case r.Start > 0 || r.End > 0:
		first, last = max(r.Start, 1), r.End
		if r.End == 0 {
			last = max(total, first)
		}
		if first > last {
			return 0, 0, ErrRange
		}
	case r.Line > 0:
		around := r.Context
		if around < 0 {
			around = defaultContext
		}
		around = min(around, MaxReadLines)
		first, last = max(r.Line-around, 1), min(r.Line, 1<<40)+around
		if r.Line <= total { // it is not worth a note that context exceeds the file
			last = min(last, total)
		}
	default:
		first, last = 1, max(total, 1)
	}
	return first, last, nil
}

// clamp limits the range to the file, and adds a note if that changes it.
func (t *Text) clamp(first, last int) {
	t.Start, t.End = min(first, t.Total), min(last, t.Total)
	if t.Start != first && t.Total > 0 || t.End != last && last > 1 {
		t.Notes = append(t.Notes, fmt.Sprintf("Lines %d to %d were requested; the file has %d.", first, last, t.Total))
	}
}

// Cut shortens a text to at most limit bytes, without splitting a character.
func Cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && s[limit]&0xC0 == 0x80 {
		limit--
	}
	return s[:limit]
}
