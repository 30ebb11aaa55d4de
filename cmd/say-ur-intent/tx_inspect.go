package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/sui"
)

func txInspectCommand(p process) *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{Use: "inspect [FILE | BASE64 | -]", Short: "Describe what a transaction does", Long: aboutTx,
		Example: examples("say-ur-intent tx inspect transaction.b64", "say-ur-intent tx inspect --json - < transaction.b64"),
		RunE:    func(_ *cobra.Command, args []string) error { return bad(runTxInspect(p, asJSON, args)) }}
	cmd.ValidArgsFunction = files
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON for programs")
	return cmd
}

// files lets shells complete names of files.
func files(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveDefault
}

// runTxInspect decodes a transaction and says what it does.
func runTxInspect(p process, asJSON bool, args []string) error {
	b, t, err := readTx(p, args)
	if err != nil {
		return err
	}
	if asJSON {
		facts, err := t.FactsJSON()
		if err != nil {
			return err
		}
		var out bytes.Buffer
		if err := json.Indent(&out, facts, "", "  "); err != nil {
			return err
		}
		fmt.Fprintln(p.Stdout, out.String())
		return nil
	}
	printTxNames(p.Stdout, b, t)
	fmt.Fprint(p.Stdout, t.DescribeWith(coins.Name).Text())
	return nil
}

// printTxNames writes what identifies a transaction.
func printTxNames(w io.Writer, b []byte, t *sui.Transaction) {
	d := sui.TransactionDigest(b)
	fmt.Fprintf(w, "Digest      %s\nCommitment  %s\nSize        %d bytes\nSender      %s\n",
		d, sui.Commitment(d), len(b), t.Sender)
}
