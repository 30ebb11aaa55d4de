package activity

import (
	"bytes"
	"context"
	"encoding/csv"
	"strings"
	"time"
)

// MostCSVRows is the maximum number of changes in a CSV text.
const MostCSVRows = 100_000

// CSV writes every stored change of an account's coins in a span, latest first. Each line has the
// UTC time, digest, coin type and signed raw amount. more reports whether changes were omitted.
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

// plainCell prevents a spreadsheet from reading a text as a formula. Valid coin types begin with 0x
// and are not affected.
func plainCell(s string) string {
	if s != "" && strings.ContainsAny(s[:1], "=+-@\t\r") {
		return "'" + s
	}
	return s
}
