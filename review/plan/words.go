package plan

import (
	"fmt"
	"strings"

	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/readback"
)

// FundedWords describes in plain sentences how an amount is taken from coins.
func FundedWords(f readback.Funding, a Amount) []string {
	if f.Step > 0 {
		return []string{"Take " + Fed{Step: f.Step, Least: a}.Phrase() + ": " + Fed{Least: a, Exact: f.Exact}.said() + "."}
	}
	from := "one of your " + a.Symbol + " coins"
	if f.Gas() {
		from = "the SUI coin that pays for gas"
	}
	var out []string
	if f.Merged > 0 {
		out = append(out, fmt.Sprintf("Merge %d of your %s coins into %s.", f.Merged, a.Symbol, from))
	}
	return append(out, "Take "+a.String()+" out of "+from+".")
}

// SafeName bounds a name that a node reported: it is shown only where it looks like
// one.
func SafeName(name string) string {
	if name == "" || len(name) > 64 || strings.Trim(name,
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") != "" {
		return "an unnamed error"
	}
	return name
}

// SignedText writes a signed raw number of an asset as exact display text.
func SignedText(raw string, a Asset) string {
	d, err := sui.ParseDelta(raw)
	if err != nil {
		return raw + " raw units of " + a.Symbol
	}
	return d.Decimal(a.Decimals) + " " + a.Symbol
}
