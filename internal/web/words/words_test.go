package words_test

import (
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/web/words"
)

// TestMoments checks that times in sentences are found, and nothing else.
func TestMoments(t *testing.T) {
	for text, want := range map[string]string{
		"Checkpoint, 2 Jan 2026, 15:04:05 UTC":            "2026-01-02T15:04:05Z",
		"Waits until 2199-01-01 00:00:00 UTC, or sooner.": "2199-01-01T00:00:00Z",
		"at 2026-11-22 12:00:00.250 UTC":                  "2026-11-22T12:00:00.25Z",
		"31 Feb 2026, 15:04:05 UTC":                       "", "15:04:05 UTC": "", "2 Jan 2026": "",
		"12 Jan 2026, 15:04:05 CET": "",
	} {
		got := ""
		for _, p := range words.Prose(text) {
			got += p.Moment
		}
		if got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
		if whole := together(words.Prose(text)); whole != text {
			t.Errorf("%q became %q", text, whole)
		}
	}
}

// together joins the pieces of a sentence.
func together(parts []words.Piece) (s string) {
	for _, p := range parts {
		s += p.Text + p.Address
	}
	return s
}

// TestGroupedText checks that amounts in sentences are grouped, and that names, dates, ids and
// grouped numbers are unchanged.
func TestGroupedText(t *testing.T) {
	for text, want := range map[string]string{
		"Up to 12000 SUI would leave.":                  "Up to 12,000 SUI would leave.",
		"It holds 1000 SUI and 1234567.5 USDC":          "It holds 1,000 SUI and 1,234,567.5 USDC",
		"a budget of 5000000 MIST":                      "a budget of 5,000,000 MIST",
		"end of epoch 12345":                            "end of epoch 12,345",
		"from -12345 SUI":                               "from -12,345 SUI",
		"Ends 2199-01-01 00:00:00 UTC":                  "Ends 2199-01-01 00:00:00 UTC",
		"asked 2 Jan 2026, 15:04:05 UTC":                "asked 2 Jan 2026, 15:04:05 UTC",
		"in 2026 UTC":                                   "in 2026 UTC",
		"0.0012345678 SUI":                              "0.0012345678 SUI",
		"12,845,730 and 12,845.73":                      "12,845,730 and 12,845.73",
		"version 1.2.30000":                             "version 1.2.30000",
		"0x12345678 and a_12345 and v12345":             "0x12345678 and a_12345 and v12345",
		"http://127.0.0.1:40400/x":                      "http://127.0.0.1:40400/x",
		"order 170141183460469231731687303715884105727": "order 170141183460469231731687303715884105727",
		"18446744073709551615":                          "18,446,744,073,709,551,615",
		"":                                              "",
	} {
		if got := words.Grouped(text); got != want {
			t.Errorf("%q is written %q, want %q", text, got, want)
		}
	}
}

// TestTypesKeepTheirDigits checks that no digit of a coin's address is lost.
func TestTypesKeepTheirDigits(t *testing.T) {
	own := "0x0" + strings.Repeat("a", 63) + "::coin::COIN"
	system := "0x" + strings.Repeat("0", 63) + "2::sui::SUI"
	if words.ShortType(own) != own || words.ShortType(system) != "0x2::sui::SUI" {
		t.Errorf("%s, %s", words.ShortType(own), words.ShortType(system))
	}
}

// TestNumbers checks that grouping changes no digit.
func TestNumbers(t *testing.T) {
	for in, want := range map[string]string{"0": "0", "12": "12", "999": "999", "1000": "1,000",
		"1234567.1234567": "1,234,567.1234567",
		"-1000":           "−1,000", "0.000000001": "0.000000001", "18446744073709551615": "18,446,744,073,709,551,615"} {
		if got := words.Spaced(in); got != want {
			t.Errorf("%s is written %s, want %s", in, got, want)
		}
	}
}
