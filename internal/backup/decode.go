package backup

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/settings"
	"github.com/sayurintent/sayurintent/internal/strictjson"
)

// The refusals of a backup, each with its own sentence.
func notABackup() error {
	return fault.New(fault.InputInvalid, "This file is not a copy of Say Ur Intent's local data. Choose the file that “Take a copy” made.").
		With("import", "foreign")
}

// tooLarge is the refusal of a file that was not read to its end.
func tooLarge(most int64) error {
	return fault.New(fault.TooLarge, "This file is larger than %d MiB and was not read. Nothing was changed.", most>>20).
		With("import", "too_large")
}

// cutOff is the refusal of a file whose end is missing.
func cutOff(cause error) error {
	return fault.Wrap(cause, fault.InputInvalid, "This copy is cut off before its end: it was not written or copied in full. Nothing was changed.").
		With("import", "truncated")
}

// damaged says where a backup is damaged and, with a cause, what is wrong there.
func damaged(cause error, at string) error {
	text := "."
	if cause != nil {
		text = ": " + fault.As(cause).Text
		if text[len(text)-1] != '.' {
			text += "."
		}
	}
	return fault.Wrap(cause, fault.InputInvalid, "This copy is damaged in %s%s Nothing was changed.", at, text).
		With("import", "damaged")
}

// followed is the refusal of a file that goes on behind its end: another program
// could show that part, and this one would not.
func followed() error { return damaged(nil, "what follows its end") }

// lost is the refusal where the transport failed, not the file.
func lost(err error) error {
	return fault.Wrap(err, fault.RequestAborted, "The file did not arrive in full. Nothing was changed; try again.")
}

// upload reads a file of at most MostImport bytes.
func upload(in io.Reader) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(in, MostImport+1))
	var known *fault.Error
	switch {
	case errors.As(err, &known):
		return nil, known
	case err != nil:
		return nil, lost(err)
	case len(b) > MostImport:
		return nil, tooLarge(MostImport)
	}
	return b, nil
}

// What ends the decoding besides errors of JSON and of gzip.
var (
	errUnpacked = errors.New("backup: more text than may be read")
	errRow      = errors.New("backup: a value larger than a row may be")
)

// bounded keeps a decoder from reading more than MostUnpacked, and from holding
// more than one row: what it has read and not used yet is the value at hand. So
// a small file that unpacks to much is cut, and never held.
type bounded struct {
	in   io.Reader
	d    *json.Decoder
	read int64
}

// Read implements io.Reader.
func (b *bounded) Read(p []byte) (int, error) {
	switch {
	case b.read > MostUnpacked:
		return 0, errUnpacked
	case b.read-b.d.InputOffset() > mostRow:
		return 0, errRow
	}
	n, err := b.in.Read(p[:min(len(p), 64<<10)])
	b.read += int64(n)
	return n, err
}

// decoder reads the text of a backup. It holds one row at a time.
type decoder struct {
	d     *json.Decoder
	head  Head
	rows  int
	count int // the last member
	begin func(Head) error
	row   func(Row) error
	again bool // the same bytes were read strictly before
}

// Decode reads a backup, packed with gzip or not, strictly: known members only,
// each once and in their order, sound UTF-8, no file beyond MostImport, no text
// beyond MostUnpacked and no row beyond MostRows. begin gets the head before row
// gets any row; their errors are returned as they are. Decode judges the form;
// what may come in is judged by an importer.
func Decode(in io.Reader, begin func(Head) error, row func(Row) error) error {
	file, err := upload(in)
	if err != nil {
		return err
	}
	return decode(file, false, begin, row)
}

// decode is Decode of a file at hand. Nothing of the text is held but the row at
// hand: a file of MostImport can unpack to 16 times as much.
func decode(file []byte, again bool, begin func(Head) error, row func(Row) error) error {
	rest := bytes.NewReader(file) // what is behind a packed text
	bounds := &bounded{in: rest}
	// A packed file begins with these bytes (RFC 1952, 2.3.1).
	if bytes.HasPrefix(file, []byte("\x1f\x8b")) {
		z, err := gzip.NewReader(rest)
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return cutOff(err)
		case err != nil:
			return notABackup()
		}
		z.Multistream(false) // a second member would be text that no other program shows
		bounds.in = z
	}
	d := &decoder{d: json.NewDecoder(bounds), begin: begin, row: row, again: again}
	bounds.d = d.d
	d.d.UseNumber()
	if err := d.document(); err != nil {
		return d.why(err)
	}
	// The end of the text is reached before the backup counts as read: a packed
	// file proves only there that it is whole.
	var syntax *json.SyntaxError
	switch _, err := d.d.Token(); {
	case err == nil, errors.As(err, &syntax):
		return followed()
	case !errors.Is(err, io.EOF):
		return d.why(err)
	case rest.Len() > 0:
		return followed()
	}
	return nil
}

// why turns an error of JSON, of gzip or of a bound into a refusal. Before the
// format is known, whatever is wrong means that this is another kind of file.
func (d *decoder) why(err error) error {
	var known *fault.Error
	var syntax *json.SyntaxError
	var corrupt flate.CorruptInputError
	ended := errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF)
	switch none := d.head.Format == ""; {
	case errors.As(err, &known):
		return known
	case errors.Is(err, errUnpacked):
		return fault.New(fault.TooLarge, "The text of this copy is longer than %d MiB and was not read to its end. Nothing was changed.", MostUnpacked>>20).
			With("import", "too_large")
	case errors.Is(err, gzip.ErrChecksum), errors.Is(err, gzip.ErrHeader), errors.As(err, &corrupt):
		return damaged(nil, "its packing: it does not unpack to what was packed")
	case none && (ended || errors.Is(err, errRow) || errors.As(err, &syntax)):
		return notABackup()
	case errors.Is(err, errRow):
		return damaged(nil, "a row, which is too large")
	case ended:
		return cutOff(err)
	case errors.As(err, &syntax):
		return damaged(nil, "its text, which is no sound JSON")
	}
	return lost(err)
}

