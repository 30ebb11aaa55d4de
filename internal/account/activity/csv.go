package activity

import (
	"bytes"
	"context"
	"encoding/csv"
	"strings"
	"time"
)

// MostCSVRows is how many changes one CSV text has at most.
const MostCSVRows = 100_000

// CSV writes every stored change of an account's coins in a span, latest first, one per line: time
// in UTC, digest, coin type, signed raw amount. more says that there are further ones, which were
// left out.
func (s *Service) CSV(ctx context.Context, span Span) (text []byte, more bool, err error) {
	f, err := s.c.Store.ActivityFlows(ctx, span)
	if err != nil {
		return nil, false, err
	}
	list := f.Changes
	if len(list) > MostCSVRows {
		list, more = list[:MostCSVRows], true
	}
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	rows := [][]string{{"timestamp", "digest", "coinType", "amountRaw"}}
	for _, c := range list {
		at := ""
		if !c.At.IsZero() {
			at = c.At.UTC().Format(time.RFC3339Nano)
		}
		rows = append(rows, []string{at, c.Digest.String(), plainCell(string(c.Coin)), c.Amount.String()})
	}
	if err := w.WriteAll(rows); err != nil {
		return nil, false, err
	}
	return b.Bytes(), more, nil
}

// plainCell keeps a spreadsheet from reading a text as a formula. Coin types
// begin with 0x, so that this changes nothing that is whole.
func plainCell(s string) string {
	if s != "" && strings.ContainsAny(s[:1], "=+-@\t\r") {
		return "'" + s
	}
	return s
}
