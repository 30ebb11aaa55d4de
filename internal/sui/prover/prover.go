// Package prover requests proofs of transactions from a node and follows the chain's committees
// from an anchor. It does not trust the node: package proof verifies everything.
package prover

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/proof"
	"github.com/sayurintent/sayurintent/internal/sui/rpc"
)

// Node is the interface to a node; *rpc.Client implements it. Methods return false if the node does not
// have the item.
type Node interface {
	ChainIdentifier(ctx context.Context) (sui.Digest, error)
	Epoch(ctx context.Context) (sui.Epoch, error)
	CertifiedCheckpoint(ctx context.Context, number uint64, contents bool) (rpc.CertifiedCheckpoint, bool, error)
	EpochEnd(ctx context.Context, epoch uint64) (number uint64, ended bool, err error)
	TransactionBytes(ctx context.Context, digest sui.Digest) (rpc.TransactionBytes, bool, error)
	VersionBytes(ctx context.Context, refs []sui.ObjectRef) ([][]byte, error)
}

// Store stores the verified steps of a chain. A step is the last checkpoint of its epoch. An anchor's
// step has no signature.
type Store interface {
	NewestEpochEnd(ctx context.Context, chain sui.Digest) (proof.FileStep, bool, error)
	EpochEnds(ctx context.Context, chain sui.Digest, from, to uint64) ([]proof.FileStep, error)
	KeepEpochEnds(ctx context.Context, chain sui.Digest, steps []proof.FileStep) error
}

// Start is an anchor and its summary. If the summary is missing, it is requested from a node.
type Start struct {
	Anchor  proof.Anchor
	Summary []byte
}

// Shipped returns the anchors of this program as starts.
func Shipped(sui.Digest) []Start {
	var starts []Start
	for _, a := range proof.Anchors() {
		starts = append(starts, Start{Anchor: a})
	}
	return starts
}

// Config configures a Chain. Archive, which may be nil, is queried for old checkpoints that the node no
// longer has.
type Config struct {
	Node    Node
	Archive Node
	Store   Store
	Starts  func(chain sui.Digest) []Start // nil means Shipped
}

// ErrLater is the cause of errors that mean "not yet": the transaction or its checkpoint does not
// exist yet, or committees are still being followed. A later call may succeed.
var ErrLater = errors.New("there is no proof yet")

// MostSteps is the maximum number of epochs of a catch-up. A longer gap means that the anchor is too
// old.
const MostSteps = 2000

// mostPassed is the maximum number of committees kept in memory in addition to the newest.
const mostPassed = 4

// Chain follows the committees of one chain. It is safe for concurrent use and never goes back. It
// sends no request before its first use.
type Chain struct {
	c    Config
	life context.Context // ends with Close; independent of callers' contexts
	end  context.CancelFunc
	work sync.WaitGroup

	mu      sync.Mutex // guards the fields below; not held during requests
	id      sui.Digest
	chain   *proof.Chain // nil until a start is known; advanced by one catch-up at a time
	passed  map[uint64]*proof.Committee
	running *catchUp // nil if none is running
}

// New returns a Chain that continues from the stored committees. Call Close when done.
func New(c Config) *Chain {
	if c.Starts == nil {
		c.Starts = Shipped
	}
	f := &Chain{c: c, passed: map[uint64]*proof.Committee{}}
	f.life, f.end = context.WithCancel(context.Background())
	return f
}

// Close cancels a running catch-up and waits for it.
func (c *Chain) Close() {
	c.end()
	c.work.Wait()
}

// Begin follows the committees to the current epoch in the background, if needed. Errors are reported
// by the next request for a proof.
func (c *Chain) Begin() {
	c.work.Go(func() {
		epoch, err := c.c.Node.Epoch(c.life)
		if err == nil {
			_, _ = c.committee(c.life, epoch.Number)
		}
	})
}

// Prove proves the effects of a transaction. An error with the cause ErrLater means that there is no
// proof yet. A *proof.Refusal explains why the node's data is not a proof.
func (c *Chain) Prove(ctx context.Context, digest sui.Digest) (*proof.Outcome, error) {
	claim, err := c.claim(ctx, digest)
	if err != nil {
		return nil, err
	}
	who, err := c.committee(ctx, claim.Certificate.Epoch)
	if err != nil {
		return nil, err
	}
	return who.Prove(claim)
}

