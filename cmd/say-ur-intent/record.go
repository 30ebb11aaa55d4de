package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/sayurintent/sayurintent/internal/door"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/hashchain"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
)

const aboutRecord = `The record has an entry for everything that was requested, shown, released and answered, and for what
the chain did. Each entry has the hash of the previous one, so anyone can verify it: see docs/RECORD.md.`

// recordName is the default name of an exported record.
const recordName = "say-ur-intent-record.txt"

func recordCommand(p process) *cobra.Command {
	cmd := &cobra.Command{Use: "record", Short: "Export or verify the record of your requests", Long: aboutRecord,
		Example: examples("say-ur-intent record export", "say-ur-intent record verify "+recordName)}
	cmd.AddCommand(recordExportCommand(p), recordVerifyCommand(p))
	return cmd
}

func recordExportCommand(p process) *cobra.Command {
	flags := newServerFlags()
	flags.hide(sessionFlags...)
	var names bool
	cmd := &cobra.Command{Use: "export [FILE]", Short: "Write the record and the proofs to files",
		Long: "Writes the record to FILE, or to " + recordName +
			", and the proof of each proved transaction to the same folder.\n" +
			"It contains your addresses and amounts. It includes names of people and programs only with --names.\n\n" +
			aboutRecord,
		Example:           examples("say-ur-intent record export", "say-ur-intent record export --names for-my-accountant.txt"),
		ValidArgsFunction: files,
		RunE: func(_ *cobra.Command, args []string) error {
			path := recordName
			if len(args) > 0 {
				path = args[0]
			}
			if len(args) > 1 {
				return misused(fmt.Errorf("unexpected argument %q", args[1]))
			}
			return runRecordExport(p, flags, path, names)
		}}
	cmd.Flags().AddFlagSet(flags.set)
	cmd.Flags().BoolVar(&names, "names", false, "disclose the names of people and programs")
	return cmd
}

// recordPart is one line of the server's response: part of the record, part of a proof, or why a
// proof is missing.
type recordPart struct {
	Proof   string `json:"proof,omitempty"` // digest of the transaction; "" for the record itself
	Data    []byte `json:"data,omitempty"`
	Problem string `json:"problem,omitempty"`
	Done    bool   `json:"done,omitempty"` // this is the last part
}

// maxPart limits the bytes in one part, because its base64 form must fit into a line.
const maxPart = 32 << 10

// runRecordExport writes the server's record to a file, starting the server if none is running.
func runRecordExport(p process, flags *serverFlags, path string, names bool) error {
	s, err := flags.options(p)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	to := &recordFiles{path: path}
	defer to.abandon()
	err = s.byServer(ctx, p, flags.args(), func(proxy *door.Proxy) error {
		proxy.Hello.Kind, proxy.Hello.Record = door.KindRecord, &door.Record{Names: names}
		return proxy.Answers(ctx, func(line json.RawMessage) error {
			var part recordPart
			if err := json.Unmarshal(line, &part); err != nil {
				return err
			}
			return to.take(part)
		})
	}, func(ctx context.Context, a *app) error { return a.sendRecord(ctx, names, to.take) })
	if err == nil && !to.done {
		err = errors.New("the server did not send the whole record; see server.log in the data directory")
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(p.Stdout, "Record: %s\nProofs in the same folder: %d\n", path, to.proofs)
	for _, problem := range to.problems {
		fmt.Fprintln(p.Stdout, problem)
	}
	return nil
}

// sendRecord sends the record in parts. It then sends the proof of each transaction that the record
// says is proved.
func (a *app) sendRecord(ctx context.Context, names bool, send recordWriter) error {
	if err := hashchain.Export(ctx, a.db.Record, send, a.now(), names); err != nil {
		return err
	}
	for text, err := range a.db.RecordEntries(ctx) {
		if err != nil {
			return err
		}
		says, err := provedBy(text)
		if err != nil {
			continue // an entry of another kind, or a damaged one, which verifying the record reports
		}
		file, err := a.proofFile(ctx, says.Digest)
		if err != nil {
			err = send(recordPart{Proof: says.Digest.String(),
				Problem: fmt.Sprintf("The proof of %s is missing: %s", says.Digest, fault.As(err).Text)})
		} else {
			err = send.data(says.Digest.String(), file)
		}
		if err != nil {
			return err
		}
	}
	return send(recordPart{Done: true})
}

// recordWriter sends parts to the command. As a Writer, it sends parts of the record.
type recordWriter func(recordPart) error

// Write implements io.Writer.
func (send recordWriter) Write(b []byte) (int, error) { return len(b), send.data("", b) }

// data sends part of the record, or of the proof of a transaction.
func (send recordWriter) data(proof string, b []byte) error {
	for part := range slices.Chunk(b, maxPart) {
		if err := send(recordPart{Proof: proof, Data: part}); err != nil {
			return err
		}
	}
	return nil
}

// recordFiles writes an export. The record gets its final name only when it is complete.
type recordFiles struct {
	path     string
	file     *os.File
	proof    *os.File
	proofs   int
	problems []string
	done     bool
}

// take writes one part to the file it belongs to.
func (f *recordFiles) take(part recordPart) error {
	switch {
	case part.Problem != "":
		f.problems = append(f.problems, part.Problem)
		return nil
	case part.Done:
		return f.finish()
	case part.Proof != "":
		return f.takeProof(part)
	}
	if f.file == nil {
		var err error
		if f.file, err = os.CreateTemp(filepath.Dir(f.path), ".record-*"); err != nil {
			return err
		}
	}
	_, err := f.file.Write(part.Data)
	return err
}

// takeProof writes part of a proof to its file.
func (f *recordFiles) takeProof(part recordPart) error {
	if _, err := sui.ParseDigest(part.Proof); err != nil {
		return err
	}
	path := proofPath(f.path, part.Proof)
	if f.proof == nil || f.proof.Name() != path {
		if err := f.closeProof(); err != nil {
			return err
		}
		var err error
		if f.proof, err = os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600); err != nil {
			return err
		}
		f.proofs++
	}
	_, err := f.proof.Write(part.Data)
	return err
}

func (f *recordFiles) closeProof() error {
	if f.proof == nil {
		return nil
	}
	return f.proof.Close()
}

func (f *recordFiles) finish() error {
	if f.file == nil {
		return errors.New("the server sent no record")
	}
	if err := errors.Join(f.closeProof(), f.file.Sync(), f.file.Close()); err != nil {
		return err
	}
	f.done = true
	return os.Rename(f.file.Name(), f.path)
}

// abandon removes the files of an incomplete export.
func (f *recordFiles) abandon() {
	if f.file != nil && !f.done {
		_ = f.file.Close()
		_ = os.Remove(f.file.Name())
	}
}

// proofPath returns the path of a transaction's proof, in the folder of the record.
func proofPath(path, digest string) string {
	return filepath.Join(filepath.Dir(path), "proof-"+digest+".json")
}

// provedEntry is the content of an entry that says a transaction is proved.
type provedEntry struct {
	Digest    sui.Digest `json:"digest"`
	Effects   sui.Digest `json:"effects"`
	Certified sui.Digest `json:"checkpointDigest"`
}

// provedBy parses an entry that says a transaction is proved.
func provedBy(text []byte) (p provedEntry, err error) {
	e, _, err := hashchain.Read(text)
	switch {
	case err != nil:
		return p, err
	case e.What != record.EntryProved:
		return p, fault.New(fault.InputInvalid, "This entry is not about a proof.")
	}
	return p, json.Unmarshal(e.About, &p)
}
