package settings

import (
	"encoding/json"
	"errors"
	"io"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/strictjson"
)

// The refusals of a copy, each with its own sentence.
func notACopy() error {
	return fault.New(fault.InputInvalid, "This file is not a copy of Say Ur Intent's local data. Choose the file that “Take a copy” made.").
		With("import", "foreign")
}

func tooLarge(most int64) error {
	return fault.New(fault.TooLarge, "This file is larger than %d MiB and was not read. Nothing was changed.", most>>20).
		With("import", "too_large")
}

func cutOff(cause error) error {
	return fault.Wrap(cause, fault.InputInvalid, "This copy is cut off before its end: it was not written or copied in full. Nothing was changed.").
		With("import", "truncated")
}

func damaged(cause error, at string) error {
	text := "its JSON is malformed"
	if cause != nil {
		text = fault.As(cause).Text
	}
	return fault.Wrap(cause, fault.InputInvalid, "This copy is damaged in %s: %s Nothing was changed.", at, ended(text)).
		With("import", "damaged")
}

func ended(text string) string {
	if text != "" && text[len(text)-1] != '.' {
		return text + "."
	}
	return text
}

// reader reads a copy piece by piece: never more than one row is held besides
// what was read.
type reader struct {
	d    *json.Decoder
	left *io.LimitedReader
	most int64
	rows int
	doc  Document
}

// Decode reads a copy of at most most bytes, strictly and row by row: known
// members only, each once, sound UTF-8, no row beyond MostRows. It judges the
// form; what may come in is judged by arrive.
func Decode(in io.Reader, most int64) (Document, error) {
	left := &io.LimitedReader{R: in, N: most + 1}
	r := &reader{d: json.NewDecoder(left), left: left, most: most}
	r.d.UseNumber()
	if t, err := r.d.Token(); err != nil || t != json.Delim('{') {
		if left.N <= 0 {
			return Document{}, tooLarge(most)
		}
		return Document{}, notACopy()
	}
	if err := r.members(); err != nil {
		return Document{}, r.why(err)
	}
	if _, err := r.d.Token(); !errors.Is(err, io.EOF) {
		if left.N <= 0 {
			return Document{}, tooLarge(most)
		}
		return Document{}, damaged(nil, "what follows its end")
	}
	if left.N <= 0 {
		return Document{}, tooLarge(most)
	}
	return r.doc, nil
}

// why turns an error of the stream into a refusal.
func (r *reader) why(err error) error {
	var known *fault.Error
	switch {
	case r.left.N <= 0:
		return tooLarge(r.most)
	case errors.As(err, &known):
		return known
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		if r.doc.Format == "" {
			return notACopy()
		}
		return cutOff(err)
	}
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		// The transport failed, not the file.
		return fault.Wrap(err, fault.RequestAborted, "The file did not arrive in full. Nothing was changed; try again.")
	}
	if r.doc.Format == "" {
		return notACopy()
	}
	return damaged(nil, "its text")
}

// members reads the members of the document. The head comes first, so that a
// file that is something else is refused before it is read.
func (r *reader) members() error {
	seen := map[string]bool{}
	for r.d.More() {
		t, err := r.d.Token()
		if err != nil {
			return err
		}
		name, _ := t.(string)
		if seen[name] {
			return damaged(nil, "its member "+clip(name, 40)+", which is there twice")
		}
		seen[name] = true
		if len(seen) > 1 && r.doc.Format == "" {
			return notACopy()
		}
		if err := r.member(name); err != nil {
			return err
		}
	}
	if _, err := r.d.Token(); err != nil {
		return err
	}
	for _, name := range []string{"format", "version", "network", "createdAt", "settings", "activeAccount", "accounts",
		"identities", "reviews", "coins", "journal", "rows"} {
		if !seen[name] {
			return cutOff(nil)
		}
	}
	if r.doc.Rows != r.rows {
		return damaged(nil, "its lists, which lack rows or have too many")
	}
	return nil
}

func (r *reader) member(name string) error {
	switch name {
	case "format":
		return one(r, name, &r.doc.Format, func() error {
			if r.doc.Format != format {
				r.doc.Format = ""
				return notACopy()
			}
			return nil
		})
	case "version":
		return one(r, name, &r.doc.Version, func() error {
			if r.doc.Version > version {
				return fault.New(fault.InputInvalid, "This copy was made by a newer version of Say Ur Intent (form %d, this one "+
					"reads up to %d). Use the newer version. Nothing was changed.", r.doc.Version, version).With("import", "newer")
			}
			if r.doc.Version < 1 {
				return notACopy()
			}
			return nil
		})
	case "network":
		return one(r, name, &r.doc.Network, nil)
	case "createdAt":
		return one(r, name, &r.doc.CreatedAt, nil)
	case "settings":
		return one(r, name, &r.doc.Settings, nil)
	case "activeAccount":
		return one(r, name, &r.doc.Active, nil)
	case "rows":
		return one(r, name, &r.doc.Rows, nil)
	case "accounts":
		return list(r, name, &r.doc.Accounts)
	case "identities":
		return list(r, name, &r.doc.Identities)
	case "reviews":
		return list(r, name, &r.doc.Reviews)
	case "coins":
		return list(r, name, &r.doc.Coins)
	case "journal":
		return list(r, name, &r.doc.Journal)
	}
	if r.doc.Format == "" {
		return notACopy()
	}
	return damaged(nil, "a member "+clip(name, 40)+", which this version does not know")
}

// one reads the value of a member strictly and judges it.
func one[T any](r *reader, name string, to *T, judge func() error) error {
	var raw json.RawMessage
	if err := r.d.Decode(&raw); err != nil {
		return err
	}
	v, err := strictjson.Decode[struct{ V *T }](wrap(raw))
	if err == nil && v.V == nil && name != "activeAccount" {
		err = fault.New(fault.InputInvalid, "%s has no value.", name)
	}
	if err != nil {
		if r.doc.Format == "" {
			return notACopy()
		}
		return damaged(err, name)
	}
	if v.V != nil {
		*to = *v.V
	}
	if judge != nil {
		return judge()
	}
	return nil
}

// wrap makes a document of a value, so that the strict reader can read a text
// or a number as well.
func wrap(raw json.RawMessage) []byte {
	return append(append([]byte(`{"V":`), raw...), '}')
}

// list reads the rows of a list, one at a time.
func list[T any](r *reader, name string, to *[]T) error {
	t, err := r.d.Token()
	if err != nil {
		return err
	}
	if t != json.Delim('[') {
		return damaged(nil, name+", which is not a list")
	}
	for r.d.More() {
		var raw json.RawMessage
		if err := r.d.Decode(&raw); err != nil {
			return err
		}
		if r.rows++; r.rows > MostRows {
			return fault.New(fault.TooLarge, "This copy has more than %d rows. Nothing was changed.", MostRows).With("import", "too_many_rows")
		}
		if raw[0] != '{' {
			return damaged(nil, name+", which has a row that is no object")
		}
		if len(raw) > mostRow {
			return damaged(nil, name+", which has a row that is too large")
		}
		v, err := strictjson.Decode[T](raw)
		if err != nil {
			return damaged(err, name)
		}
		*to = append(*to, v)
	}
	_, err = r.d.Token()
	return err
}
