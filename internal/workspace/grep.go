package workspace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"
)

// Limits of a search.
const (
	DefaultMatches = 20
	MaxMatches     = 200
	MaxContext     = 20
	MaxLine        = 400 // characters shown of a line
	MaxPattern     = 1000
	MaxFiles       = 50_000
	maxTreeDepth   = 64
	// searchTime limits a search. A search that takes longer returns the matches found so far.
	searchTime = 20 * time.Second
	// maxEffort limits the number of instructions of an expression times the number of bytes that
	// it is matched against. A slow machine processes about 50 million per second.
	maxEffort = 50_000_000
	// checkLines is how often, in lines, a search checks whether to stop.
	checkLines = 256
)

// Search is a search for lines. Pattern is a keyword or, if Regex is set, an RE2 expression, which
// is matched in linear time. Path is a file, a directory, or a pattern with * and **; empty means
// the whole project. FileType is one of FileTypes; empty means all.
type Search struct {
	Pattern       string
	Path          string
	Regex         bool
	CaseSensitive bool
	Context       int
	Limit         int // 0 means DefaultMatches
	FileType      string
}

// Match is a matching line and the lines around it.
type Match struct {
	Path          string
	Line          int // from 1
	Text          string
	Before, After []string
}

// Matches holds the matches, ordered by path and line. Truncated is set if there are more than
// Limit matches, or if the search is incomplete because it took too long or a line was too long for
// the expression.
type Matches struct {
	Matches   []Match
	Files     int // number of files searched
	Truncated bool
	Withheld  int // number of lines with secrets
}

// Errors of a search.
var (
	ErrPattern = errors.New("the pattern is empty, too long or not an RE2 regular expression")
	// ErrFileType means that a file type is unknown.
	ErrFileType = errors.New("file_type must be all, move, toml, config, ts, js, md or rs")
	ErrLimit    = fmt.Errorf("limit must be 1 to %d and context_lines 0 to %d", MaxMatches, MaxContext)
)

// ignored are names of directories with generated files and dependencies.
var ignored = []string{"build", "node_modules", "target", "dist", "out", "vendor", "coverage", "__pycache__"}

