package sui

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// ReadTransactionText reads base64 or hexadecimal digits, with or without 0x. A text that is valid in
// both encodings is read as hex if that decodes to a transaction, otherwise as base64.
func ReadTransactionText(text string) ([]byte, *Transaction, error) {
	text = strings.Join(strings.Fields(text), "")
	if text == "" {
		return nil, nil, errors.New("no input: give a transaction's bytes in base64 or hex")
	}
	digits, prefixed := text, len(text) > 1 && text[0] == '0' && text[1]|0x20 == 'x'
	if prefixed {
		digits = text[2:]
	}
	fromHex, hexErr := hex.DecodeString(digits)
	if prefixed {
		if hexErr != nil {
			return nil, nil, errors.New("only pairs of hexadecimal digits may follow 0x")
		}
		return decodeTx(fromHex)
	}
	var hexFault error
	if hexErr == nil {
		b, t, err := decodeTx(fromHex)
		if err == nil {
			return b, t, nil
		}
		hexFault = err
	}
	from64, err := base64.StdEncoding.Strict().DecodeString(text)
	if err != nil {
		from64, err = base64.RawStdEncoding.Strict().DecodeString(text)
	}
	switch {
	case err != nil && hexFault != nil:
		return nil, nil, hexFault
	case err != nil:
		return nil, nil, errors.New("the input is neither base64 nor hex")
	}
	b, t, err := decodeTx(from64)
	if err != nil && hexFault != nil {
		return nil, nil, fmt.Errorf(
			"the input is valid hex and base64, but not a transaction in either form. As hex: %s",
			fault.As(hexFault).Text)
	}
	return b, t, err
}

func decodeTx(b []byte) ([]byte, *Transaction, error) {
	t, err := DecodeTransaction(b)
	if err != nil {
		return nil, nil, err
	}
	return b, t, nil
}
