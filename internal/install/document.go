package install

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tailscale/hujson"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// maxDepth limits nesting, because the parser is recursive. Real files have fewer than 20 levels.
const maxDepth = 1000

// byteOrderMark may precede the text of a file written on Windows.
var byteOrderMark = []byte("\ufeff")

// document is a parsed configuration file. The offsets in its values are byte offsets in text.
type document struct {
	dialect Dialect
	mark    []byte // the byte order mark, if any
	text    []byte
	top     hujson.Value
	root    *hujson.Object // the object in top
}

// parse parses a file. Like the clients, it treats a file of white space as an empty object. Errors
// are fault.InputInvalid and contain the position.
func parse(raw []byte, d Dialect) (*document, error) {
	doc := &document{dialect: d, text: raw}
	if bytes.HasPrefix(raw, byteOrderMark) {
		doc.mark, doc.text = byteOrderMark, raw[len(byteOrderMark):]
	}
	if i := invalidUTF8(doc.text); i >= 0 {
		return nil, badAt(doc.text, i, "the text is not UTF-8")
	}
	if len(bytes.TrimSpace(doc.text)) == 0 {
		doc.text = []byte("{\n}\n")
	}
	if i := tooDeep(doc.text); i >= 0 {
		return nil, badAt(doc.text, i, "the nesting is deeper than "+strconv.Itoa(maxDepth))
	}
	if err := plainJSON(doc.text, d); err != nil {
		return nil, err
	}
	// The parser requires a line end after a final comment. Appending one does not change any
	// offset.
	top, err := hujson.Parse(append(bytes.Clone(doc.text), '\n'))
	if err != nil {
		return nil, parserError(doc.text, err)
	}
	root, ok := top.Value.(*hujson.Object)
	if !ok {
		return nil, badAt(doc.text, top.StartOffset, "the file is not a JSON object")
	}
	doc.top, doc.root = top, root
	return doc, nil
}

// raw returns the file's bytes.
func (d *document) raw() []byte { return append(bytes.Clone(d.mark), d.text...) }

// plainJSON returns an error for comments and trailing commas if the dialect has none.
func plainJSON(text []byte, d Dialect) error {
	if d != StrictJSON {
		return nil
	}
	var value json.RawMessage
	err := json.Unmarshal(text, &value)
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return err
	}
	if strings.Contains(syntax.Error(), "unexpected end") {
		return endsEarly(text)
	}
	return badAt(text, int(syntax.Offset)-1, strings.TrimPrefix(syntax.Error(), "json: ")+
		" (this client does not support comments or trailing commas)")
}

// endsEarly returns the error for a file that is truncated.
func endsEarly(text []byte) error { return badAt(text, len(text), "the file ends too early") }

func invalidUTF8(text []byte) int {
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}

// tooDeep returns the offset at which the nesting exceeds maxDepth, or -1.
func tooDeep(text []byte) int {
	depth, found := 0, -1
	scan(text, 0, len(text), func(i int) bool {
		switch text[i] {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		if depth > maxDepth {
			found = i
		}
		return found < 0
	})
	return found
}

// scan calls visit for every byte of text[from:to] outside of strings and comments, until visit
// returns false.
func scan(text []byte, from, to int, visit func(i int) bool) {
	for i := from; i < to; i++ {
		switch rest := text[i:to]; {
		case rest[0] == '"':
			for i++; i < to && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case bytes.HasPrefix(rest, []byte("//")):
			for i < to && text[i] != '\n' {
				i++
			}
		case bytes.HasPrefix(rest, []byte("/*")):
			end := bytes.Index(rest[2:], []byte("*/"))
			if end < 0 {
				return
			}
			i += 2 + end + 1
		default:
			if !visit(i) {
				return
			}
		}
	}
}

// badAt returns an error that contains a position.
func badAt(text []byte, at int, what string) *fault.Error {
	line := 1 + bytes.Count(text[:at], []byte("\n"))
	column := at - bytes.LastIndexByte(text[:at], '\n')
	return badLine(strconv.Itoa(line), strconv.Itoa(column), what)
}

func badLine(line, column, what string) *fault.Error {
	return fault.New(fault.InputInvalid, "line %s, column %s: %s", line, column, what).
		With("line", line).With("column", column)
}

var parserPlace = regexp.MustCompile(`^hujson: line (\d+), column (\d+): (.*)`)

// parserError rewords an error of the parser. It omits text that the error quotes from the file,
// which may be a secret.
func parserError(text []byte, err error) error {
	m := parserPlace.FindStringSubmatch(err.Error())
	if m == nil {
		return fault.New(fault.InputInvalid, "the file is not JSON")
	}
	what := m[3]
	if strings.Contains(what, "unexpected EOF") {
		return endsEarly(text)
	}
	if strings.HasPrefix(what, "invalid literal") {
		what = "an invalid JSON value"
	}
	return badLine(m[1], m[2], what)
}

// member returns the index of a member, or -1. It returns an error if there are two with the name,
// because clients differ in which one they use.
func (d *document) member(o *hujson.Object, name string) (int, error) {
	found := -1
	for i, m := range o.Members {
		literal, ok := m.Name.Value.(hujson.Literal)
		if !ok || literal.String() != name {
			continue
		}
		if found >= 0 {
			return -1, badAt(d.text, m.Name.StartOffset, fmt.Sprintf("%q occurs twice; remove one of them", name))
		}
		found = i
	}
	return found, nil
}

// at returns the value and object at a path of members. The object is nil if a member is missing.
// It is an error if a value on the path is not an object.
func (d *document) at(path ...string) (hujson.Value, *hujson.Object, error) {
	value, object := d.top, d.root
	for _, name := range path {
		i, err := d.member(object, name)
		if err != nil || i < 0 {
			return hujson.Value{}, nil, err
		}
		value = object.Members[i].Value
		next, ok := value.Value.(*hujson.Object)
		if !ok {
			return value, nil, badAt(d.text, value.StartOffset, fmt.Sprintf("%q is not a JSON object", name))
		}
		object = next
	}
	return value, object, nil
}
