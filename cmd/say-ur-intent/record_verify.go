package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/sayurintent/sayurintent/internal/hashchain"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/proof"
)

func recordVerifyCommand(p process) *cobra.Command {
	var head string
	cmd := &cobra.Command{Use: "verify FILE", Short: "Check a record without a node",
		Long: "Checks every line of a record, the wallets' signatures, and the proofs in its folder. It lists each " +
			"changed,\nmissing or reordered entry. It needs neither a node nor a data directory.\nWith --head, the record " +
			"must also contain the entry with that hash.\n\n" + aboutRecord,
		Example: examples("say-ur-intent record verify "+recordName,
			"say-ur-intent record verify --head HASH "+recordName),
		ValidArgsFunction: files,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return misused(errors.New("name a record file"))
			}
			return runRecordVerify(p, args[0], head)
		}}
	cmd.Flags().StringVar(&head, "head", "", "`HASH` of an entry that must be in the record")
	return cmd
}

// runRecordVerify checks a record, and prints one line for each fact and each problem. The exit
// code is 1 if the record is invalid.
func runRecordVerify(p process, path, head string) error {
	var wanted hashchain.Hash
	if head != "" {
		if err := wanted.UnmarshalText([]byte(head)); err != nil {
			return bad(err)
		}
	}
	f, err := os.Open(path)
	if err != nil {
		return bad(err)
	}
	defer f.Close()
	v := recordCheck{out: p.Stdout, path: path, ok: true, chains: map[sui.Digest]string{}}
	report, err := hashchain.Verify(f, v.entry)
	if err != nil {
		return bad(err)
	}
	v.report(report)
	if head != "" {
		v.say(report.Has(wanted), "entry %s is in the record", head)
	}
	if !v.ok {
		return exitStatus(exitFailed)
	}
	return nil
}

// recordCheck checks a record and the proofs in its folder.
type recordCheck struct {
	out    io.Writer
	path   string
	ok     bool
	chains map[sui.Digest]string // chains of the released transactions
	proved int                   // number of transactions with a valid proof
	played int                   // number of sandbox transactions with a valid proof
	absent int                   // number of transactions whose proof is not in the folder
	failed []string
}

func (v *recordCheck) say(ok bool, format string, args ...any) {
	mark := "ok    "
	if !ok {
		mark, v.ok = "FAILED", false
	}
	fmt.Fprintf(v.out, "%s      %s\n", mark, fmt.Sprintf(format, args...))
}

func (v *recordCheck) note(format string, args ...any) {
	fmt.Fprintf(v.out, "note        %s\n", fmt.Sprintf(format, args...))
}

// entry checks one entry. It remembers the chain of a released transaction, and verifies the proof
// of a transaction that is recorded as proved.
func (v *recordCheck) entry(text []byte) {
	e, _, err := hashchain.Read(text)
	if err == nil && e.What == record.EntryReleased {
		var says releasedEntry
		if json.Unmarshal(e.About, &says) == nil {
			v.chains[says.Digest] = says.ChainID
		}
	}
	says, err := provedBy(text)
	if err != nil {
		return
	}
	b, err := os.ReadFile(proofPath(v.path, says.Digest.String()))
	if errors.Is(err, fs.ErrNotExist) {
		v.absent++
		return
	}
	var network string
	if err == nil {
		network, err = v.proves(b, says)
	}
	switch {
	case err != nil:
		v.failed = append(v.failed, fmt.Sprintf("proof of %s: %s", says.Digest, err))
	//mutant:never ./cmd/say-ur-intent TestRecord
	case network == sandboxNetwork:
		v.played++
	default:
		v.proved++
	}
}

// releasedEntry is the content of an entry about a released transaction.
type releasedEntry struct {
	Digest  sui.Digest `json:"digest"`
	ChainID string     `json:"chainId"`
}

// proves returns the network of a proof file, or an error if the file does not prove what an entry
// states. The same bytes could also have been executed on a sandbox, so the file must be from the
// chain that the transaction was released for.
func (v *recordCheck) proves(b []byte, says provedEntry) (network string, err error) {
	file, err := proof.ReadFile(b)
	if err != nil {
		return "", err
	}
	proved, err := file.Verify(knownAnchors(file.Chain))
	chain, known := v.chains[says.Digest]
	switch {
	case err != nil:
		return "", err
	//mutant:never ./cmd/say-ur-intent TestRecord
	case proved.Transaction != says.Digest || proved.EffectsDigest != says.Effects ||
		proved.Checkpoint.Digest != says.Certified:
		return "", errors.New("it does not prove what the entry states")
	//mutant:never ./cmd/say-ur-intent TestRecordOfAnotherChain
	case known && chain != file.Chain.String():
		return "", errors.New("it is from a different chain than the entry's transaction")
	}
	return proved.Anchor.Network, nil
}

// report prints the result of the verification.
func (v *recordCheck) report(r *hashchain.Report) {
	for _, p := range r.Problems {
		v.say(false, "line %d: %s", p.Line, p.Text)
	}
	for _, text := range v.failed {
		v.say(false, "%s", text)
	}
	if r.OK() {
		v.say(true, "entries: %d, none changed, missing or reordered", r.Entries)
	}
	for _, c := range r.Chains {
		v.chain(c)
	}
	if r.Names > 0 {
		v.note("names disclosed: %d", r.Names)
	}
	if v.proved > 0 {
		v.say(true, "transactions proved by validators' signatures in this folder: %d", v.proved)
	}
	if v.played > 0 {
		v.note("proofs from a sandbox, a test chain without real value: %d", v.played)
	}
	if v.absent > 0 {
		v.note("proofs missing from this folder: %d. Without them, these results are not proved here", v.absent)
	}
}

// chain prints how much of a chain is covered by a wallet's signature.
func (v *recordCheck) chain(c *hashchain.Chain) {
	v.note("chain %.12s ends at entry %d, hash %s", c.Chain, c.Number, c.Hash)
	if s := c.Unchecked; s != nil {
		v.note("the signature of %s over entry %d is zkLogin's, which only a Sui node can check", s.Account, s.Number)
	}
	s := c.Signed
	if s == nil {
		v.note("no wallet signed this chain: whoever gave you the file could have written all of it")
		return
	}
	v.say(true, "%s signed entries 1 to %d on %s", s.Account, s.Number, s.At.Format(time.DateOnly))
	if later := c.Number - s.Number; later > 0 {
		v.note("later entries, which are not signed: %d", later)
	}
}
