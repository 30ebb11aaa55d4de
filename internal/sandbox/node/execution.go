package node

import (
	"context"
	"errors"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/sayurintent/sayurintent/internal/sandbox/ledger"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// execution serves sui.rpc.v2.TransactionExecutionService.
type execution struct {
	pb.UnimplementedTransactionExecutionServiceServer
	server *Server
}

// SimulateTransaction runs a transaction without changing the chain.
func (e execution) SimulateTransaction(_ context.Context,
	req *pb.SimulateTransactionRequest) (*pb.SimulateTransactionResponse, error) {
	checks := req.GetChecks() != pb.SimulateTransactionRequest_DISABLED
	o, err := e.server.simulate(req.GetTransaction(), checks, req.GetDoGasSelection())
	if err != nil {
		return nil, err
	}
	answer := &pb.SimulateTransactionResponse{Transaction: wireExecuted(o)}
	for _, values := range o.Returns {
		result := &pb.CommandResult{}
		for _, v := range values {
			result.ReturnValues = append(result.ReturnValues, &pb.CommandOutput{
				Value: &pb.Bcs{Name: new(v.Type), Value: v.BCS},
			})
		}
		answer.CommandOutputs = append(answer.CommandOutputs, result)
	}
	e.server.faults.CorruptSimulation(answer)
	return answer, cut(answer, req.GetReadMask(), "*")
}

func (s *Server) simulate(t *pb.Transaction, checks, selectGas bool) (*ledger.Outcome, error) {
	if !checks && selectGas {
		return nil, ledger.Refuse("gas selection needs checks")
	}
	return s.ledger.Simulate(func(find func(sui.ObjectID) *ledger.Object) (*sui.Transaction, error) {
		return resolver{find, s.ledger.FindFunction}.transaction(t)
	}, checks, selectGas, t.GetBcs() == nil)
}

// SimulateJSON is like SimulateTransaction, for the JSON form of the message. Its errors contain only
// the reason.
func (s *Server) SimulateJSON(transaction []byte, checks, selectGas bool) (*ledger.Outcome, error) {
	var t pb.Transaction
	if (protojson.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(transaction, &t) != nil {
		return nil, errors.New("invalid transaction: not the JSON form of one")
	}
	o, err := s.simulate(&t, checks, selectGas)
	if err != nil {
		return nil, errors.New(status.Convert(err).Message())
	}
	return o, nil
}

// ExecuteTransaction verifies the signatures, runs the transaction and adds it to the chain.
// Repeating the same bytes returns the same result.
func (e execution) ExecuteTransaction(ctx context.Context,
	req *pb.ExecuteTransactionRequest) (*pb.ExecuteTransactionResponse, error) {
	raw := req.GetTransaction().GetBcs().GetValue()
	if len(raw) == 0 {
		return nil, ledger.Refuse("missing transaction.bcs")
	}
	var signatures [][]byte
	for _, s := range req.GetSignatures() {
		if len(s.GetBcs().GetValue()) == 0 {
			return nil, ledger.Refuse("a signature without bcs")
		}
		signatures = append(signatures, s.GetBcs().GetValue())
	}
	if ctx.Err() != nil { // the caller is gone, so its transaction is ignored
		return nil, status.FromContextError(ctx.Err()).Err()
	}
	o, err := e.server.ledger.Execute(raw, signatures)
	if err != nil {
		return nil, err
	}
	if err := e.server.faults.DropAnswer(); err != nil {
		return nil, err
	}
	answer := &pb.ExecuteTransactionResponse{Transaction: wireExecuted(o)}
	answer.Transaction.Checkpoint, answer.Transaction.Timestamp = nil, nil // not in a checkpoint yet when answered
	mask := newMask(req.GetReadMask(), "transaction.")
	return answer, cut(answer, mask, "transaction.effects.status,transaction.checkpoint")
}
