package plan

import (
	"fmt"
	"strings"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/readback"
)

// ReadAmount parses an amount of an intent exactly. It returns fault.InputInvalid with the intent's
// field if text is not a positive number that fits the coin.
func ReadAmount(field, text string, of Asset) (Amount, error) {
	d, err := sui.ParseDecimal(text)
	if err != nil {
		return Amount{}, AtField(field, err)
	}
	raw, err := d.Raw(of.Decimals)
	if err == nil && raw == 0 {
		err = fault.New(fault.InputInvalid, "The amount must be more than zero.")
	}
	if err != nil {
		return Amount{}, AtField(field, err)
	}
	return of.Of(raw), nil
}

// AtField adds the field of an intent to the fault that it caused; nil stays nil.
func AtField(field string, err error) error {
	if err == nil {
		return nil
	}
	return fault.As(err).With("field", field)
}

// ReadObjectID parses a complete object id in a field of an intent.
func ReadObjectID(field, text, what string) (sui.ObjectID, error) {
	id, err := sui.ParseAccount(text)
	const digits = 64
	switch {
	case text == "":
		return id, fault.New(fault.InputInvalid, "The id of %s is missing.", what).With("field", field)
	case err != nil:
		return id, fault.New(fault.InputInvalid, "%s is the whole id of %s: 0x and %d hexadecimal digits.", field, what,
			digits).With("field", field)
	}
	return id, nil
}

// FundedWords describes in plain sentences how an amount is taken from coins.
func FundedWords(f readback.Funding, a Amount) []string {
	if f.Step > 0 {
		fed := Fed{Step: f.Step, Part: f.Part, Rest: f.Rest, Least: a, Exact: f.Exact}
		return []string{"Take " + fed.Phrase() + ": " + fed.said() + "."}
	}
	from := "one of your " + a.Symbol + " coins"
	if f.Gas() {
		from = "the SUI coin that pays for gas"
	}
	var out []string
	if f.Withdrawn.Amount > 0 {
		out = append(out, "Take "+a.Of(f.Withdrawn.Amount).String()+
			" out of your address balance, where money lies that is in no coin.")
	}
	if f.Whole() {
		from = "that"
	} else if f.Withdrawn.Amount > 0 {
		out = append(out, "Merge that into "+from+".")
	}
	if f.Merged > 0 {
		out = append(out, fmt.Sprintf("Merge %d of your %s coins into %s.", f.Merged, a.Symbol, from))
	}
	return append(out, "Take "+a.String()+" out of "+from+".")
}

// SafeName returns a reported name if it is short and has only letters, digits and underscores.
func SafeName(name string) string {
	if name == "" || len(name) > 64 || strings.Trim(name,
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") != "" {
		return "an unnamed error"
	}
	return name
}

// SignedText formats a signed raw number of an asset exactly, with its symbol.
func SignedText(raw string, a Asset) string {
	d, err := sui.ParseDelta(raw)
	if err != nil {
		return raw + " raw units of " + a.Symbol
	}
	return d.Decimal(a.Decimals) + " " + a.Symbol
}
