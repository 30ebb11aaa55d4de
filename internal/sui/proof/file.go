package proof

import (
	"encoding/json"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/strictjson"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// MostFile is the maximum size of a proof file. An epoch takes about 19 KB, so a file can cover nine
// years after an anchor.
const MostFile = 64 << 20

// fileKind identifies a proof file and its version.
const fileKind = "say-ur-intent proof 1"

// File is a self-contained proof that starts from an anchor. Anchor is the anchor's sequence number and
// digest, and Start its summary. Steps are the last checkpoints of the following epochs, in order, and
// Checkpoint contains the transaction. Bytes are BCS, encoded as base64 in the file.
type File struct {
	Kind        string       `json:"kind"`
	Chain       sui.Digest   `json:"chain"`
	Anchor      FileAnchor   `json:"anchor"`
	Start       []byte       `json:"start"`
	Steps       []FileStep   `json:"steps"`
	Checkpoint  FileStep     `json:"checkpoint"`
	Contents    []byte       `json:"contents"`
	Transaction sui.Digest   `json:"transaction"`
	Effects     []byte       `json:"effects"`
	Events      []byte       `json:"events,omitempty"`
	Objects     []FileObject `json:"objects,omitempty"`
}

// FileAnchor names an anchor.
type FileAnchor struct {
	Epoch    uint64     `json:"epoch,string"`
	Sequence uint64     `json:"sequence,string"`
	Digest   sui.Digest `json:"digest"`
}

// FileStep is a summary and its certificate.
type FileStep struct {
	Summary   []byte `json:"summary"`
	Epoch     uint64 `json:"epoch,string"`
	Signature []byte `json:"signature"`
	Bitmap    []byte `json:"bitmap"`
}

// FileObject is an object after the transaction or, with Before, before it.
type FileObject struct {
	ID     sui.ObjectID `json:"id"`
	Before bool         `json:"before"`
	Bytes  []byte       `json:"bytes"`
}

// FileOutcome is what a file proves: the outcome, the anchor that it starts from, the number of epochs,
// and the objects in the order of the file.
type FileOutcome struct {
	Outcome
	Anchor  Anchor
	Steps   int
	Objects []sui.ObjectRef
}

// NewFile returns a file that starts at an anchor. The caller adds the steps and the checkpoint.
func NewFile(a Anchor, start []byte) File {
	return File{Kind: fileKind, Chain: a.Chain, Start: start,
		Anchor: FileAnchor{Epoch: a.Epoch, Sequence: a.Sequence, Digest: a.Digest}}
}

// StepOf returns a summary and its certificate as a step.
func StepOf(summary []byte, c Certificate) FileStep {
	return FileStep{Summary: summary, Epoch: c.Epoch, Signature: c.Signature, Bitmap: c.Bitmap}
}

func (s FileStep) certificate() Certificate {
	return Certificate{Epoch: s.Epoch, Signature: s.Signature, Bitmap: s.Bitmap}
}

// Encode returns the file as JSON.
func (f File) Encode() ([]byte, error) { return json.MarshalIndent(f, "", " ") }

// ReadFile strictly reads the JSON that Encode returns.
func ReadFile(b []byte) (File, error) {
	//mutant:never ./internal/sui/proof TestFileRefused/too large
	if len(b) > MostFile {
		large := fault.New(fault.TooLarge, "The file is larger than %d bytes.", MostFile)
		return File{}, &Refusal{Reason: Mismatch, Text: large.Text, Err: large}
	}
	f, err := strictjson.Decode[File](b)
	if err != nil {
		return File{}, unread(0, "The file", err)
	}
	//mutant:never ./internal/sui/proof TestFileRefused/kind
	if f.Kind != fileKind {
		return File{}, &Refusal{Reason: Newer, Text: "This program does not know this kind of proof file."}
	}
	return f, nil
}

// Verify checks the whole file against anchors that the caller trusts. If the file reaches the epoch of
// another trusted anchor of its chain, it must have the same digest there: anyone with the keys of an
// old committee could sign a different history.
func (f File) Verify(anchors []Anchor) (*FileOutcome, error) {
	anchor, err := f.anchor(anchors)
	if err != nil {
		return nil, err
	}
	chain, err := NewChain(anchor, f.Start)
	if err != nil {
		return nil, err
	}
	for _, step := range f.Steps {
		if err := chain.Advance(step.Summary, step.certificate()); err != nil {
			return nil, err
		}
		if err := agrees(anchors, anchor, step.Summary, chain.newest.epoch-1); err != nil {
			return nil, err
		}
	}
	outcome, err := chain.newest.Prove(Claim{Transaction: f.Transaction, Summary: f.Checkpoint.Summary,
		Certificate: f.Checkpoint.certificate(), Contents: f.Contents, Effects: f.Effects, Events: f.Events})
	if err != nil {
		return nil, err
	}
	if outcome.Checkpoint.Summary.EndOfEpoch != nil {
		if err := agrees(anchors, anchor, f.Checkpoint.Summary, chain.newest.epoch); err != nil {
			return nil, err
		}
	}
	proved := &FileOutcome{Outcome: *outcome, Anchor: anchor, Steps: len(f.Steps)}
	for _, o := range f.Objects {
		ref, err := outcome.Object(o.ID, o.Before, o.Bytes)
		if err != nil {
			return nil, err
		}
		proved.Objects = append(proved.Objects, ref)
	}
	return proved, nil
}

// anchor returns the file's anchor if it is trusted.
func (f File) anchor(anchors []Anchor) (Anchor, error) {
	for _, a := range anchors {
		//mutant:always ./internal/sui/proof TestFileRefused/anchor
		if a.Chain == f.Chain && a.Epoch == f.Anchor.Epoch && a.Sequence == f.Anchor.Sequence &&
			a.Digest == f.Anchor.Digest {
			return a, nil
		}
	}
	return Anchor{}, missing(0, "The proof starts at the end of epoch %d, at a checkpoint that this program does "+
		"not know. A newer version of the program may know it.", f.Anchor.Epoch)
}

// agrees compares the last checkpoint of an epoch with the anchors of that epoch.
func agrees(anchors []Anchor, start Anchor, summary []byte, epoch uint64) error {
	for _, a := range anchors {
		//mutant:never ./internal/sui/proof TestFileRefused/another history
		if a.Chain == start.Chain && a.Epoch == epoch && SummaryDigest(summary) != a.Digest {
			return mismatch(0, "The proof ends epoch %d with a different checkpoint than this program's anchor.", epoch)
		}
	}
	return nil
}
