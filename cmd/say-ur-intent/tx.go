package main

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

const aboutTx = `Inspects and verifies transactions offline. They are read as BCS bytes in base64 or hex: from
FILE, from the argument itself, or from standard input if it is - or missing.`

// maxTxInput bounds what is read; a transaction on Sui has at most 128 KiB.
const maxTxInput = 1 << 20

// maxFileName bounds the arguments that can be the name of a file.
const maxFileName = 255

func txCommand(p process) *cobra.Command {
	cmd := &cobra.Command{Use: "tx", Short: "Inspect or verify a transaction offline", Long: aboutTx,
		Example: examples("say-ur-intent tx inspect transaction.b64", "say-ur-intent tx verify --signature BASE64 transaction.b64",
			"say-ur-intent tx verify --proof proof.json")}
	cmd.AddCommand(txInspectCommand(p), txVerifyCommand(p))
	return cmd
}

// readTx reads the transaction named by the arguments left after the flags.
func readTx(p process, args []string) ([]byte, *sui.Transaction, error) {
	if len(args) > 1 {
		return nil, nil, misused(fmt.Errorf("give one transaction, not %d: %q", len(args), args))
	}
	in := p.Stdin
	if len(args) == 1 && args[0] != "-" {
		f, err := os.Open(args[0])
		if err != nil {
			b, t, unread := parseTx(args[0])
			if unread == nil || len(args[0]) > maxFileName {
				return b, t, unread
			}
			return nil, nil, err
		}
		defer f.Close()
		in = f
	}
	text, err := io.ReadAll(io.LimitReader(in, maxTxInput+1))
	if err != nil {
		return nil, nil, err
	}
	if len(text) > maxTxInput {
		return nil, nil, fmt.Errorf("the input is larger than %d bytes", maxTxInput)
	}
	return parseTx(string(text))
}

// parseTx reads base64 or hex. A text of hexadecimal digits alone can be both:
// it is hex when that gives a transaction, else base64 when that does.
func parseTx(text string) ([]byte, *sui.Transaction, error) {
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
			return nil, nil, errors.New("after 0x only pairs of hexadecimal digits are read")
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

func decodeTx(b []byte) ([]byte, *sui.Transaction, error) {
	t, err := sui.DecodeTransaction(b)
	if err != nil {
		return nil, nil, err
	}
	return b, t, nil
}
