package prover

import (
	"context"

	"github.com/sayurintent/sayurintent/internal/sui/proof"
)

// Forward follows the committees to the node's present epoch and returns the last
// checkpoint of the epoch before it as an anchor: everything from the anchor at the start
// to there is signed by validators, and nothing is the node's word. moved is false where
// the anchor at the start is the newest one already.
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
