package backup

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/strictjson"
)

// notABackup is the refusal of another kind of file.
func notABackup() error {
	return fault.New(fault.InputInvalid, "This file is not a copy of Say Ur Intent's local data. "+
		"Choose the file that “Save a backup” made.").With("import", "foreign")
}

// tooLarge is the refusal of a file or text that was not read to its end.
func tooLarge(what string, most int64) error {
	return fault.New(fault.TooLarge, "%s than %d MiB and was not read. Nothing was changed.", what, most>>20).
		With("import", "too_large")
}

// cutOff returns the error for a truncated file.
func cutOff(cause error) error {
	return fault.Wrap(cause, fault.InputInvalid, "This copy is cut off before its end: "+
		"it was not written or copied in full. Nothing was changed.").With("import", "truncated")
}

// damaged states where a backup is damaged and, with a cause, how.
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

// newer is the refusal of a backup that this program cannot read yet.
func newer(v int) error {
	return fault.New(fault.InputInvalid, "This backup was made by a newer version of Say Ur Intent (form %d, this one "+
		"reads up to %d). Use the newer version. Nothing was changed.", v, version).With("import", "newer")
}

// Decode reads a backup, gzipped or not, up to the size limits. check decides what may be imported.
func Decode(in io.Reader) (File, error) {
	file, err := io.ReadAll(io.LimitReader(in, MostImport+1))
	var known *fault.Error
	switch {
	case errors.As(err, &known):
		return File{}, known
	case err != nil: // the transport failed, not the file
		return File{}, fault.Wrap(err, fault.RequestAborted,
			"The file did not arrive in full. Nothing was changed; try again.")
	case len(file) > MostImport:
		return File{}, tooLarge("This file is larger", MostImport)
	}
	text, err := unpack(file)
	v, ours := head(text[:min(len(text), mostHead)])
	switch {
	// A file of another kind is reported as such, whatever else is wrong.
	case !ours && (err == nil || len(text) > 0):
		return File{}, notABackup()
	case err != nil:
		return File{}, err
	case v > version:
		return File{}, newer(v)
	}
	return parse(text, v)
}

// unpack returns the text of a backup, also what was read before an error.
func unpack(file []byte) ([]byte, error) {
	// A gzip file begins with these bytes (RFC 1952, 2.3.1).
	if !bytes.HasPrefix(file, []byte("\x1f\x8b")) {
		return file, nil
	}
	rest := bytes.NewReader(file) // what follows the packed text
	z, err := gzip.NewReader(rest)
	var text []byte
	if err == nil {
		z.Multistream(false) // a second member would be text that no other program shows
		text, err = io.ReadAll(io.LimitReader(z, MostUnpacked+1))
	}
	var corrupt flate.CorruptInputError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return text, cutOff(err)
	case errors.Is(err, gzip.ErrHeader):
		return nil, notABackup()
	case errors.Is(err, gzip.ErrChecksum), errors.As(err, &corrupt):
		return text, damaged(nil, "its packing: it does not unpack to what was packed")
	case err != nil:
		return text, err
	case len(text) > MostUnpacked:
		return text, tooLarge("The text of this copy is longer", MostUnpacked)
	case rest.Len() > 0:
		return text, damaged(nil, "what follows its end")
	}
	return text, nil
}

// mostHead is how many bytes of a text can have its head.
const mostHead = 1000

// head reports whether a text begins as a backup does, and of which version it is: 0
// without a number there.
func head(text []byte) (v int, ours bool) {
	d := json.NewDecoder(bytes.NewReader(text))
	for _, want := range []json.Token{json.Delim('{'), "format", format} {
		if t, err := d.Token(); err != nil || t != want {
			return 0, false
		}
	}
	if t, err := d.Token(); err == nil && t == "version" {
		_ = d.Decode(&v)
	}
	return v, true
}

// parse reads the text of a backup of a version strictly.
func parse(text []byte, v int) (f File, err error) {
	if v == 1 || v == 2 {
		var old earlier
		old, err = strictjson.Decode[earlier](text)
		f, f.Reviews = old.File, int(old.Reviews)
	} else {
		f, err = strictjson.Decode[File](text)
	}
	var when *time.ParseError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return File{}, cutOff(err)
	case err != nil && !json.Valid(text):
		return File{}, damaged(nil, "its text, which is no sound JSON")
	case errors.As(err, &when):
		return File{}, damaged(nil, "its text, which has a time that is none")
	case err != nil:
		return File{}, damaged(err, "its text")
	}
	for _, member := range []struct {
		name  string
		since int
		there bool
	}{{"version", 0, v > 0 && f.Version == v}, {"settings", 0, f.Settings != nil}, {"accounts", 0, f.Accounts != nil},
		{"book", 2, f.Book != nil}, {"ownNames", 2, f.OwnNames != nil}, {"watched", 3, f.Watched != nil}} {
		if !member.there && v >= member.since {
			return File{}, damaged(nil, "its text, which lacks "+member.name)
		}
	}
	return f, nil
}
