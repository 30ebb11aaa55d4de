package main

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/sayurintent/sayurintent/internal/sui"
)

const aboutTx = `Inspects and verifies transactions offline. They are read as BCS bytes in base64 or hex: from
FILE, from the argument itself, or from standard input if it is - or missing.`

// maxTxInput limits the input in bytes. A Sui transaction has at most 128 KiB.
const maxTxInput = 1 << 20

// maxFileName is the maximum length of a file name. A longer argument must be a transaction.
const maxFileName = 255

func txCommand(p process) *cobra.Command {
	cmd := &cobra.Command{Use: "tx", Short: "Inspect or verify a transaction offline", Long: aboutTx,
		Example: examples("say-ur-intent tx inspect transaction.b64",
			"say-ur-intent tx verify --signature BASE64 transaction.b64",
			"say-ur-intent tx verify --proof proof.json")}
	cmd.AddCommand(txInspectCommand(p), txVerifyCommand(p))
	return cmd
}

// readTx reads the transaction that args name: a file, base64 text, or standard input.
func readTx(p process, args []string) ([]byte, *sui.Transaction, error) {
	if len(args) > 1 {
		return nil, nil, misused(fmt.Errorf("give one transaction, not %d: %q", len(args), args))
	}
	in := p.Stdin
	if len(args) == 1 && args[0] != "-" {
		f, err := os.Open(args[0])
		if err != nil {
			b, t, unread := sui.ReadTransactionText(args[0])
			if unread == nil || len(args[0]) > maxFileName {
				return b, t, unread
			}
			return nil, nil, fmt.Errorf("%w; without a file, give the transaction in base64 or hex", err)
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
	return sui.ReadTransactionText(string(text))
}
