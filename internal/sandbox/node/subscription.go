package node

import (
	"time"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/sayurintent/sayurintent/internal/sandbox/ledger"
)

// Bounds of subscriptions: how many there may be at once, and how often a chain on which
// nothing happens is looked at for the checkpoint that it makes then.
const (
	mostSubscriptions = 64
	idleLook          = time.Second
)

// subscriptions serves sui.rpc.v2.SubscriptionService.
type subscriptions struct {
	pb.UnimplementedSubscriptionServiceServer
	server *Server
	free   chan struct{} // one for each subscription that may begin
}

func newSubscriptions(s *Server) subscriptions {
	free := make(chan struct{}, mostSubscriptions)
	for range mostSubscriptions {
		free <- struct{}{}
	}
	return subscriptions{server: s, free: free}
}

// SubscribeCheckpoints sends the newest checkpoint and then every later one, in order
// and without a gap, until the caller goes or the sandbox stops. A caller who reads
// slowly holds nothing but its own stream.
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
		// The channel is taken before the list: what is added in between closes it.
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

// send sends one checkpoint, cut to the caller's mask.
func send(to grpc.ServerStreamingServer[pb.SubscribeCheckpointsResponse], req *pb.SubscribeCheckpointsRequest,
	c ledger.Checkpoint) error {
	w := wireCheckpoint(c)
	if err := cut(w, req.GetReadMask(), "sequence_number,digest"); err != nil {
		return err
	}
	return to.Send(&pb.SubscribeCheckpointsResponse{Cursor: new(c.Number), Checkpoint: w})
}
