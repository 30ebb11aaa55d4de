package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// txFlags makes a flag set that reports by its error alone.
func txFlags(name string) *flag.FlagSet {
	f := flag.NewFlagSet(name, flag.ContinueOnError)
	f.SetOutput(io.Discard)
	return f
}

// parseTxFlags reads flags before and after FILE; done means that help was
// asked for and given.
func parseTxFlags(p process, f *flag.FlagSet, args []string) (rest []string, done bool, err error) {
	for {
		err := f.Parse(args)
		if errors.Is(err, flag.ErrHelp) {
			fmt.Fprint(p.Stdout, txUsage)
			return nil, true, nil
		}
		if err != nil {
			return nil, false, err
		}
		if f.NArg() == 0 {
			return rest, false, nil
		}
		rest, args = append(rest, f.Arg(0)), f.Args()[1:]
	}
}

// runTxInspect decodes a transaction and says what it does.
func runTxInspect(p process, args []string) int {
	f := txFlags("inspect")
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
	fmt.Fprint(p.Stdout, t.Describe().Text())
	return exitOK
}

// printTxNames writes what identifies a transaction.
func printTxNames(w io.Writer, b []byte, t *sui.Transaction) {
	d := sui.TransactionDigest(b)
	fmt.Fprintf(w, "Digest      %s\nCommitment  %s\nSize        %d bytes\nSender      %s\n",
		d, sui.Commitment(d), len(b), t.Sender)
}
