package settings

import (
	"bufio"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/review"
)

// Export writes a copy of all local data, packed with gzip, row by row. A copy
// that an error cut off does not unpack to its end, so that nothing takes it for
// whole.
func (s *Service) Export(ctx context.Context, out io.Writer) error {
	z := gzip.NewWriter(out)
	if err := s.export(ctx, z); err != nil {
		return err
	}
	return z.Close()
}

// Weigh takes a copy as Export does, keeps nothing of it, and reads it as Stage
// would. It gives "" where that copy could be put in, else what the person has
// to know before it is taken.
func (s *Service) Weigh(ctx context.Context) (string, error) {
	present, err := s.c.Records.Present(ctx)
	if err != nil {
		return "", err
	}
	text, written := io.Pipe()
	defer func() { _ = text.Close() }() // a refusal ends the writing
	size := make(chan int64, 1)
	go func() {
		var packed counter
		z := gzip.NewWriter(&packed)
		err := s.export(ctx, io.MultiWriter(z, written))
		if err == nil {
			err = z.Close()
		}
		_ = written.CloseWithError(err)
		size <- int64(packed)
	}()
	if err := s.newArrival(present).read(ctx, text, Visit{}); err != nil {
		known := fault.As(err)
		if known.Detail.Get("import") == "" {
			return "", err
		}
		return "This copy could be kept and read, but not be put in again: " + unchanged(known.Text), nil
	}
	if n := <-size; n > MostImport {
		return fmt.Sprintf("This copy has %.1f MiB, and at most %d MiB can be put in. It could be kept and read, but not be put in again.",
			float64(n)/(1<<20), MostImport>>20), nil
	}
	return "", nil
}

// unchanged drops what a refusal says of an import that is not under way.
func unchanged(text string) string { return strings.Replace(text, " Nothing was changed.", "", 1) }

// counter counts bytes.
type counter int64

// Write implements io.Writer.
func (c *counter) Write(b []byte) (int, error) {
	*c += counter(len(b))
	return len(b), nil
}

// export writes the text of a copy.
func (s *Service) export(ctx context.Context, out io.Writer) error {
	w := &writer{out: bufio.NewWriterSize(out, 64<<10)}
	open := ""
	section := func(name string) {
		if open != "" {
			w.end()
		}
		open = name
		w.begin(name)
	}
	lists := lists()
	in := func(name string) {
		for open != name {
			section(lists[slices.Index(lists, open)+1])
		}
	}
	err := s.c.Records.Walk(ctx, Visit{
		Settings: func(stored Stored, active *Active) error {
			w.raw(fmt.Sprintf("{\"format\":%q,\"version\":%d,\n", format, version))
			w.raw(`"network":` + string(encoded(s.c.Network)) + `,"createdAt":` + string(encoded(s.c.Now().UTC())) + ",\n")
			w.raw(`"settings":` + string(encoded(stored)) + ",\n" + `"activeAccount":` + string(encoded(active)))
			return w.err
		},
		Account:  func(v Account) error { in("accounts"); return w.row(encoded(v)) },
		Identity: func(v Identity) error { in("identities"); return w.row(encoded(v)) },
		Review:   func(v review.Session) error { in("reviews"); return w.row(encoded(bare(v))) },
		Coin:     func(v CoinWord) error { in("coins"); return w.row(encoded(v)) },
		Entry:    func(v Entry) error { in("journal"); return w.row(encoded(v)) },
	})
	if err != nil {
		return err
	}
	in("journal")
	w.end()
	w.raw(fmt.Sprintf(",\n\"rows\":%d}\n", w.n))
	if w.err == nil {
		w.err = w.out.Flush()
	}
	return w.err
}
