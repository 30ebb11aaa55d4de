package node

import (
	"context"
	"slices"
	"strconv"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/fieldmaskpb"

	"github.com/sayurintent/sayurintent/internal/sandbox/ledger"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// maxBatch is the maximum number of items in one call.
const maxBatch = 1000

// ledgerService serves sui.rpc.v2.LedgerService.
type ledgerService struct {
	pb.UnimplementedLedgerServiceServer
	server *Server
}

// newMask prepends a prefix to every path of a mask.
func newMask(mask *fieldmaskpb.FieldMask, prefix string) *fieldmaskpb.FieldMask {
	out := &fieldmaskpb.FieldMask{}
	for _, p := range mask.GetPaths() {
		if p == "*" {
			return &fieldmaskpb.FieldMask{Paths: []string{"*"}}
		}
		out.Paths = append(out.Paths, prefix+p)
	}
	return out
}

// GetServiceInfo reports the chain's identifier, epoch and newest checkpoint.
func (s ledgerService) GetServiceInfo(context.Context, *pb.GetServiceInfoRequest) (*pb.GetServiceInfoResponse, error) {
	list := s.server.ledger.Checkpoints()
	newest := list[len(list)-1]
	return &pb.GetServiceInfoResponse{
		ChainId: new(list[0].Digest.String()), Chain: new("unknown"), Epoch: new(newest.Epoch),
		CheckpointHeight: &newest.Number, Timestamp: wireTime(newest.At),
		LowestAvailableCheckpoint: new(uint64(0)), LowestAvailableCheckpointObjects: new(uint64(0)),
		Server: new("say-ur-intent-sandbox/1"),
	}, nil
}

// object reads an object, at its current version by default.
func (s ledgerService) object(id string, version *uint64) (*pb.Object, error) {
	a, err := address(id, "object_id")
	if err != nil {
		return nil, err
	}
	if version != nil {
		if o := s.server.ledger.ObjectAt(a, *version); o != nil {
			return wireObject(o), nil
		}
		return nil, ledger.NotFound("Object %s with version %d not found", a, *version)
	}
	if o := s.server.ledger.Object(a); o != nil {
		return wireObject(o), nil
	}
	return nil, ledger.NotFound("Object %s not found", a)
}

const objectDefaults = "object_id,version,digest"

// GetObject reads an object at its current version or an earlier one.
func (s ledgerService) GetObject(_ context.Context, req *pb.GetObjectRequest) (*pb.GetObjectResponse, error) {
	o, err := s.object(req.GetObjectId(), req.Version)
	if err != nil {
		return nil, err
	}
	return &pb.GetObjectResponse{Object: o}, cut(o, req.GetReadMask(), objectDefaults)
}

// BatchGetObjects reads several objects; a missing one is an error in its place.
func (s ledgerService) BatchGetObjects(_ context.Context, req *pb.BatchGetObjectsRequest) (*pb.BatchGetObjectsResponse,
	error) {
	if len(req.GetRequests()) > maxBatch {
		return nil, ledger.Refuse("%d objects requested; at most %d", len(req.GetRequests()), maxBatch)
	}
	answer := &pb.BatchGetObjectsResponse{}
	for _, r := range req.GetRequests() {
		o, err := s.object(r.GetObjectId(), r.Version)
		if err == nil {
			if err := cut(o, req.GetReadMask(), objectDefaults); err != nil {
				return nil, err
			}
			answer.Objects = append(answer.Objects, &pb.GetObjectResult{Result: &pb.GetObjectResult_Object{Object: o}})
			continue
		}
		answer.Objects = append(answer.Objects,
			&pb.GetObjectResult{Result: &pb.GetObjectResult_Error{Error: status.Convert(err).Proto()}})
	}
	return answer, nil
}

// GetTransaction reads one executed transaction.
func (s ledgerService) GetTransaction(_ context.Context, req *pb.GetTransactionRequest) (*pb.GetTransactionResponse,
	error) {
	d, err := sui.ParseDigest(req.GetDigest())
	if err != nil {
		return nil, ledger.Refuse("invalid digest: %v", err)
	}
	o := s.server.ledger.Transaction(d)
	if o == nil {
		return nil, ledger.NotFound("Transaction %s not found", d)
	}
	t := wireExecuted(o)
	s.server.faults.AlterEffects(t)
	return &pb.GetTransactionResponse{Transaction: t}, cut(t, req.GetReadMask(), "digest")
}

// GetCheckpoint reads a checkpoint by number or digest, the newest by default.
func (s ledgerService) GetCheckpoint(_ context.Context, req *pb.GetCheckpointRequest) (*pb.GetCheckpointResponse,
	error) {
	list := s.server.ledger.Checkpoints()
	at := len(list) - 1
	switch id := req.GetCheckpointId().(type) {
	case *pb.GetCheckpointRequest_SequenceNumber:
		if id.SequenceNumber >= uint64(len(list)) {
			return nil, ledger.NotFound("Checkpoint %d not found", id.SequenceNumber)
		}
		at = int(id.SequenceNumber)
	case *pb.GetCheckpointRequest_Digest:
		at = slices.IndexFunc(list, func(c ledger.Checkpoint) bool { return c.Digest.String() == id.Digest })
		if at < 0 {
			return nil, ledger.NotFound("Checkpoint %s not found", strconv.Quote(id.Digest))
		}
	}
	c := wireCheckpoint(list[at])
	if err := s.server.certify(c, list[at], req.GetReadMask()); err != nil {
		return nil, err
	}
	return &pb.GetCheckpointResponse{Checkpoint: c}, cut(c, req.GetReadMask(), "sequence_number,digest")
}

// wireCheckpoint returns a complete checkpoint with its transaction; the caller applies the mask.
func wireCheckpoint(c ledger.Checkpoint) *pb.Checkpoint {
	w := &pb.Checkpoint{
		SequenceNumber: &c.Number, Digest: new(c.Digest.String()),
		Contents: &pb.CheckpointContents{Bcs: &pb.Bcs{Name: new("CheckpointContents"), Value: c.Contents}},
		Summary: &pb.CheckpointSummary{
			Bcs:    &pb.Bcs{Name: new("CheckpointSummary"), Value: c.Summary},
			Digest: new(c.Digest.String()), Epoch: new(c.Epoch), SequenceNumber: &c.Number,
			TotalNetworkTransactions: new(c.Total), Timestamp: wireTime(c.At),
		},
	}
	if c.Number > 0 {
		w.Summary.PreviousDigest = new(c.Previous.String())
	}
	if c.Executed != nil {
		w.Transactions = []*pb.ExecutedTransaction{wireExecuted(c.Executed)}
	}
	return w
}

// GetEpoch reads an epoch, the current one by default.
func (s ledgerService) GetEpoch(_ context.Context, req *pb.GetEpochRequest) (*pb.GetEpochResponse, error) {
	epochs := s.server.ledger.Epochs()
	at := uint64(len(epochs) - 1)
	if req.Epoch != nil {
		if at = req.GetEpoch() - ledger.FirstEpoch; req.GetEpoch() < ledger.FirstEpoch || at >= uint64(len(epochs)) {
			return nil, ledger.NotFound("Epoch %d not found", req.GetEpoch())
		}
	}
	w := wireEpoch(epochs[at])
	configured(w.ProtocolConfig, s.server.ledger.GaslessCoins())
	if at+1 < uint64(len(epochs)) {
		w.LastCheckpoint = new(epochs[at+1].First - 1)
	} else {
		s.server.ledger.System(w.SystemState)
	}
	return &pb.GetEpochResponse{Epoch: w}, cut(w, req.GetReadMask(), "epoch")
}

// wireEpoch returns an epoch with the parameters that clients read, which are the same for all.
func wireEpoch(e ledger.Epoch) *pb.Epoch {
	w := &pb.Epoch{
		Epoch: new(e.Number), FirstCheckpoint: new(e.First), Start: wireTime(e.Start),
		ReferenceGasPrice: new(uint64(ledger.ReferenceGasPrice)),
		ProtocolConfig:    &pb.ProtocolConfig{ProtocolVersion: new(uint64(ledger.ProtocolVersion))},
		SystemState: &pb.SystemState{
			Version: new(uint64(2)), Epoch: new(e.Number), ProtocolVersion: new(uint64(ledger.ProtocolVersion)),
			ReferenceGasPrice: new(uint64(ledger.ReferenceGasPrice)), EpochStartTimestampMs: new(uint64(e.Start.UnixMilli())),
			SafeMode:   new(false),
			Parameters: &pb.SystemParameters{EpochDurationMs: new(uint64(ledger.EpochLength.Milliseconds()))},
		},
	}
	if !e.End.IsZero() {
		w.End = wireTime(e.End)
	}
	return w
}
