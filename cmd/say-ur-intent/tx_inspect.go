package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// parseTxFlags reads flags before and after FILE; done means that help was
// asked for and given.
func parseTxFlags(p process, f *flag.FlagSet, args []string) (rest []string, done bool, err error) {
	rest, done, err = parseMixed(f, args)
	if done {
		fmt.Fprint(p.Stdout, txUsage)
	}
	return rest, done, err
}

// runTxInspect decodes a transaction and says what it does.
func runTxInspect(p process, args []string) int {
	f := quietFlags("inspect")
	asJSON := f.Bool("json", false, "")
	rest, done, err := parseTxFlags(p, f, args)
	if done {
		return exitOK
	}
	if err != nil {
		return txBad(p, err)
	}
	b, t, err := readTx(p, rest)
	if err != nil {
		return txBad(p, err)
	}
	if *asJSON {
		facts, err := t.FactsJSON()
		if err != nil {
			return txBad(p, err)
		}
		var out bytes.Buffer
		if err := json.Indent(&out, facts, "", "  "); err != nil {
			return txBad(p, err)
		}
		fmt.Fprintln(p.Stdout, out.String())
		return exitOK
	}
	printTxNames(p.Stdout, b, t)
	fmt.Fprint(p.Stdout, t.DescribeWith(coins.Name).Text())
	return exitOK
}

// printTxNames writes what identifies a transaction.
func printTxNames(w io.Writer, b []byte, t *sui.Transaction) {
	d := sui.TransactionDigest(b)
	fmt.Fprintf(w, "Digest      %s\nCommitment  %s\nSize        %d bytes\nSender      %s\n",
		d, sui.Commitment(d), len(b), t.Sender)
}
