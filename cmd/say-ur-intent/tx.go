package main

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

const txUsage = `These work offline, on the BCS bytes of a transaction in base64 or hex:

  say-ur-intent tx inspect [--json] [FILE]
      decode the bytes and say what the transaction does
  say-ur-intent tx verify [--signature BASE64]... [--commitment HEX] [--address 0x…] [FILE]
      recompute digest and commitment, and check what you give beside them
  say-ur-intent tx verify --proof FILE
      check, without a node, that validators signed the result of a transaction

Without FILE, or with -, the bytes are read from standard input.
`

// maxTxInput bounds what is read; a transaction on Sui has at most 128 KiB.
const maxTxInput = 1 << 20

// runTx picks the part of the tx command.
func runTx(p process, args []string) int {
	if len(args) == 0 {
		fmt.Fprint(p.Stderr, txUsage)
		return exitBadInput
	}
	switch args[0] {
	case "inspect":
		return runTxInspect(p, args[1:])
	case "verify":
		return runTxVerify(p, args[1:])
	case "help", "-h", "--help":
		fmt.Fprint(p.Stdout, txUsage)
		return exitOK
	}
	return txBad(p, fmt.Errorf("there is no command tx %q; there are inspect and verify", args[0]))
}

// txBad says in one line what is wrong with the input.
func txBad(p process, err error) int {
	text := err.Error()
	var e *fault.Error
	if errors.As(err, &e) {
		text = e.Text
	}
	fmt.Fprintf(p.Stderr, "say-ur-intent tx: %s\n", strings.Join(strings.Fields(text), " "))
	return exitBadInput
}

// readTx reads the transaction named by the arguments left after the flags.
func readTx(p process, args []string) ([]byte, *sui.Transaction, error) {
	if len(args) > 1 {
		return nil, nil, fmt.Errorf("one FILE is read, and there are %d: %q", len(args), args)
	}
	in := p.Stdin
	if len(args) == 1 && args[0] != "-" {
		f, err := os.Open(args[0])
		if err != nil {
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
		return nil, nil, errors.New("there is no input; give a transaction's bytes in base64 or hex")
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
			"the input can be read as hex and as base64 and is no transaction either way. As hex: %s",
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
