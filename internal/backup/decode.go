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

// notABackup returns the error for a file of another kind.
func notABackup() error {
	return fault.New(fault.InputInvalid, "This file is not a copy of Say Ur Intent's local data. "+
		"Choose the file that “Save a backup” made.").With("import", "foreign")
}

// tooLarge returns the error for a file or text that exceeds a size limit.
func tooLarge(what string, most int64) error {
	return fault.New(fault.TooLarge, "%s than %d MiB and was not read. Nothing was changed.", what, most>>20).
		With("import", "too_large")
}

// cutOff returns the error for a truncated file.
func cutOff(cause error) error {
	return fault.Wrap(cause, fault.InputInvalid, "This backup is truncated: it was not written or copied "+
		"completely. Nothing was changed.").With("import", "truncated")
}

// damaged returns the error for a damaged backup. Its text includes the place, and the cause if
// there is one.
func damaged(cause error, at string) error {
	text := "."
	if cause != nil {
		text = ": " + fault.As(cause).Text
		if text[len(text)-1] != '.' {
			text += "."
		}
	}
	return fault.Wrap(cause, fault.InputInvalid, "This backup is damaged in %s%s Nothing was changed.", at, text).
		With("import", "damaged")
}

// newer returns the error for a backup made by a newer version.
func newer(v int) error {
	return fault.New(fault.InputInvalid, "This backup was made by a newer version of Say Ur Intent (form %d, this one "+
		"reads up to %d). Use the newer version. Nothing was changed.", v, version).With("import", "newer")
}

// Decode reads a backup, compressed or not, within the size limits. It does not check whether the
// content may be imported.
func Decode(in io.Reader) (File, error) {
	file, err := io.ReadAll(io.LimitReader(in, MostImport+1))
	var known *fault.Error
	switch {
	case errors.As(err, &known):
		return File{}, known
	case err != nil: // the transport failed, not the file
		return File{}, fault.Wrap(err, fault.RequestAborted,
			"The file was not received completely. Nothing was changed. Try again.")
	case len(file) > MostImport:
		return File{}, tooLarge("This file is larger", MostImport)
	}
	text, err := unpack(file)
	v, ours := head(text[:min(len(text), maxHead)])
	switch {
	// A file of another kind is reported as such, even if it has other errors.
	case !ours && (err == nil || len(text) > 0):
		return File{}, notABackup()
	case err != nil:
		return File{}, err
	case v > version:
		return File{}, newer(v)
	}
	return parse(text, v)
}

// unpack returns the uncompressed text of a backup, including any text that was read before an
// error.
func unpack(file []byte) ([]byte, error) {
	// Every gzip file begins with these bytes (RFC 1952, 2.3.1).
	if !bytes.HasPrefix(file, []byte("\x1f\x8b")) {
		return file, nil
	}
	rest := bytes.NewReader(file) // at the end, contains the bytes after the compressed text
	z, err := gzip.NewReader(rest)
	var text []byte
	if err == nil {
		z.Multistream(false) // ignore further members, whose text other programs would not show
		text, err = io.ReadAll(io.LimitReader(z, MostUnpacked+1))
	}
	var corrupt flate.CorruptInputError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return text, cutOff(err)
	case errors.Is(err, gzip.ErrHeader):
		return nil, notABackup()
	case errors.Is(err, gzip.ErrChecksum), errors.As(err, &corrupt):
		return text, damaged(nil, "its compression: the decompressed data does not match")
	case err != nil:
		return text, err
	case len(text) > MostUnpacked:
		return text, tooLarge("The text of this backup is longer", MostUnpacked)
	case rest.Len() > 0:
		return text, damaged(nil, "the data after its end")
	}
	return text, nil
}

// maxHead is the length of text within which the head of a backup must be.
const maxHead = 1000

// head reports whether text begins like a backup. It also returns the backup's version, or 0 if
// that is not a number.
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

// parse strictly decodes the text of a backup of the given version.
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
		return File{}, damaged(nil, "its text, which is not valid JSON")
	case errors.As(err, &when):
		return File{}, damaged(nil, "its text, which contains an invalid time")
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
