package hashchain

import (
	"context"
	"io"
	"iter"
	"time"
)

// Source reads a stored record. *store.DB implements it.
type Source interface {
	// RecordEntries returns the exact texts of all entries in order.
	RecordEntries(ctx context.Context) iter.Seq2[[]byte, error]
	// RecordSignatures returns the wallets' signatures.
	RecordSignatures(ctx context.Context) ([]Signature, error)
	// RecordNames returns the names that entries commit to.
	RecordNames(ctx context.Context) ([]Name, error)
}

// Export writes a record file. It discloses the names of people and programs only if names is set.
func Export(ctx context.Context, from Source, to io.Writer, made time.Time, names bool) error {
	// Read the entries last, so that they include those to which signatures and names refer.
	signatures, err := from.RecordSignatures(ctx)
	if err != nil {
		return err
	}
	var disclosed []Name
	if names {
		if disclosed, err = from.RecordNames(ctx); err != nil {
			return err
		}
	}
	w, err := NewWriter(to, made)
	if err != nil {
		return err
	}
	for text, err := range from.RecordEntries(ctx) {
		if err == nil {
			err = w.Entry(text)
		}
		if err != nil {
			return err
		}
	}
	for _, s := range signatures {
		if err := w.Signature(s); err != nil {
			return err
		}
	}
	for _, n := range disclosed {
		if err := w.Name(n); err != nil {
			return err
		}
	}
	return w.End()
}
