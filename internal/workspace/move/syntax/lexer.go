package syntax

import (
	"bytes"
	"unicode/utf8"
)

// kind is the kind of a token. Operators and brackets are all kindPunct and differ in their text.
type kind uint8

const (
	kindEOF kind = iota
	kindName
	kindNumber
	kindBytes
	kindString
	kindLabel
	kindPunct
)

// token is a token, given by byte offsets in the source.
type token struct {
	kind       kind
	raw        bool // in backticks, so it is not a keyword
	start, end int
}

// MaxTokens limits the tokens of a source. A longer source is cut, which is reported as a problem.
const MaxTokens = 1 << 20

// lexer splits a source into tokens. Each step advances, even for invalid input.
type lexer struct {
	src      []byte
	pos      int
	tokens   []token
	problems []Problem
}

// Operators of more than one character, longest first. There are none that begin with >, because a
// list of type arguments may end with >>. The parser combines those.
var operators = []string{"==>", "..=", "::", "->", "=>", "==", "!=", "<=", "<<", "&&", "||", ".."}

func lex(src []byte) ([]token, []Problem) {
	l := &lexer{src: src, tokens: make([]token, 0, len(src)/5+8)}
	if bytes.HasPrefix(src, []byte("\xef\xbb\xbf")) {
		l.pos = 3
	}
	if !utf8.Valid(src) {
		l.problem(firstInvalid(src), "not valid UTF-8")
	}
	for l.pos < len(src) {
		if len(l.tokens) >= MaxTokens {
			l.problem(l.pos, "too many tokens")
			break
		}
		l.next()
	}
	l.tokens = append(l.tokens, token{kind: kindEOF, start: len(src), end: len(src)})
	return l.tokens, l.problems
}

func firstInvalid(src []byte) int {
	for i := 0; i < len(src); {
		r, n := utf8.DecodeRune(src[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return len(src)
}

// maxProblems limits the number of problems that are kept for a source.
const maxProblems = 50

func (l *lexer) problem(at int, text string) {
	if len(l.problems) < maxProblems {
		l.problems = append(l.problems, Problem{Offset: at, Text: text})
	}
}

func (l *lexer) emit(k kind, start int) {
	l.tokens = append(l.tokens, token{kind: k, start: start, end: l.pos})
}

// next reads one token, one comment or a run of white space.
func (l *lexer) next() {
	c, start := l.src[l.pos], l.pos
	rest := l.src[l.pos:]
	switch {
	case c == ' ' || c == '\t' || c == '\n' || c == '\r':
		l.pos++
	case bytes.HasPrefix(rest, []byte("//")):
		l.pos = endOfLine(l.src, l.pos)
	case bytes.HasPrefix(rest, []byte("/*")):
		l.blockComment()
	case (c == 'b' || c == 'x') && len(rest) > 1 && rest[1] == '"':
		l.pos++
		l.quoted(kindBytes, start)
	case c == '"':
		l.quoted(kindString, start)
	case c == '`':
		l.backtick(start)
	case nameStart(c) || c == '$' && len(rest) > 1 && nameStart(rest[1]):
		l.pos++
		l.word()
		l.emit(kindName, start)
	case c >= '0' && c <= '9':
		l.word()
		l.emit(kindNumber, start)
	case c == '\'' && len(rest) > 1 && nameStart(rest[1]):
		l.pos++
		l.word()
		l.emit(kindLabel, start)
	default:
		l.punct(start)
	}
}

func nameStart(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// word skips letters, digits and underscores.
func (l *lexer) word() {
	for l.pos < len(l.src) && (nameStart(l.src[l.pos]) || l.src[l.pos] >= '0' && l.src[l.pos] <= '9') {
		l.pos++
	}
}

func endOfLine(src []byte, from int) int {
	for i := from; i < len(src); i++ {
		if src[i] == '\n' || src[i] == '\r' {
			return i
		}
	}
	return len(src)
}

// blockComment skips a comment. Move's block comments nest.
func (l *lexer) blockComment() {
	start, depth := l.pos, 0
	for l.pos < len(l.src) {
		switch {
		case bytes.HasPrefix(l.src[l.pos:], []byte("/*")):
			depth++
			l.pos += 2
		case bytes.HasPrefix(l.src[l.pos:], []byte("*/")):
			depth--
			l.pos += 2
			if depth == 0 {
				return
			}
		default:
			l.pos++
		}
	}
	l.problem(start, "unterminated comment")
}

// quoted reads a string that begins at the cursor. A string ends at the end of the line at the
// latest, so that a missing quote affects only one line.
func (l *lexer) quoted(k kind, start int) {
	for l.pos++; l.pos < len(l.src); l.pos++ {
		switch l.src[l.pos] {
		case '\\':
			if l.pos+1 < len(l.src) && l.src[l.pos+1] != '\n' {
				l.pos++
			}
		case '"':
			l.pos++
			l.emit(k, start)
			return
		case '\n':
			l.problem(start, "unterminated string")
			l.emit(k, start)
			return
		}
	}
	l.problem(start, "unterminated string")
	l.emit(k, start)
}

func (l *lexer) backtick(start int) {
	l.pos++
	l.word()
	if l.pos < len(l.src) && l.src[l.pos] == '`' && l.pos > start+1 {
		l.pos++
		l.tokens = append(l.tokens, token{kind: kindName, raw: true, start: start, end: l.pos})
		return
	}
	l.problem(start, "unterminated name between backticks")
}

func (l *lexer) punct(start int) {
	for _, op := range operators {
		if bytes.HasPrefix(l.src[l.pos:], []byte(op)) {
			l.pos += len(op)
			l.emit(kindPunct, start)
			return
		}
	}
	if l.src[l.pos] >= utf8.RuneSelf || bytes.IndexByte([]byte("(){}[]<>,;:.=!&|^+-*/%@#~?"), l.src[l.pos]) < 0 {
		_, n := utf8.DecodeRune(l.src[l.pos:])
		l.problem(start, "invalid character")
		l.pos += n
		return
	}
	l.pos++
	l.emit(kindPunct, start)
}
