package review

import (
	"fmt"

	"github.com/sayurintent/sayurintent/internal/sui/readback"
)

// FundedWords says in plain sentences how an amount is taken out of coins.
func FundedWords(f readback.Funding, a Amount) []string {
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
