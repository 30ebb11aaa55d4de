package hashchain

import (
	"bufio"
	"crypto/sha256"
	"hash"
	"io"
	"time"

	"github.com/sayurintent/sayurintent/internal/strictjson"
)

// Kinds of lines in a record file.
const (
	kindRecord    = "say-ur-intent record 1" // the first line
	kindEntry     = "entry"
	kindSignature = "signature"
	kindName      = "name"
	kindEnd       = "end" // the last line
)

// opening is the content of the first line.
type opening struct {
	Kind string    `json:"kind"`
	Made time.Time `json:"made"`
}

// ending is the content of the last line: the number of lines before it, and the hash of their
// bytes.
type ending struct {
	Kind  string `json:"kind"`
	Lines int    `json:"lines"`
	Hash  Hash   `json:"hash"`
}

// Writer writes a record file. Each line is the hash of a JSON text, a space, and the text.
type Writer struct {
	out   *bufio.Writer
	sum   hash.Hash
	lines int
}

// NewWriter begins a record file.
func NewWriter(out io.Writer, made time.Time) (*Writer, error) {
	sum := sha256.New()
	w := &Writer{out: bufio.NewWriter(io.MultiWriter(out, sum)), sum: sum}
	return w, w.value(opening{kindRecord, made.UTC().Truncate(time.Second)})
}

// Entry writes the text of an entry. The entries of a chain must be written in order.
func (w *Writer) Entry(text []byte) error { return w.line(text) }

// Signature writes a signature. All entries must have been written.
func (w *Writer) Signature(s Signature) error {
	s.Kind = kindSignature
	return w.value(s)
}

// Name writes a disclosed name. All entries must have been written.
func (w *Writer) Name(n Name) error {
	n.Kind = kindName
	return w.value(n)
}

// End writes the last line.
func (w *Writer) End() error {
	if err := w.out.Flush(); err != nil {
		return err
	}
	if err := w.value(ending{kindEnd, w.lines, Hash(w.sum.Sum(nil))}); err != nil {
		return err
	}
	return w.out.Flush()
}

func (w *Writer) value(v any) error {
	text, err := strictjson.Encode(v)
	if err != nil {
		return err
	}
	return w.line(text)
}

func (w *Writer) line(text []byte) error {
	w.lines++
	_, _ = w.out.WriteString(HashOf(text).String())
	_ = w.out.WriteByte(' ')
	_, _ = w.out.Write(text)
	return w.out.WriteByte('\n') // also reports earlier write errors
}
