package coins

import (
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/fault"
)

func TestTable(t *testing.T) {
	if err := Check(); err != nil {
		t.Fatal(err)
	}
	if len(All()) != 21 || len(Symbols()) != 21 || Symbols()[1] != "SUI" {
		t.Fatalf("%d coins, %d symbols", len(All()), len(Symbols()))
	}
	seen := map[string]bool{}
	for _, c := range All() {
		seen[strings.ToLower(c.Symbol)] = true
		if byType, ok := ByType(c.Type); !ok || byType != c {
			t.Errorf("%s is not found by its type", c.Symbol)
		}
	}
	if len(seen) != 21 {
		t.Errorf("symbols collide when folded: %v", seen)
	}
	All()[0].Symbol = "changed"
	if _, ok := BySymbol("DEEP"); !ok {
		t.Error("a caller changed the table")
	}
	rows := append([]row{}, rows...)
	rows[1].kind = "0x2::sui::SUI"
	if _, err := build(rows); !fault.Is(err, fault.InternalError) {
		t.Errorf("a short type is taken: %v", err)
	}
}

func TestScalars(t *testing.T) {
	t.Run("R004-62 decimals come from a power-of-ten scalar", func(t *testing.T) {
		for scalar, want := range map[uint64]uint8{1: 0, 10: 1, 1_000_000: 6, 1_000_000_000: 9, 1e19: 19} {
			if got, err := Decimals(scalar); err != nil || got != want {
				t.Errorf("Decimals(%d) = %d, %v", scalar, got, err)
			}
		}
	})
	t.Run("R004-62 every coin's decimals are those of its own scalar", func(t *testing.T) {
		edited := append([]row{}, rows...)
		edited[0].scalar, edited[1].scalar = 10_000, 1
		got, err := build(edited)
		if err != nil || got[0].Decimals != 4 || got[1].Decimals != 0 {
			t.Fatalf("%+v, %v", got[:2], err)
		}
		for i, c := range got {
			n := uint64(1)
			for range c.Decimals {
				n *= 10
			}
			if n != edited[i].scalar || c.Scalar != n {
				t.Errorf("%s: %d decimals of %d", c.Symbol, c.Decimals, edited[i].scalar)
			}
		}
	})
	t.Run("R004-63 another scalar fails closed", func(t *testing.T) {
		for _, scalar := range []uint64{0, 2, 11, 1_000_001, 500_000} {
			if _, err := Decimals(scalar); !fault.Is(err, fault.InternalError) {
				t.Errorf("Decimals(%d): %v", scalar, err)
			}
			edited := append([]row{}, rows...)
			edited[3].scalar = scalar
			got, err := build(edited)
			if err == nil || len(got) != 0 {
				t.Errorf("scalar %d gave a table of %d coins, %v", scalar, len(got), err)
			}
		}
	})
}

func TestFind(t *testing.T) {
	for asked, want := range map[string]string{"SUI": "SUI", "usdc": "USDC", "0x2::sui::SUI": "SUI",
		string(DEEP): "DEEP"} {
		if c, err := Find(asked); err != nil || c.Symbol != want {
			t.Errorf("Find(%q) = %s, %v", asked, c.Symbol, err)
		}
	}
	for asked, code := range map[string]fault.Code{
		"USD": fault.RegistryMiss, "": fault.RegistryMiss, "0x2::sui::NOPE": fault.RegistryMiss,
		"0x2::sui": fault.InputInvalid,
	} {
		if _, err := Find(asked); !fault.Is(err, code) {
			t.Errorf("Find(%q): %v", asked, err)
		}
	}
}

func TestMatchWantsOneCandidate(t *testing.T) {
	names := []string{"usdc", "USDC", "Deep"}
	self := func(s string) string { return s }
	if _, ok := Match(names, "Usdc", self); ok {
		t.Error("an ambiguous spelling was resolved")
	}
	if got, ok := Match(names, "USDC", self); !ok || got != "USDC" {
		t.Errorf("exact spelling gave %q", got)
	}
	if got, ok := Match(names, "DEEP", self); !ok || got != "Deep" {
		t.Errorf("sole candidate gave %q", got)
	}
}
