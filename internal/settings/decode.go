package settings

import (
	"encoding/json"
	"errors"
	"io"
	"slices"
	"time"

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

// damaged says where a copy is damaged and, with a cause, what is wrong there.
func damaged(cause error, at string) error {
	text := "."
	if cause != nil {
		text = ": " + ended(fault.As(cause).Text)
	}
	return fault.Wrap(cause, fault.InputInvalid, "This copy is damaged in %s%s Nothing was changed.", at, text).
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
	return damaged(nil, "its text, which is no sound JSON")
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
	if r.doc.Format == "" {
		return notACopy()
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
	v, err := r.single(name)
	if err != nil {
		return err
	}
	switch name {
	case "format":
		if *v.Format != format {
			return notACopy()
		}
		r.doc.Format = *v.Format
	case "version":
		r.doc.Version = *v.Version
		return readable(r.doc.Version)
	case "network":
		r.doc.Network = *v.Network
	case "createdAt":
		r.doc.CreatedAt = *v.CreatedAt
	case "settings":
		r.doc.Settings = *v.Settings
	case "activeAccount":
		r.doc.Active = v.Active
	case "rows":
		r.doc.Rows = *v.Rows
	}
	return nil
}

// readable reports whether this version reads a copy of that form.
func readable(v int) error {
	if v < 1 {
		return notACopy()
	}
	if v > version {
		return fault.New(fault.InputInvalid, "This copy was made by a newer version of Say Ur Intent (form %d, this one "+
			"reads up to %d). Use the newer version. Nothing was changed.", v, version).With("import", "newer")
	}
	return nil
}

// single is one member of the document that is no list: one of these is read at
// a time, under its own name, so that refusals name it.
type single struct {
	Format    *string    `json:"format"`
	Version   *int       `json:"version"`
	Network   *string    `json:"network"`
	CreatedAt *time.Time `json:"createdAt"`
	Settings  *Stored    `json:"settings"`
	Active    *Active    `json:"activeAccount"`
	Rows      *int       `json:"rows"`
}

// single reads the value of a member strictly. Only the account in use may have
// none.
func (r *reader) single(name string) (single, error) {
	var raw json.RawMessage
	if err := r.d.Decode(&raw); err != nil {
		return single{}, err
	}
	v, err := strictjson.Decode[single](slices.Concat([]byte("{"), encoded(name), []byte(":"), raw, []byte("}")))
	if err == nil && string(raw) == "null" && name != "activeAccount" {
		err = fault.New(fault.InputInvalid, "It has no value.")
	}
	switch {
	case err == nil:
		return v, nil
	case r.doc.Format == "":
		return single{}, notACopy()
	}
	return single{}, damaged(err, clip(name, 40))
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
