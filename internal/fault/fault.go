// Package fault defines the errors that clients and pages can receive.
//
// Each is an [Error] with one of the codes of this package. [Info] describes the meaning of a code,
// whether a retry can help, and the HTTP status. The package does not log or translate errors.
package fault

import (
	"encoding/json"
	"errors"
	"fmt"
)

// Error is a failure with a code. Text is one plain sentence for a user, and says what to do. It
// never contains secrets or transaction material.
type Error struct {
	Code   Code
	Text   string
	Detail Detail
	Err    error // the cause, for logs; never shown to a client
}

// New returns an Error with a formatted text.
func New(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Text: fmt.Sprintf(format, args...)}
}

// Wrap returns an Error with cause, so that errors.Is and errors.As find it and logs show it.
func Wrap(cause error, code Code, format string, args ...any) *Error {
	return &Error{Code: code, Text: fmt.Sprintf(format, args...), Err: cause}
}

// Error returns the code and the text, without the cause.
func (e *Error) Error() string { return string(e.Code) + ": " + e.Text }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// With returns a copy of e with an additional detail.
func (e *Error) With(name, value string) *Error {
	c := *e
	c.Detail = append(append(Detail{}, e.Detail...), Field{Name: name, Value: value})
	return &c
}

// WithList returns a copy of e with an additional detail whose value is a list.
func (e *Error) WithList(name string, values []string) *Error {
	c := *e
	c.Detail = append(append(Detail{}, e.Detail...), Field{Name: name, List: append([]string{}, values...)})
	return &c
}

// WithRows returns a copy of e with an additional detail whose value is a list of objects.
func (e *Error) WithRows(name string, rows []Detail) *Error {
	c := *e
	c.Detail = append(append(Detail{}, e.Detail...), Field{Name: name, Rows: append([]Detail{}, rows...)})
	return &c
}

// WithTrue returns a copy of e with an additional detail whose value is true.
func (e *Error) WithTrue(name string) *Error {
	c := *e
	c.Detail = append(append(Detail{}, e.Detail...), Field{Name: name, True: true})
	return &c
}

// Field is a named detail. Its value is a list if List is not nil, a list of objects if Rows is not
// nil, true if True is set, and otherwise a text.
type Field struct {
	Name  string
	Value string
	List  []string
	Rows  []Detail
	True  bool
}

// Detail is an ordered set of named details, shown to clients as a JSON object.
type Detail []Field

// Get returns the value of a detail, or "" if it is absent.
func (d Detail) Get(name string) string {
	for _, f := range d {
		if f.Name == name {
			return f.Value
		}
	}
	return ""
}

// MarshalJSON encodes the details as one object, in order.
func (d Detail) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	for i, f := range d {
		if i > 0 {
			out = append(out, ',')
		}
		name, err := json.Marshal(f.Name)
		if err != nil {
			return nil, err
		}
		var value []byte
		switch {
		case f.Rows != nil:
			value, err = json.Marshal(f.Rows)
		case f.List != nil:
			value, err = json.Marshal(f.List)
		case f.True:
			value = []byte("true")
		default:
			value, err = json.Marshal(f.Value)
		}
		if err != nil {
			return nil, err
		}
		out = append(append(append(out, name...), ':'), value...)
	}
	return append(out, '}'), nil
}

// As returns err as an Error. Any other error becomes an InternalError with a generic text, so that
// no cause leaks to a client.
func As(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return Wrap(err, InternalError, "Internal error in Say Ur Intent. See the log on standard error.")
}

// Is reports whether err is an Error of the given code.
func Is(err error, code Code) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == code
}