// Amounts proves each address's gains and losses in a proved transaction. A *proof.Refusal explains why
// they cannot be proved.
func (c *Chain) Amounts(ctx context.Context, o *proof.Outcome) ([]sui.BalanceChange, error) {
	list, err := o.Holdings()
	if err != nil {
		return nil, err
	}
	refs := make([]sui.ObjectRef, len(list))
	for i, v := range list {
		refs[i] = v.ObjectRef
	}
	bytes, err := c.c.Node.VersionBytes(ctx, refs)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(bytes, func(b []byte) bool { return b == nil }) {
		return nil, missing("The node does not have the previous versions of all coins.")
	}
	return o.Amounts(bytes)
}

// claim requests everything that a transaction's proof needs except the committee.
func (c *Chain) claim(ctx context.Context, digest sui.Digest) (proof.Claim, error) {
	tx, found, err := c.c.Node.TransactionBytes(ctx, digest)
	if err != nil {
		return proof.Claim{}, err
	}
	if !found || tx.Checkpoint == nil {
		return proof.Claim{}, fmt.Errorf("transaction %s is in no certified checkpoint: %w", digest, ErrLater)
	}
	w, found, err := c.checkpoint(ctx, *tx.Checkpoint, true)
	if err != nil {
		return proof.Claim{}, err
	}
	if !found {
		return proof.Claim{}, fmt.Errorf("checkpoint %d was not found: %w", *tx.Checkpoint, ErrLater)
	}
	if len(w.Signature) == 0 {
		return proof.Claim{}, missing("The node reports the checkpoint without the validators' signatures.")
	}
	return proof.Claim{Transaction: digest, Summary: w.Summary, Certificate: certificate(w), Contents: w.Contents,
		Effects: tx.Effects, Events: tx.Events}, nil
}

// checkpoint queries the node, and then the archive if the node does not have the checkpoint.
func (c *Chain) checkpoint(ctx context.Context, number uint64, contents bool) (rpc.CertifiedCheckpoint, bool, error) {
	w, found, err := c.c.Node.CertifiedCheckpoint(ctx, number, contents)
	if c.c.Archive == nil || (err == nil && found && len(w.Signature) > 0) {
		return w, found, err
	}
	return c.c.Archive.CertifiedCheckpoint(ctx, number, contents)
}

// epochEnd queries the node and the archive, like checkpoint.
func (c *Chain) epochEnd(ctx context.Context, epoch uint64) (uint64, bool, error) {
	number, ended, err := c.c.Node.EpochEnd(ctx, epoch)
	if c.c.Archive == nil || (err == nil && ended) {
		return number, ended, err
	}
	return c.c.Archive.EpochEnd(ctx, epoch)
}

func certificate(w rpc.CertifiedCheckpoint) proof.Certificate {
	return proof.Certificate{Epoch: w.Epoch, Signature: w.Signature, Bitmap: w.Bitmap}
}

func missing(format string, args ...any) *proof.Refusal {
	return &proof.Refusal{Reason: proof.Missing, Text: fmt.Sprintf(format, args...)}
}

// File returns a self-contained proof of a transaction, starting from an anchor. It is verified before
// it is returned.
func (c *Chain) File(ctx context.Context, digest sui.Digest) (proof.File, error) {
	if _, err := c.Prove(ctx, digest); err != nil {
		return proof.File{}, err
	}
	claim, err := c.claim(ctx, digest)
	if err != nil {
		return proof.File{}, err
	}
	c.mu.Lock()
	id := c.id
	c.mu.Unlock()
	epoch := claim.Certificate.Epoch
	starts := c.c.Starts(id)
	var anchors []proof.Anchor
	for _, s := range starts {
		anchors = append(anchors, s.Anchor)
	}
	// Newest anchor first, which gives the smallest file.
	for i := len(starts) - 1; i >= 0; i-- {
		a := starts[i].Anchor
		if a.Chain != id || a.Epoch >= epoch || epoch-a.Epoch > MostSteps {
			continue
		}
		kept, err := c.c.Store.EpochEnds(ctx, id, a.Epoch, epoch-1)
		if err != nil {
			return proof.File{}, err
		}
		if uint64(len(kept)) != epoch-a.Epoch {
			continue
		}
		f := proof.NewFile(a, kept[0].Summary)
		f.Steps = append([]proof.FileStep{}, kept[1:]...)
		f.Checkpoint = proof.StepOf(claim.Summary, claim.Certificate)
		f.Contents, f.Transaction, f.Effects, f.Events = claim.Contents, digest, claim.Effects, claim.Events
		if _, err := f.Verify(anchors); err != nil {
			return proof.File{}, err
		}
		return f, nil
	}
	return proof.File{}, missing("The checkpoints from an anchor of this program to epoch %d are not all stored here.",
		epoch)
}