// Grep searches the files of a project.
func (p *Project) Grep(ctx context.Context, s Search) (*Matches, error) {
	bounded, stop := context.WithTimeoutCause(ctx, searchTime, errEnough)
	defer stop()
	w, err := newWalk(bounded, s)
	if err != nil {
		return nil, err
	}
	dir, isFile := "", false
	if strings.ContainsAny(s.Path, "*?[{") {
		w.glob = strings.TrimPrefix(strings.ReplaceAll(s.Path, `\`, "/"), "./")
		if !doublestar.ValidatePattern(w.glob) || strings.HasPrefix(w.glob, "/") ||
			slices.Contains(strings.Split(w.glob, "/"), "..") {
			return nil, ErrPath
		}
	} else if parts, err := split(s.Path); err != nil {
		return nil, err
	} else {
		dir = strings.Join(parts, "/")
		at, err := p.directory(parts)
		if err == nil {
			defer at.Close()
			return &w.found, w.tree(at, dir, 0)
		}
		if isFile = len(parts) > 0 && errors.Is(err, ErrNotExist); !isFile {
			return nil, err
		}
	}
	if isFile {
		data, err := p.ReadAll(dir)
		if err != nil {
			return nil, err
		}
		if binary(data) {
			return nil, ErrBinary
		}
		if err := w.file(dir, data); err != nil && !errors.Is(err, errEnough) {
			return nil, err
		}
		return &w.found, nil
	}
	at, err := p.directory(nil)
	if err != nil {
		return nil, err
	}
	defer at.Close()
	return &w.found, w.tree(at, "", 0)
}

// walk is one search.
type walk struct {
	ctx     context.Context
	expr    *regexp.Regexp
	size    int    // number of instructions of the expression
	keyword []byte // in lower case; nil if case matters or the keyword is not ASCII
	glob    string
	endings []string
	limit   int
	around  int
	found   Matches
}

func newWalk(ctx context.Context, s Search) (*walk, error) {
	if s.Limit == 0 {
		s.Limit = DefaultMatches
	}
	if s.Limit < 1 || s.Limit > MaxMatches || s.Context < 0 || s.Context > MaxContext {
		return nil, ErrLimit
	}
	if s.Pattern == "" || len(s.Pattern) > MaxPattern {
		return nil, ErrPattern
	}
	pattern := s.Pattern
	if !s.Regex {
		pattern = regexp.QuoteMeta(pattern)
	}
	if !s.CaseSensitive {
		pattern = "(?i)" + pattern
	}
	expr, err := regexp.Compile(pattern)
	if err != nil {
		return nil, fmt.Errorf("%w: %s", ErrPattern, err)
	}
	w := &walk{ctx: ctx, expr: expr, limit: s.Limit, around: s.Context}
	if !s.Regex && !s.CaseSensitive && ascii(s.Pattern) {
		w.keyword = []byte(strings.ToLower(s.Pattern))
	} else {
		w.size = instructions(pattern)
	}
	if s.FileType != "" && s.FileType != "all" {
		if w.endings = fileTypes[s.FileType]; w.endings == nil {
			return nil, ErrFileType
		}
	}
	return w, nil
}

// instructions returns the number of instructions of an expression, which must be valid.
func instructions(pattern string) int {
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return 0
	}
	program, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return 0
	}
	return len(program.Inst)
}

// errEnough ends a walk early.
var errEnough = errors.New("enough")

// ended returns the reason to stop a search, or nil.
func (w *walk) ended() error {
	err := w.ctx.Err()
	//mutant:never ./internal/workspace TestSearchIsBounded
	if err != nil && context.Cause(w.ctx) == errEnough {
		w.found.Truncated = true
		return errEnough
	}
	return err
}

// tree searches a directory and its subdirectories. It skips what it cannot open.
func (w *walk) tree(at *os.Root, dir string, depth int) error {
	err := w.directory(at, dir, depth)
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

func (w *walk) directory(at *os.Root, dir string, depth int) error {
	if depth > maxTreeDepth {
		w.found.Truncated = true
		return nil
	}
	entries, err := fs.ReadDir(at.FS(), ".")
	if err != nil && len(entries) == 0 {
		return nil
	}
	for _, e := range entries {
		if err := w.ended(); err != nil {
			return err
		}
		name := path.Join(dir, e.Name())
		if !plain(e.Name()) || Denied(e.Name()) {
			continue
		}
		switch {
		case e.IsDir():
			if slices.Contains(ignored, fold(e.Name())) || strings.HasPrefix(e.Name(), ".") {
				continue
			}
			sub, err := enter(at, e.Name())
			if err != nil {
				continue
			}
			err = w.directory(sub, name, depth+1)
			sub.Close()
			if err != nil {
				return err
			}
		case e.Type().IsRegular() && w.wants(name):
			if w.found.Files++; w.found.Files > MaxFiles {
				w.found.Truncated = true
				return errEnough
			}
			if data, err := load(at, e.Name()); err == nil && !binary(data) {
				if err := w.file(name, data); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (w *walk) wants(name string) bool {
	if !hasEnding(name, w.endings) {
		return false
	}
	return w.glob == "" || doublestar.MatchUnvalidated(w.glob, name)
}

// file adds the matches in a file. It skips withheld lines. It returns errEnough if the limit is
// reached.
func (w *walk) file(name string, data []byte) error {
	if !w.mayMatch(data) {
		return nil
	}
	text := readable(data)
	for i, line := range text.lines {
		if i%checkLines == 0 || len(line) > MaxReadBytes {
			if err := w.ended(); err != nil {
				return err
			}
		}
		//mutant:never ./internal/workspace TestSearchIsBounded
		if w.size*len(line) > maxEffort {
			w.found.Truncated = true
			continue
		}
		//mutant:never `text.isHeld(i)` ./internal/workspace TestSecretsMatchNothing
		if text.isHeld(i) || !w.matches(line) {
			continue
		}
		if len(w.found.Matches) == w.limit {
			w.found.Truncated = true
			return errEnough
		}
		from, to := max(i-w.around, 0), min(i+w.around+1, len(text.lines))
		shown := make([]string, to-from)
		for j := range shown {
			shown[j] = shorten(visible(text.lines[from+j]))
		}
		w.found.Withheld += text.count(from, to)
		w.found.Matches = append(w.found.Matches, Match{Path: name, Line: i + 1, Text: shown[i-from], Before: shown[:i-from],
			After: shown[i-from+1:]})
	}
	return nil
}

// matches reports whether a line matches.
func (w *walk) matches(line string) bool {
	if w.keyword != nil && ascii(line) {
		return strings.Contains(strings.ToLower(line), string(w.keyword))
	}
	return w.expr.MatchString(line)
}

// mayMatch quickly checks a whole file. It returns false only for a file without matches, so it
// reveals nothing about withheld lines. It is not used for expressions with anchors, which depend
// on lines.
func (w *walk) mayMatch(data []byte) bool {
	// the long s and the Kelvin sign also fold to ASCII letters
	if w.keyword != nil && !bytes.Contains(data, []byte("\u017f")) && !bytes.Contains(data, []byte("\u212a")) {
		return bytes.Contains(bytes.ToLower(data), w.keyword)
	}
	if strings.ContainsAny(w.expr.String(), `^$\`) || w.size*len(data) > maxEffort {
		return true
	}
	return w.expr.Match(data)
}

// shorten cuts a line after MaxLine characters.
func shorten(s string) string {
	if len(s) <= MaxLine {
		return s
	}
	if r := []rune(s); len(r) > MaxLine {
		return string(r[:MaxLine]) + "…"
	}
	return s
}
