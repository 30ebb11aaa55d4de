package plan

import (
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// ReadAmount reads an amount of an intent exactly. Text that is no positive number
// that fits the coin is fault.InputInvalid with the field of the intent.
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

// AtField returns the fault with the field of the intent that it is about; nil
// stays nil.
func AtField(field string, err error) error {
	if err == nil {
		return nil
	}
	return fault.As(err).With("field", field)
}
