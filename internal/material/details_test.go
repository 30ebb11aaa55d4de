package material_test

import (
	"testing"

	"github.com/sayurintent/sayurintent/internal/material"
	"github.com/sayurintent/sayurintent/internal/sandbox"
)

// TestDetailsAreCompared: a program's details must match its transaction, and are not used for
// building.
func TestDetailsAreCompared(t *testing.T) {
	w := start(t)
	good := w.hex(w.payment())
	plain, word := w.read(material.Given{Hex: good})
	if word != "" {
		t.Fatal(word)
	}
	t.Run("R000-32 the same is built with and without details", func(t *testing.T) {
		for _, d := range []material.Details{{From: sandbox.Account.String()}, {To: friend.String()}, {Value: "1500000000"},
			{Symbol: "SUI"}, {Amount: "1.500 SUI"}} {
			if in, word := w.read(material.Given{Hex: good, Details: d}); word != "" || !equal(in, plain) {
				t.Errorf("%+v: %q %+v", d, word, in)
			}
		}
	})
	for name, c := range map[string]struct {
		d    material.Details
		word string
	}{
		"R000-32 R000-33 from":            {material.Details{From: friend.String()}, material.WrongSender},
		"R000-32 R000-33 to":              {material.Details{To: sandbox.Account.String()}, material.OtherDetails},
		"R000-32 R000-33 value":           {material.Details{Value: "1"}, material.OtherDetails},
		"R000-32 R000-33 token symbol":    {material.Details{Symbol: "DEEP"}, material.OtherDetails},
		"R000-32 R000-33 human amount":    {material.Details{Amount: "1 SUI"}, material.OtherDetails},
		"R000-32 R000-33 its coin's name": {material.Details{Amount: "1.5 DEEP"}, material.OtherDetails},
	} {
		t.Run(name+" that is false is refused", func(t *testing.T) {
			if in, word := w.read(material.Given{Hex: good, Details: c.d}); word != c.word {
				t.Errorf("%q %+v", word, in)
			}
		})
	}
}
