package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/adapters"
	"github.com/sayurintent/sayurintent/internal/protocol/floor"
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

// files makes shells complete file names.
func files(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveDefault
}

// runTxInspect decodes a transaction and describes it.
func runTxInspect(p process, asJSON bool, args []string) error {
	b, t, err := readTx(p, args)
	if err != nil {
		return err
	}
	if asJSON {
		facts, err := t.FactsJSON(floor.Describe(t))
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
	printReviewed(p.Stdout, t)
	fmt.Fprint(p.Stdout, floor.Describe(t).Text())
	return nil
}

// printReviewed prints what a review would say about a transaction. It prints nothing if no action
// can read the whole transaction.
func printReviewed(w io.Writer, t *sui.Transaction) {
	f, _, err := plan.FindFacts(withEmptyCoins(t), adapters.Over(nil, nil, nil, nil, time.Now))
	if err != nil {
		return
	}
	fmt.Fprintln(w, "\nAs a review says it")
	for _, sentence := range f.Commands() {
		fmt.Fprintln(w, "  "+sentence)
	}
	fmt.Fprintln(w)
}

// withEmptyCoins returns a transaction in which calls refer to an empty coin as Result(n). That is
// how this program builds them. Other programs may write NestedResult(n, 0), which means the same.
func withEmptyCoins(t *sui.Transaction) *sui.Transaction {
	same := *t
	same.Commands = slices.Clone(t.Commands)
	for i, c := range same.Commands {
		call, ok := c.(sui.MoveCall)
		if !ok {
			continue
		}
		call.Arguments = slices.Clone(call.Arguments)
		for j, a := range call.Arguments {
			if from := int(a.Index); a.Kind == sui.ArgNestedResult && a.Nested == 0 && from < i &&
				makesEmptyCoin(t.Commands[from]) {
				call.Arguments[j] = sui.ResultArg(from)
			}
		}
		same.Commands[i] = call
	}
	return &same
}

func makesEmptyCoin(c sui.Command) bool {
	call, ok := c.(sui.MoveCall)
	return ok && call.Package == sui.MustAddress("0x2") && call.Module == "coin" && call.Function == "zero"
}

// printTxNames prints a transaction's digest, commitment, size and sender.
func printTxNames(w io.Writer, b []byte, t *sui.Transaction) {
	d := sui.TransactionDigest(b)
	fmt.Fprintf(w, "Digest      %s\nCommitment  %s\nSize        %d bytes\nSender      %s\n",
		d, sui.Commitment(d), len(b), t.Sender)
}
