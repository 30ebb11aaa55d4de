package sandbox

import (
	"context"
	"strconv"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"
	rpcstatus "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/fieldmaskpb"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// maxBatch bounds how many things one call may name.
const maxBatch = 1000

// ledgerService serves sui.rpc.v2.LedgerService.
type ledgerService struct {
	pb.UnimplementedLedgerServiceServer
	sandbox *Sandbox
}

// newMask puts a prefix before every path of a mask.
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

// GetServiceInfo tells the chain's identifier, epoch and newest checkpoint.
func (s ledgerService) GetServiceInfo(context.Context, *pb.GetServiceInfoRequest) (*pb.GetServiceInfoResponse, error) {
	now := s.sandbox.now()
	s.sandbox.mu.Lock()
	defer s.sandbox.mu.Unlock()
	l := s.sandbox.ledger
	height := l.latest(now)
	return &pb.GetServiceInfoResponse{
		ChainId: ptr(l.genesis.String()), Chain: ptr("unknown"), Epoch: ptr(l.epoch(now).number),
		CheckpointHeight: &height, Timestamp: wireTime(l.checkpoints[height].at),
		LowestAvailableCheckpoint: ptr(uint64(0)), LowestAvailableCheckpointObjects: ptr(uint64(0)),
		Server: ptr("say-ur-intent-sandbox/1"),
	}, nil
}

// object reads one object under the lock.
func (s ledgerService) object(id string, version *uint64) (*pb.Object, error) {
	a, err := address(id, "object_id")
	if err != nil {
		return nil, err
	}
	s.sandbox.mu.Lock()
	defer s.sandbox.mu.Unlock()
	o := s.sandbox.ledger.objects[a]
	if version != nil {
		o = s.sandbox.ledger.at(a, *version)
	}
	switch {
	case o == nil && version != nil:
		return nil, notFound("Object %s with version %d not found", a, *version)
	case o == nil:
		return nil, notFound("Object %s not found", a)
	}
	return wireObject(o), nil
}

const objectDefaults = "object_id,version,digest"

// GetObject reads one object, at its present or at an earlier version.
func (s ledgerService) GetObject(_ context.Context, req *pb.GetObjectRequest) (*pb.GetObjectResponse, error) {
	o, err := s.object(req.GetObjectId(), req.Version)
	if err != nil {
		return nil, err
	}
	return &pb.GetObjectResponse{Object: o}, cut(o, req.GetReadMask(), objectDefaults)
}

// BatchGetObjects reads several objects; a missing one is an error in its place.
func (s ledgerService) BatchGetObjects(_ context.Context, req *pb.BatchGetObjectsRequest) (*pb.BatchGetObjectsResponse, error) {
	if len(req.GetRequests()) > maxBatch {
		return nil, refuse("%d objects asked for; at most %d", len(req.GetRequests()), maxBatch)
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
		answer.Objects = append(answer.Objects, &pb.GetObjectResult{Result: &pb.GetObjectResult_Error{Error: wireStatus(err)}})
	}
	return answer, nil
}

func wireStatus(err error) *rpcstatus.Status { return status.Convert(err).Proto() }

func (s ledgerService) transaction(digest string) (*pb.ExecutedTransaction, error) {
	d, err := sui.ParseDigest(digest)
	if err != nil {
		return nil, refuse("invalid digest: %v", err)
	}
	s.sandbox.mu.Lock()
	defer s.sandbox.mu.Unlock()
	o := s.sandbox.ledger.executed[d]
	if o == nil {
		return nil, notFound("Transaction %s not found", d)
	}
	return wireExecuted(o), nil
}

// GetTransaction reads one executed transaction.
func (s ledgerService) GetTransaction(_ context.Context, req *pb.GetTransactionRequest) (*pb.GetTransactionResponse, error) {
	t, err := s.transaction(req.GetDigest())
	if err != nil {
		return nil, err
	}
	return &pb.GetTransactionResponse{Transaction: t}, cut(t, req.GetReadMask(), "digest")
}

// BatchGetTransactions reads several; a missing one is an error in its place.
func (s ledgerService) BatchGetTransactions(_ context.Context, req *pb.BatchGetTransactionsRequest) (*pb.BatchGetTransactionsResponse, error) {
	if len(req.GetDigests()) > maxBatch {
		return nil, refuse("%d transactions asked for; at most %d", len(req.GetDigests()), maxBatch)
	}
	answer := &pb.BatchGetTransactionsResponse{}
	for _, d := range req.GetDigests() {
		t, err := s.transaction(d)
		if err == nil {
			if err := cut(t, req.GetReadMask(), "digest"); err != nil {
				return nil, err
			}
			answer.Transactions = append(answer.Transactions, &pb.GetTransactionResult{Result: &pb.GetTransactionResult_Transaction{Transaction: t}})
			continue
		}
		answer.Transactions = append(answer.Transactions, &pb.GetTransactionResult{Result: &pb.GetTransactionResult_Error{Error: wireStatus(err)}})
	}
	return answer, nil
}

// GetCheckpoint reads a checkpoint by number or digest, the newest by default.
func (s ledgerService) GetCheckpoint(_ context.Context, req *pb.GetCheckpointRequest) (*pb.GetCheckpointResponse, error) {
	now := s.sandbox.now()
	s.sandbox.mu.Lock()
	defer s.sandbox.mu.Unlock()
	l := s.sandbox.ledger
	seq := l.latest(now)
	switch id := req.GetCheckpointId().(type) {
	case *pb.GetCheckpointRequest_SequenceNumber:
		if id.SequenceNumber > seq {
			return nil, notFound("Checkpoint %d not found", id.SequenceNumber)
		}
		seq = id.SequenceNumber
	case *pb.GetCheckpointRequest_Digest:
		found := false
		for i := range l.checkpoints {
			if l.checkpoints[i].digest.String() == id.Digest {
				seq, found = uint64(i), true
			}
		}
		if !found {
			return nil, notFound("Checkpoint %s not found", strconv.Quote(id.Digest))
		}
	}
	c := wireCheckpoint(l, seq)
	return &pb.GetCheckpointResponse{Checkpoint: c}, cut(c, req.GetReadMask(), "sequence_number,digest")
}

func wireCheckpoint(l *ledger, seq uint64) *pb.Checkpoint {
	c := l.checkpoints[seq]
	w := &pb.Checkpoint{
		SequenceNumber: &seq, Digest: ptr(c.digest.String()),
		Summary: &pb.CheckpointSummary{
			Digest: ptr(c.digest.String()), Epoch: ptr(c.epoch), SequenceNumber: &seq,
			TotalNetworkTransactions: ptr(c.total), Timestamp: wireTime(c.at),
		},
	}
	if seq > 0 {
		w.Summary.PreviousDigest = ptr(c.previous.String())
	}
	if c.tx != nil {
		w.Transactions = []*pb.ExecutedTransaction{wireExecuted(l.executed[*c.tx])}
	}
	return w
}

// GetEpoch reads an epoch, the present one by default.
func (s ledgerService) GetEpoch(_ context.Context, req *pb.GetEpochRequest) (*pb.GetEpochResponse, error) {
	now := s.sandbox.now()
	s.sandbox.mu.Lock()
	defer s.sandbox.mu.Unlock()
	l := s.sandbox.ledger
	e := *l.epoch(now)
	if req.Epoch != nil {
		if req.GetEpoch() < firstEpoch || req.GetEpoch() > e.number {
			return nil, notFound("Epoch %d not found", req.GetEpoch())
		}
		e = l.epochs[req.GetEpoch()-firstEpoch]
	}
	w := wireEpoch(e)
	if next := e.number + 1 - firstEpoch; next < uint64(len(l.epochs)) {
		w.LastCheckpoint = ptr(l.epochs[next].first - 1)
	}
	return &pb.GetEpochResponse{Epoch: w}, cut(w, req.GetReadMask(), "epoch")
}

func wireEpoch(e epoch) *pb.Epoch {
	w := &pb.Epoch{
		Epoch: ptr(e.number), FirstCheckpoint: ptr(e.first), Start: wireTime(e.start),
		ReferenceGasPrice: ptr(uint64(referenceGasPrice)),
		ProtocolConfig:    &pb.ProtocolConfig{ProtocolVersion: ptr(uint64(protocolVersion))},
		SystemState: &pb.SystemState{
			Version: ptr(uint64(2)), Epoch: ptr(e.number), ProtocolVersion: ptr(uint64(protocolVersion)),
			ReferenceGasPrice: ptr(uint64(referenceGasPrice)), EpochStartTimestampMs: ptr(uint64(e.start.UnixMilli())),
			SafeMode:   ptr(false),
			Parameters: &pb.SystemParameters{EpochDurationMs: ptr(uint64(epochLength.Milliseconds()))},
		},
	}
	if !e.end.IsZero() {
		w.End = wireTime(e.end)
	}
	return w
}