// document reads the members of the document in their order. The head comes
// first, so that a file that is something else is refused before it is read.
func (d *decoder) document() error {
	if t, err := d.d.Token(); err != nil {
		return err
	} else if t != json.Delim('{') {
		return notABackup()
	}
	// One turn more than there are names reads the end of the document.
	for i := 0; ; i++ {
		more := d.d.More()
		t, err := d.d.Token()
		if err != nil {
			return err
		}
		name, _ := t.(string)
		names := members(d.head.Version)
		at := slices.Index(names, name)
		switch {
		case i == 0 && at != 0:
			return notABackup()
		case !more && i < len(names):
			return cutOff(nil)
		case !more && d.count != d.rows:
			return damaged(nil, "its lists, which lack rows or have too many")
		case !more:
			return nil
		case at >= 0 && at < i:
			return damaged(nil, "its member "+fault.Clip(name, 40)+", which is there twice or too late")
		case at > i:
			return damaged(nil, "its member "+names[i]+", which is not there before "+name)
		}
		if slices.Contains(lists(), name) {
			err = d.list(name)
		} else {
			err = d.member(name)
		}
		if err != nil {
			return err
		}
	}
}

// member is one member of the document that is no list: one of these is read at
// a time, under its own name, so that refusals name it.
type member struct {
	Format    *string          `json:"format"`
	Version   *int             `json:"version"`
	Network   *string          `json:"network"`
	CreatedAt *time.Time       `json:"createdAt"`
	Settings  *settings.Stored `json:"settings"`
	Active    *Active          `json:"activeAccount"`
	Rows      *int             `json:"rows"`
}

// member reads the value of a member strictly. Only the account in use may have
// none.
func (d *decoder) member(name string) error {
	var raw json.RawMessage
	if err := d.d.Decode(&raw); err != nil {
		return err
	}
	v, err := strictjson.Decode[member](slices.Concat([]byte("{"), text(name), []byte(":"), raw, []byte("}")))
	if err == nil && string(raw) == "null" && name != "activeAccount" {
		err = fault.New(fault.InputInvalid, "It has no value.")
	}
	// The first member is the format: without it this is some other JSON.
	switch {
	case err != nil && d.head.Format == "":
		return notABackup()
	case err != nil:
		return damaged(err, fault.Clip(name, 40))
	}
	switch name {
	case "format":
		if *v.Format != format {
			return notABackup()
		}
		d.head.Format = *v.Format
	case "version":
		d.head.Version = *v.Version
		return readable(d.head.Version)
	case "network":
		d.head.Network = *v.Network
	case "createdAt":
		d.head.CreatedAt = *v.CreatedAt
	case "settings":
		d.head.Settings = *v.Settings
	case "activeAccount":
		// The last of the head.
		d.head.Active = v.Active
		return d.begin(d.head)
	case "rows":
		d.count = *v.Rows
	}
	return nil
}

// readable reports whether this program reads a backup of that version.
func readable(v int) error {
	if v < 1 {
		return notABackup()
	}
	if v > version {
		return fault.New(fault.InputInvalid, "This copy was made by a newer version of Say Ur Intent (form %d, this one "+
			"reads up to %d). Use the newer version. Nothing was changed.", v, version).With("import", "newer")
	}
	return nil
}

// list reads the rows of a list and hands them on, one at a time.
func (d *decoder) list(name string) error {
	t, err := d.d.Token()
	if err != nil {
		return err
	}
	if t != json.Delim('[') {
		return damaged(nil, name+", which is not a list")
	}
	for d.d.More() {
		var raw json.RawMessage
		if err := d.d.Decode(&raw); err != nil {
			return err
		}
		d.rows++
		switch {
		case d.rows > MostRows:
			return fault.New(fault.TooLarge, "This copy has more than %d rows. Nothing was changed.", MostRows).With("import", "too_many_rows")
		case raw[0] != '{':
			return damaged(nil, name+", which has a row that is no object")
		case len(raw) > mostRow:
			return damaged(nil, name+", which has a row that is too large")
		}
		row, err := rowOf(name, raw, d.again)
		if err != nil {
			return damaged(err, name)
		}
		if err := d.row(row); err != nil {
			return err
		}
	}
	_, err = d.d.Token()
	return err
}

// rowOf reads one row of a list.
func rowOf(list string, raw []byte, again bool) (Row, error) {
	switch list {
	case "accounts":
		return decodeRow[Account](raw, again)
	case "identities":
		return decodeRow[Identity](raw, again)
	case "reviews":
		return decodeRow[Review](raw, again)
	case "coins":
		return decodeRow[Coin](raw, again)
	case "book":
		return decodeRow[Name](raw, again)
	case "ownNames":
		return decodeRow[OwnName](raw, again)
	}
	return decodeRow[Entry](raw, again)
}

// decodeRow reads a row strictly. An import holds the write transaction of the
// store, so bytes that passed once are not searched for unknown members again.
func decodeRow[T Row](raw []byte, again bool) (v T, err error) {
	if again {
		err = json.Unmarshal(raw, &v)
		return v, err
	}
	return strictjson.Decode[T](raw)
}
