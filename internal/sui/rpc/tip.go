package rpc

import (
	"context"
	"time"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// Tip is the newest checkpoint, as reported by a node.
type Tip struct {
	Chain      sui.Digest // of the genesis checkpoint
	Checkpoint uint64
	At         time.Time // checkpoint time, by the validators' clocks
}

// Tip returns the newest checkpoint. Its time shows how far this machine's clock, or the node,
// differs from the chain.
func (c *Client) Tip(ctx context.Context) (Tip, error) {
	info, err := call(ctx, c, c.ledger.GetServiceInfo, &pb.GetServiceInfoRequest{})
	if err != nil {
		return Tip{}, err
	}
	chain, err := sui.ParseDigest(info.GetChainId())
	if err != nil || chain.IsZero() {
		return Tip{}, mismatch("its chain identifier is not a digest")
	}
	if info.CheckpointHeight == nil || info.GetCheckpointHeight() > maxVersion || info.Timestamp == nil ||
		info.Timestamp.CheckValid() != nil {
		return Tip{}, mismatch("it does not report its newest checkpoint")
	}
	return Tip{Chain: chain, Checkpoint: info.GetCheckpointHeight(), At: info.Timestamp.AsTime()}, nil
}

// Executed calls each for every new checkpoint with its number and transactions. It returns when the
// node's subscription ends, always with an error: from ctx, each or the node. It misses checkpoints
// between two calls, so callers must read those in another way. Only each delays the subscription.
func (c *Client) Executed(ctx context.Context, each func(checkpoint uint64, digests []sui.Digest) error) error {
	if c.admit != nil {
		if _, err := c.ChainIdentifier(ctx); err != nil {
			return err
		}
	}
	ctx, stop := context.WithCancel(ctx) // release the stream on return
	defer stop()
	stream, err := pb.NewSubscriptionServiceClient(c.conn).SubscribeCheckpoints(ctx,
		&pb.SubscribeCheckpointsRequest{ReadMask: mask("sequence_number", "transactions.digest")})
	if err != nil {
		return refusal(ctx, err)
	}
	last := uint64(0)
	for first := true; ; first = false {
		got, err := stream.Recv()
		if err != nil {
			return refusal(ctx, err)
		}
		at := got.GetCheckpoint().GetSequenceNumber()
		if got.GetCheckpoint() == nil || at > maxVersion || !first && at != last+1 {
			return mismatch("a checkpoint of its subscription is not the next one")
		}
		last = at
		var digests []sui.Digest
		for _, tx := range got.GetCheckpoint().GetTransactions() {
			d, err := sui.ParseDigest(tx.GetDigest())
			if err != nil {
				return mismatch("a transaction of its subscription has no digest")
			}
			digests = append(digests, d)
		}
		if err := each(at, digests); err != nil {
			return err
		}
	}
}
