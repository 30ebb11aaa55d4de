package rpc

import (
	"context"
	"time"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// Tip is what a node says of the newest checkpoint that it has.
type Tip struct {
	Chain      sui.Digest // of the genesis checkpoint
	Checkpoint uint64
	At         time.Time // the checkpoint's own time, by the validators' clocks
}

// Tip asks for the newest checkpoint. The time in it reports how far this
// machine's clock, or the node, is from the chain.
func (c *Client) Tip(ctx context.Context) (Tip, error) {
	info, err := call(ctx, c, c.ledger.GetServiceInfo, &pb.GetServiceInfoRequest{})
	if err != nil {
		return Tip{}, err
	}
	chain, err := sui.ParseDigest(info.GetChainId())
	if err != nil || chain.IsZero() {
		return Tip{}, mismatch("its chain identifier is not a digest")
	}
	if info.CheckpointHeight == nil || info.GetCheckpointHeight() > maxVersion || info.Timestamp == nil || info.Timestamp.CheckValid() != nil {
		return Tip{}, mismatch("it does not tell its newest checkpoint")
	}
	return Tip{Chain: chain, Checkpoint: info.GetCheckpointHeight(), At: info.Timestamp.AsTime()}, nil
}
