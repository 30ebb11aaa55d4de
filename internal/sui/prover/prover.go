// Package prover asks a node for what proves a transaction, and follows the chain's
// committees from an anchor on. It believes nothing of what the node says: package
// proof decides.
package prover

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/proof"
	"github.com/sayurintent/sayurintent/internal/sui/rpc"
)

// Node is how a node is asked; *rpc.Client is one. False means that the node does
// not have it.
type Node interface {
	CertifiedCheckpoint(ctx context.Context, number uint64, contents bool) (rpc.CertifiedCheckpoint, bool, error)
	EpochEnd(ctx context.Context, epoch uint64) (number uint64, ended bool, err error)
	TransactionBytes(ctx context.Context, digest sui.Digest) (rpc.TransactionBytes, bool, error)
}

// ErrLater is the cause where nothing is wrong and there is no proof yet: the
// transaction or its checkpoint is not there. Whoever asks again may have one.
var ErrLater = errors.New("there is no proof yet")

// MostSteps is how many epochs a catch-up goes at most; behind a longer gap lies an
// anchor that is too old.
const MostSteps = 2000

// Chain follows the committees of one chain. It is safe for concurrent use, only
// goes forward, and keeps the committees that it passed, as transactions of earlier
// epochs are proved by theirs.
type Chain struct {
	node Node

	mu     sync.Mutex // guards what follows; held over a catch-up, so that one runs at a time
	chain  *proof.Chain
	passed map[uint64]*proof.Committee
}

// NewChain follows a chain from where its committees are known.
func NewChain(node Node, chain *proof.Chain) *Chain {
	newest := chain.Newest()
	return &Chain{node: node, chain: chain, passed: map[uint64]*proof.Committee{newest.Epoch(): newest}}
}

// Prove proves what a transaction did. An error whose cause is ErrLater says that
// there is none yet; a *proof.Refusal says why what the node sent is no proof.
func (c *Chain) Prove(ctx context.Context, digest sui.Digest) (*proof.Outcome, error) {
	tx, found, err := c.node.TransactionBytes(ctx, digest)
	if err != nil {
		return nil, err
	}
	if !found || tx.Checkpoint == nil {
		return nil, fmt.Errorf("transaction %s is in no certified checkpoint: %w", digest, ErrLater)
	}
	w, found, err := c.node.CertifiedCheckpoint(ctx, *tx.Checkpoint, true)
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, fmt.Errorf("checkpoint %d is not there: %w", *tx.Checkpoint, ErrLater)
	}
	claim := proof.Claim{Transaction: digest, Summary: w.Summary, Certificate: certificate(w), Contents: w.Contents,
		Effects: tx.Effects, Events: tx.Events}
	if len(w.Signature) == 0 {
		return nil, &proof.Refusal{Rule: 3, Reason: proof.Missing,
			Text: "The node reports the checkpoint without the validators' signatures."}
	}
	who, err := c.committee(ctx, w.Epoch)
	if err != nil {
		return nil, err
	}
	return who.Prove(claim)
}

func certificate(w rpc.CertifiedCheckpoint) proof.Certificate {
	return proof.Certificate{Epoch: w.Epoch, Signature: w.Signature, Bitmap: w.Bitmap}
}

// committee returns the committee of an epoch, after the steps that lead there. The
// epoch is what a node says: a false one ends at a step that the node cannot prove.
func (c *Chain) committee(ctx context.Context, epoch uint64) (*proof.Committee, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if who := c.passed[epoch]; who != nil {
		return who, nil
	}
	at := c.chain.Newest().Epoch()
	if epoch < at {
		return nil, &proof.Refusal{Reason: proof.Missing,
			Text: fmt.Sprintf("The validators of epoch %d are from before what this program follows.", epoch)}
	}
	if epoch-at > MostSteps {
		return nil, &proof.Refusal{Reason: proof.Missing, Text: fmt.Sprintf(
			"This program knows the validators up to epoch %d, and epoch %d is too far from there.", at, epoch)}
	}
	for ; at < epoch; at++ {
		if err := c.step(ctx, at); err != nil {
			return nil, err
		}
	}
	return c.chain.Newest(), nil
}

// step goes over the end of one epoch.
func (c *Chain) step(ctx context.Context, epoch uint64) error {
	number, ended, err := c.node.EpochEnd(ctx, epoch)
	if err != nil {
		return err
	}
	var w rpc.CertifiedCheckpoint
	if ended {
		if w, ended, err = c.node.CertifiedCheckpoint(ctx, number, false); err != nil {
			return err
		}
	}
	if !ended {
		return &proof.Refusal{Reason: proof.Missing,
			Text: fmt.Sprintf("The node does not have the last checkpoint of epoch %d.", epoch)}
	}
	if err := c.chain.Advance(w.Summary, certificate(w)); err != nil {
		return err
	}
	newest := c.chain.Newest()
	c.passed[newest.Epoch()] = newest
	return nil
}
