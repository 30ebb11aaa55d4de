package prover

import (
	"context"

	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/proof"
)

// Ended reports whether validators signed the end of an epoch. It follows the committees as far as
// needed. It returns an error if this cannot be determined.
func (c *Chain) Ended(ctx context.Context, epoch uint64) (bool, error) {
	c.mu.Lock()
	past := c.chain != nil && c.chain.Newest().Epoch() > epoch
	c.mu.Unlock()
	if past {
		return true, nil
	}
	_, err := c.committee(ctx, epoch+1)
	return err == nil, err
}

// Begun returns the newest epoch of a chain that has begun according to stored signatures or the
// anchor. It returns 0 without either. It does not query a node.
func (c *Chain) Begun(ctx context.Context, chain sui.Digest) (uint64, error) {
	c.mu.Lock()
	if c.chain != nil && c.id == chain {
		defer c.mu.Unlock()
		return c.chain.Newest().Epoch(), nil
	}
	c.mu.Unlock()
	newest, kept, err := c.c.Store.NewestEpochEnd(ctx, chain)
	if err != nil || !kept {
		return 0, err
	}
	return newest.Epoch + 1, nil
}

// Forward follows the committees to the node's current epoch and returns the last checkpoint of the
// previous epoch as an anchor. It verifies the validators' signatures at every step, so the node need
// not be trusted. moved is false if the starting anchor is already the newest.
func (c *Chain) Forward(ctx context.Context) (to proof.Anchor, moved bool, err error) {
	epoch, err := c.c.Node.Epoch(ctx)
	if err != nil {
		return to, false, err
	}
	if _, err := c.committee(ctx, epoch.Number); err != nil {
		return to, false, err
	}
	c.mu.Lock()
	id, from := c.id, c.chain.Anchor()
	c.mu.Unlock()
	newest, _, err := c.c.Store.NewestEpochEnd(ctx, id)
	if err != nil || newest.Epoch <= from.Epoch {
		return from, false, err
	}
	to, err = proof.AnchorAt(from, newest)
	return to, err == nil, err
}
