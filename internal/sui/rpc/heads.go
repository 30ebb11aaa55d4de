package rpc

import (
	"context"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"
)

// Heads subscribes to the checkpoints of the node and passes on the number of each as it
// comes. It returns with the error that ended the stream, never nil: a node without
// subscriptions is fault.ProviderRefused.
func (c *Client) Heads(ctx context.Context, told func(number uint64)) error {
	// The stream outlives any call, so the time limit of calls is not put on it.
	stream, err := pb.NewSubscriptionServiceClient(c.conn).SubscribeCheckpoints(ctx,
		&pb.SubscribeCheckpointsRequest{ReadMask: mask("sequence_number")})
	for err == nil {
		var m *pb.SubscribeCheckpointsResponse
		if m, err = stream.Recv(); err == nil {
			told(m.GetCursor())
		}
	}
	return refusal(ctx, err)
}
