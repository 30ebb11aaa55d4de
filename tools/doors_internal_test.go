package tools

import (
	"slices"
	"testing"

	addresses "github.com/sayurintent/sayurintent/internal/book"
	"github.com/sayurintent/sayurintent/internal/screen"
	"github.com/sayurintent/sayurintent/internal/screen/screentest"
)

// TestEveryTextIsScreened checks that the review screens every text in an intent or proposal, or
// rejects its format.
func TestEveryTextIsScreened(t *testing.T) {
	const marker, address = "a text of a client", "0x7"
	screened := func(path string, fields []screen.Field) {
		if !slices.ContainsFunc(fields, func(f screen.Field) bool { return f.Text == marker }) {
			t.Errorf("%s is not screened", path)
		}
	}
	screentest.Each(t, "in", marker, address, 15, func(*prepareIn) {}, func(path string, in prepareIn) {
		if id := string(in.Intent.RecipientEntry); id == marker && !addresses.IsID(id) {
			return // the book has no such entry, so the call is rejected
		}
		screened(path, screen.Fields("intent", in.Intent.read()))
	})
	screentest.Each(t, "in", marker, address, 28, func(*externalIn) {}, func(path string, in externalIn) {
		if p, err := in.Proposal.read(); err == nil {
			screened(path, screen.Fields("proposal", p))
		}
	})
}
