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

// reader reads a copy piece by piece: never more than one row is held.
type reader struct {
	d     *json.Decoder
	head  Head
	rows  int
	count int // the last member
	begin func(Head) (Visit, error)
	v     Visit
	again bool // the same bytes were read strictly before
}

// Decode reads a copy, packed or not, strictly and row by row: known members
// only, each once and in their order, sound UTF-8, no row beyond MostRows and no
// byte beyond MostUnpacked. begin gets the head before any row and says who gets
// the rows; its error and the visitor's are returned as they are. Decode judges
// the form; what may come in is judged by arrival.
func Decode(in io.Reader, begin func(Head) (Visit, error)) error {
	return (&reader{begin: begin}).read(in)
}

func (r *reader) read(in io.Reader) error {
	text, err := unpacked(in)
	if err != nil {
		return err
	}
	bounds := &bounded{in: text}
	r.d = json.NewDecoder(bounds)
	bounds.d = r.d
	r.d.UseNumber()
	t, err := r.d.Token()
	switch {
	case err != nil:
		return r.why(err)
	case t != json.Delim('{'):
		return notACopy()
	}
	if err := r.members(); err != nil {
		return r.why(err)
	}
	// The end of the text is reached before the copy counts as read: a packed
	// file proves only there that it is whole.
	var syntax *json.SyntaxError
	switch _, err := r.d.Token(); {
	case errors.Is(err, io.EOF):
		return nil
	case err == nil, errors.As(err, &syntax):
		return followed()
	default:
		return r.why(err)
	}
}

func followed() error { return damaged(nil, "what follows its end") }

// why turns an error of the stream into a refusal.
func (r *reader) why(err error) error {
	var known *fault.Error
	var syntax *json.SyntaxError
	switch none := r.head.Format == ""; {
	case errors.As(err, &known):
		return known
	case errors.Is(err, errUnpacked):
		return fault.New(fault.TooLarge, "The text of this copy is longer than %d MiB and was not read to its end. Nothing was changed.", MostUnpacked>>20).
			With("import", "too_large")
	case errors.Is(err, errAfter):
		return followed()
	case unpackable(err):
		return damaged(nil, "its packing: it does not unpack to what was packed")
	case none && (errors.Is(err, errRow) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) || errors.As(err, &syntax)):
		return notACopy()
	case errors.Is(err, errRow):
		return damaged(nil, "a row, which is too large")
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return cutOff(err)
	case errors.As(err, &syntax):
		return damaged(nil, "its text, which is no sound JSON")
	}
	return lost(err)
}

// lost is the refusal where the transport failed, not the file.
func lost(err error) error {
	return fault.Wrap(err, fault.RequestAborted, "The file did not arrive in full. Nothing was changed; try again.")
}

// members reads the members of the document in their order. The head comes
// first, so that a file that is something else is refused before it is read.
func (r *reader) members() error {
	names := members()
	next := 0
	for r.d.More() {
		t, err := r.d.Token()
		if err != nil {
			return err
		}
		name, _ := t.(string)
		at := slices.Index(names, name)
		switch {
		case next == 0 && at != 0:
			return notACopy()
		case at >= 0 && at < next:
			return damaged(nil, "its member "+fault.Clip(name, 40)+", which is there twice or too late")
		case at > next:
			return damaged(nil, "its member "+names[next]+", which is not there before "+name)
		}
		if err := r.member(name); err != nil {
			return err
		}
		next++
	}
	if _, err := r.d.Token(); err != nil {
		return err
	}
	switch {
	case next == 0:
		return notACopy()
	case next < len(names):
		return cutOff(nil)
	case r.count != r.rows:
		return damaged(nil, "its lists, which lack rows or have too many")
	}
	return nil
}

func (r *reader) member(name string) error {
	if slices.Contains(lists(), name) {
		return r.list(name)
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
		r.head.Format = *v.Format
	case "version":
		r.head.Version = *v.Version
		return readable(r.head.Version)
	case "network":
		r.head.Network = *v.Network
	case "createdAt":
		r.head.CreatedAt = *v.CreatedAt
	case "settings":
		r.head.Settings = *v.Settings
	case "activeAccount":
		r.head.Active = v.Active
		r.v, err = r.begin(r.head)
		return err
	case "rows":
		r.count = *v.Rows
	}
	return nil
}

func (r *reader) list(name string) error {
	switch name {
	case "accounts":
		return rows(r, name, r.v.Account)
	case "identities":
		return rows(r, name, r.v.Identity)
	case "reviews":
		return rows(r, name, r.v.Review)
	case "coins":
		return rows(r, name, r.v.Coin)
	}
	return rows(r, name, r.v.Entry)
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
	case r.head.Format == "":
		return single{}, notACopy()
	}
	return single{}, damaged(err, fault.Clip(name, 40))
}

// rows reads the rows of a list and hands them on, one at a time.
func rows[T any](r *reader, name string, take func(T) error) error {
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
		v, err := row[T](raw, r.again)
		if err != nil {
			return damaged(err, name)
		}
		if err := take(v); err != nil {
			return err
		}
	}
	_, err = r.d.Token()
	return err
}

// row reads one row; again, where the strict look at its members is done.
func row[T any](raw []byte, again bool) (v T, err error) {
	if again {
		err = json.Unmarshal(raw, &v)
		return v, err
	}
	return strictjson.Decode[T](raw)
}
