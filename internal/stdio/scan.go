package stdio

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/sayurintent/sayurintent/internal/strictjson"
)

// member is one member of an object: its decoded name and its raw value.
type member struct {
	name string
	raw  []byte
}

// text is one scanned JSON value: its first byte and, for an object, its members. Its slices refer
// to the scanned bytes.
type text struct {
	first   byte
	members []member
	params  []member // members of params, if params is an object
	// arguments is the member arguments of params, if its value was requested.
	arguments strictjson.Value
	// defect describes why valid JSON is rejected: a duplicate member, half of a surrogate pair, or
	// too many levels.
	defect string
}

// errTooDeep is returned for a text that exceeds the nesting limit.
var errTooDeep = errors.New("too deep")

// scan reads exactly one JSON value from data. It returns an error if data is not JSON, or nests
// deeper than the decoder's limit of 10,000 levels. Members are returned even if there is a defect,
// so that the rejection can carry the request's id.
func scan(data []byte, depth int) (text, error) { return scanCall(data, depth, false) }

// scanCall is like scan; if lend is set, it also reads the value of a call's arguments.
func scanCall(data []byte, depth int, lend bool) (text, error) {
	t, strict := read(data, depth, lend)
	if strict == nil {
		return t, nil
	}
	if i := invalidUTF8(data); i >= 0 {
		return t, fmt.Errorf("invalid UTF-8 at byte %d", i)
	}
	t, err := read(data, len(data), false, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if err != nil && errors.Is(strict, errTooDeep) {
		return t, fmt.Errorf("it nests deeper than %d levels", depth)
	}
	if err != nil {
		return t, malformed(data, err)
	}
	syntax := new(jsontext.SyntacticError)
	switch {
	case errors.Is(strict, errTooDeep):
		t.defect = fmt.Sprintf("It nests deeper than %d levels.", depth)
	case errors.Is(strict, jsontext.ErrDuplicateName) && errors.As(strict, &syntax):
		t.defect = fmt.Sprintf("The member %.40q appears twice.", syntax.JSONPointer.LastToken())
	default:
		t.defect = "A string contains half of a surrogate pair."
	}
	return t, nil
}

// malformed describes the position at which data stops being valid JSON.
func malformed(data []byte, err error) error {
	syntax := new(jsontext.SyntacticError)
	switch {
	case len(bytes.TrimSpace(data)) == 0:
		return errors.New("it is empty")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("unexpected end of text")
	case errors.As(err, &syntax):
		return fmt.Errorf("an unexpected character at byte %d", syntax.ByteOffset)
	}
	return errors.New("unexpected data after the value")
}

func invalidUTF8(data []byte) int {
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}

// reader reads JSON token by token.
type reader struct {
	d     *jsontext.Decoder
	data  []byte
	depth int
}

func read(data []byte, depth int, lend bool, options ...jsontext.Options) (text, error) {
	r := reader{d: jsontext.NewDecoder(bytes.NewBuffer(data), options...), data: data, depth: depth}
	t := text{}
	kind := r.d.PeekKind()
	var err error
	if kind == '{' {
		t.members, err = r.members(func(name string) error {
			if name != "params" || r.d.PeekKind() != '{' {
				return r.skip()
			}
			params, err := r.members(func(name string) (err error) {
				if lend && name == "arguments" {
					t.arguments, err = r.value()
					return err
				}
				return r.skip()
			})
			t.params = params
			return err
		})
	} else {
		err = r.skip()
	}
	if err != nil {
		return t, err
	}
	t.first = byte(kind)
	if kind == '0' {
		t.first = bytes.TrimLeft(data, " \t\r\n")[0]
	}
	if _, err := r.d.ReadToken(); !errors.Is(err, io.EOF) {
		return t, errors.New("a second value")
	}
	return t, nil
}

// members reads an object. It calls value to read the value of each member.
func (r reader) members(value func(name string) error) ([]member, error) {
	if err := r.next(); err != nil {
		return nil, err
	}
	list := make([]member, 0, 8)
	for r.d.PeekKind() != '}' {
		token, err := r.d.ReadToken()
		if err != nil {
			return list, err
		}
		m := member{name: token.String()}
		begin := r.d.InputOffset()
		if err := value(m.name); err != nil {
			return list, err
		}
		// A name and its value are separated by a colon and white space.
		m.raw = bytes.TrimLeft(r.data[begin:r.d.InputOffset()], " \t\r\n:")
		list = append(list, m)
	}
	return list, r.next()
}

// skip skips one complete value.
func (r reader) skip() error {
	outside := r.d.StackDepth()
	for {
		if err := r.next(); err != nil {
			return err
		}
		if r.d.StackDepth() <= outside {
			return nil
		}
	}
}

// value reads one complete value.
func (r reader) value() (strictjson.Value, error) {
	begin := r.d.InputOffset()
	v, err := strictjson.Read(r.d, r.depth-r.d.StackDepth())
	if errors.Is(err, strictjson.ErrTooDeep) {
		err = errTooDeep
	}
	v.Raw = bytes.Clone(bytes.TrimLeft(r.data[begin:r.d.InputOffset()], " \t\r\n:"))
	return v, err
}

// next reads one token.
func (r reader) next() error {
	_, err := r.d.ReadToken()
	//mutant:never `r.d.StackDepth() > r.depth` ./internal/stdio TestLines/65 levels
	if err == nil && r.d.StackDepth() > r.depth {
		return errTooDeep
	}
	return err
}
