package settings

import (
	"bufio"
	"compress/flate"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// What ends the reading of a copy besides errors of JSON and of gzip.
var (
	errUnpacked = errors.New("settings: more text than may be read")
	errRow      = errors.New("settings: a value larger than a row may be")
	errAfter    = errors.New("settings: something follows the packed text")
)

// packing is how a file that is packed with gzip begins (RFC 1952, 2.3.1).
const packing = "\x1f\x8b"

// unpacked gives the text of a file: as it is, or unpacked where its first bytes
// say that it is packed.
func unpacked(in io.Reader) (io.Reader, error) {
	file := bufio.NewReaderSize(in, 64<<10)
	if head, _ := file.Peek(len(packing)); string(head) != packing {
		return file, nil
	}
	z, err := gzip.NewReader(file)
	switch {
	case errors.Is(err, gzip.ErrHeader):
		return nil, notACopy()
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, cutOff(err)
	case err != nil:
		return nil, lost(err)
	}
	z.Multistream(false)
	return &member{z, file}, nil
}

// member is the one member that a packed copy has. Anything behind it is an
// error: a second member would be text that no other program shows.
type member struct {
	z    *gzip.Reader
	file *bufio.Reader
}

// Read implements io.Reader.
func (m *member) Read(p []byte) (int, error) {
	n, err := m.z.Read(p)
	if errors.Is(err, io.EOF) {
		if _, none := m.file.Peek(1); none == nil {
			return n, errAfter
		}
	}
	return n, err
}

// unpackable reports whether an error says that packed bytes are not sound.
func unpackable(err error) bool {
	var corrupt flate.CorruptInputError
	return errors.Is(err, gzip.ErrChecksum) || errors.Is(err, gzip.ErrHeader) || errors.As(err, &corrupt)
}

// bounded keeps a decoder from reading more than MostUnpacked, and from holding
// more than one row: what it has read and not used yet is the value at hand.
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

// held reads a file of at most MostImport bytes.
func held(in io.Reader) ([]byte, error) {
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
