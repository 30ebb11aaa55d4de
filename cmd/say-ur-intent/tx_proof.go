package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/proof"
)

// runTxProof checks a proof file against every anchor in this program, without a node. The exit
// code is 1 if the file proves nothing. A file that cannot be opened is invalid input.
func runTxProof(p process, path string, others bool) error {
	if others {
		return bad(errors.New("--proof takes no other arguments: the proof names its transaction"))
	}
	b, err := readProof(p, path)
	if err != nil {
		return bad(err)
	}
	file, err := proof.ReadFile(b)
	if err != nil {
		return notProved(p, err)
	}
	proved, err := file.Verify(knownAnchors(file.Chain))
	if err != nil {
		return notProved(p, err)
	}
	printProved(p.Stdout, proved)
	return nil
}

func readProof(p process, path string) ([]byte, error) {
	in := p.Stdin
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in = f
	}
	b, err := io.ReadAll(io.LimitReader(in, proof.MostFile+1))
	if err == nil && len(b) == 0 {
		err = errors.New("no input: give a proof file")
	}
	return b, err
}

// notProved prints why the file proves nothing, and whether it can still be trusted.
func notProved(p process, err error) error {
	var r *proof.Refusal
	if !errors.As(err, &r) {
		return bad(err)
	}
	means := "The file does not contain what validators signed. Do not trust it."
	var unread *fault.Error
	switch {
	case r.Reason == proof.Mismatch && r.Rule == 0 && errors.As(r.Err, &unread):
		means = "The file is not a proof, or it is damaged."
	case r.Reason == proof.Newer:
		means = "A newer version of this program may be able to check it."
	case r.Reason == proof.Missing:
		means = "The file lacks part of the proof, so nothing is proved. Its other parts are not wrong."
	}
	fmt.Fprintf(p.Stdout, "FAILED      not proved: %s\n            %s\n", r.Text, means)
	return exitStatus(exitFailed)
}

// printProved prints what a file proves, one fact per line.
func printProved(w io.Writer, f *proof.FileOutcome) {
	line := func(name, format string, args ...any) {
		fmt.Fprintf(w, "%-12s%s\n", name, fmt.Sprintf(format, args...))
	}
	at := f.Checkpoint
	line("transaction", "%s", f.Transaction)
	if f.Effects.OK() {
		line("result", "succeeded")
	} else {
		line("result", "failed: %s", failureText(f.Effects.Failure))
	}
	line("gas", "%s MIST (computation %s, storage %s, rebate %s)", f.Effects.Gas.Net(), f.Effects.Gas.Computation,
		f.Effects.Gas.Storage, f.Effects.Gas.Rebate)
	line("events", "%d", len(f.Events))
	for _, o := range f.Objects {
		line("object", "%s, version %d", o.ID, o.Version)
	}
	line("checkpoint", "%d of epoch %d, %s", at.Summary.Sequence, at.Summary.Epoch, f.Time.Format(time.RFC3339))
	line("signed by", "%d of %d validators; two thirds of the voting power suffice", at.Signers, at.Members)
	line("chain", "%s, %s", f.Anchor.Network, f.Anchor.Chain)
	line("anchor", "end of epoch %d, checkpoint %d, %s", f.Anchor.Epoch, f.Anchor.Sequence, f.Anchor.Digest)
	if f.Steps > 0 {
		line("", "followed over %s by the validators' signatures", epochs(f.Steps))
	}
	if f.Anchor.Network == sandboxNetwork {
		line("ok", "proved on a sandbox, a test chain without real value: its own validators signed this result")
		return
	}
	line("ok", "proved: validators with more than two thirds of Sui's voting power signed this result")
}

// sandboxNetwork is the network name of anchors of sandbox chains.
const sandboxNetwork = "sandbox"

func failureText(f *sui.ExecutionFailure) string {
	text := f.Name
	if f.Abort != nil {
		text += fmt.Sprintf(" with code %d in %s::%s", f.Abort.Code, f.Abort.Package, f.Abort.Module)
	}
	if f.Command != nil {
		text += fmt.Sprintf(", command %d", *f.Command)
	}
	return text
}

func epochs(n int) string {
	if n == 1 {
		return "1 epoch"
	}
	return fmt.Sprintf("%d epochs", n)
}
