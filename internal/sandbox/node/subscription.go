package node

import (
	"time"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/sayurintent/sayurintent/internal/sandbox/ledger"
)

// Limits of subscriptions: the maximum number, and the polling interval on an idle chain, which
// makes checkpoints on demand.
const (
	mostSubscriptions = 64
	idleLook          = time.Second
)

// subscriptions serves sui.rpc.v2.SubscriptionService.
type subscriptions struct {
	pb.UnimplementedSubscriptionServiceServer
	server *Server
	free   chan struct{} // one token per available subscription
}

func newSubscriptions(s *Server) subscriptions {
	free := make(chan struct{}, mostSubscriptions)
	for range mostSubscriptions {
		free <- struct{}{}
	}
	return subscriptions{server: s, free: free}
}

// SubscribeCheckpoints sends the newest checkpoint and then every later one, in order and without gaps,
// until the caller leaves or the sandbox stops. A slow caller blocks only its own stream.
func (s subscriptions) SubscribeCheckpoints(req *pb.SubscribeCheckpointsRequest,
	to grpc.ServerStreamingServer[pb.SubscribeCheckpointsResponse]) error {
	select {
	case <-s.free:
		defer func() { s.free <- struct{}{} }()
	default:
		return status.Errorf(codes.ResourceExhausted, "the sandbox serves at most %d subscriptions at once",
			mostSubscriptions)
	}
	idle := time.NewTicker(idleLook)
	defer idle.Stop()
	next := uint64(0)
	for first := true; ; first = false {
		// Take the channel before the list: checkpoints added in between close it.
		grown := s.server.ledger.Grown()
		list := s.server.ledger.Checkpoints()
		if first {
			next = uint64(len(list) - 1)
		}
		for _, c := range list[next:] {
			if err := send(to, req, c); err != nil {
				return err
			}
		}
		next = uint64(len(list))
		select {
		case <-to.Context().Done():
			return status.FromContextError(to.Context().Err()).Err()
		case <-s.server.stopped:
			return status.Error(codes.Unavailable, "the sandbox stops")
		case <-grown:
		case <-idle.C:
		}
	}
}

// send sends a checkpoint, limited to the caller's mask.
func send(to grpc.ServerStreamingServer[pb.SubscribeCheckpointsResponse], req *pb.SubscribeCheckpointsRequest,
	c ledger.Checkpoint) error {
	w := wireCheckpoint(c)
	if err := cut(w, req.GetReadMask(), "sequence_number,digest"); err != nil {
		return err
	}
	return to.Send(&pb.SubscribeCheckpointsResponse{Cursor: new(c.Number), Checkpoint: w})
}
