package sandbox

import (
	"context"
	"crypto/rand"
	"slices"
	"time"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"
	"google.golang.org/grpc/status"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// execution serves sui.rpc.v2.TransactionExecutionService.
type execution struct {
	pb.UnimplementedTransactionExecutionServiceServer
	sandbox *Sandbox
}

// SimulateTransaction runs a transaction without changing the chain.
func (e execution) SimulateTransaction(_ context.Context, req *pb.SimulateTransactionRequest) (*pb.SimulateTransactionResponse, error) {
	checks := req.GetChecks() != pb.SimulateTransactionRequest_DISABLED
	if !checks && req.GetDoGasSelection() {
		return nil, refuse("gas selection needs checks")
	}
	o, err := e.sandbox.simulate(req.GetTransaction(), checks, req.GetDoGasSelection())
	if err != nil {
		return nil, err
	}
	answer := &pb.SimulateTransactionResponse{Transaction: wireExecuted(o)}
	for _, values := range o.returns {
		result := &pb.CommandResult{}
		for _, v := range values {
			result.ReturnValues = append(result.ReturnValues, &pb.CommandOutput{
				Value: &pb.Bcs{Name: ptr(v.typ), Value: v.bcs},
			})
		}
		answer.CommandOutputs = append(answer.CommandOutputs, result)
	}
	e.sandbox.faults.distort(answer)
	return answer, cut(answer, req.GetReadMask(), "*")
}

// ExecuteTransaction verifies the signatures, runs the transaction and makes it
// part of the chain. The same bytes again give the same result again.
func (e execution) ExecuteTransaction(ctx context.Context, req *pb.ExecuteTransactionRequest) (*pb.ExecuteTransactionResponse, error) {
	raw := req.GetTransaction().GetBcs().GetValue()
	if len(raw) == 0 {
		return nil, refuse("missing transaction.bcs")
	}
	var signatures [][]byte
	for _, s := range req.GetSignatures() {
		if len(s.GetBcs().GetValue()) == 0 {
			return nil, refuse("a signature without bcs")
		}
		signatures = append(signatures, s.GetBcs().GetValue())
	}
	if ctx.Err() != nil { // the caller is gone, and what it sent is not taken up any more
		return nil, status.FromContextError(ctx.Err()).Err()
	}
	o, err := e.sandbox.execute(raw, signatures)
	if err != nil {
		return nil, err
	}
	if e.sandbox.faults.dropped() {
		return nil, unavailable("the connection was lost after the transaction was sent")
	}
	answer := &pb.ExecuteTransactionResponse{Transaction: wireExecuted(o)}
	answer.Transaction.Checkpoint, answer.Transaction.Timestamp = nil, nil // not yet in a checkpoint when answered
	mask := newMask(req.GetReadMask(), "transaction.")
	return answer, cut(answer, mask, "transaction.effects.status,transaction.checkpoint")
}

// execute runs signed bytes for good.
func (s *Sandbox) execute(raw []byte, signatures [][]byte) (*outcome, error) {
	tx, err := sui.DecodeTransaction(raw)
	if err != nil {
		return nil, refuse("invalid transaction bcs: %v", err)
	}
	if err := checkSigners(tx, raw, signatures); err != nil {
		return nil, err
	}
	digest := sui.TransactionDigest(raw)
	now := s.now()
	s.mu.Lock()
	defer s.mu.Unlock()
	if done := s.ledger.executed[digest]; done != nil {
		return done, nil
	}
	if len(tx.Gas.Payment) == 0 {
		return nil, unsupported("pay gas from an address balance: name a gas coin")
	}
	if err := s.ledger.checkInputs(tx, true, now); err != nil {
		return nil, err
	}
	o, err := s.ledger.execute(tx, raw, digest, now, true)
	if err != nil {
		return nil, err
	}
	o.signatures = signatures
	s.ledger.commit(o, now)
	return o, nil
}

// checkSigners demands one valid signature of the sender and, when another one
// pays, one of the gas owner.
func checkSigners(tx *sui.Transaction, raw []byte, signatures [][]byte) error {
	needed := []sui.Address{tx.Sender}
	if tx.Gas.Owner != tx.Sender {
		needed = append(needed, tx.Gas.Owner)
	}
	if len(signatures) != len(needed) {
		return refuse("%d signatures; this transaction needs %d", len(signatures), len(needed))
	}
	for _, s := range signatures {
		signer, err := sui.VerifyTransactionSignature(raw, s)
		if err != nil {
			return refuse("invalid user signature: %v", err)
		}
		i := slices.Index(needed, signer)
		if i < 0 {
			return refuse("the signature is of %s, which is neither sender nor gas owner", signer)
		}
		needed = slices.Delete(needed, i, i+1)
	}
	return nil
}

// simulate resolves, checks and runs a transaction of the wire.
func (s *Sandbox) simulate(t *pb.Transaction, checks, selectGas bool) (*outcome, error) {
	now := s.now()
	s.mu.Lock()
	defer s.mu.Unlock()
	tx, err := s.ledger.resolve(t)
	if err != nil {
		return nil, err
	}
	if selectGas {
		if err := s.ledger.selectGas(tx, now); err != nil {
			return nil, err
		}
	}
	if tx.Gas.Budget == 0 && t.GetBcs() == nil {
		tx.Gas.Budget = maxGasBudget
	}
	return s.ledger.dryRun(tx, now, checks)
}

// dryRun checks and executes a complete transaction without keeping it.
func (l *ledger) dryRun(tx *sui.Transaction, now time.Time, checks bool) (*outcome, error) {
	if err := l.checkInputs(tx, checks, now); err != nil {
		return nil, err
	}
	raw, err := tx.Encode()
	if err != nil {
		return nil, refuse("invalid transaction: %v", err)
	}
	return l.execute(tx, raw, sui.TransactionDigest(raw), now, checks)
}

// selectGas sets the budget by a trial run and chooses gas coins: the largest
// first, as many as the budget needs, or all when the commands use the gas coin.
func (l *ledger) selectGas(tx *sui.Transaction, now time.Time) error {
	if tx.Gas.Budget == 0 {
		trial := *tx
		trial.Gas.Budget, trial.Gas.Payment = maxGasBudget, nil
		o, err := l.dryRun(&trial, now, true)
		if err != nil {
			return err
		}
		overhead := minGasUnits * int64(tx.Gas.Price)
		tx.Gas.Budget = uint64(overhead + max(int64(o.gas.computation), o.gas.net()))
	}
	if len(tx.Gas.Payment) > 0 {
		return nil
	}
	used := map[sui.ObjectID]bool{}
	for _, in := range tx.Inputs {
		if owned, ok := in.(sui.OwnedInput); ok {
			used[owned.Ref.ID] = true
		}
	}
	total, all := uint64(0), usesGasCoin(tx.Commands)
	for _, c := range l.coins(tx.Gas.Owner, sui.SUI) {
		if used[c.id] || len(tx.Gas.Payment) == maxGasCoins || (total >= tx.Gas.Budget && !all) {
			continue
		}
		tx.Gas.Payment = append(tx.Gas.Payment, c.ref())
		total += c.balance
	}
	if total < tx.Gas.Budget {
		return refuse("Unable to perform gas selection due to insufficient SUI balance for account %s to satisfy required budget %d.",
			tx.Gas.Owner, tx.Gas.Budget)
	}
	return nil
}

func usesGasCoin(commands []sui.Command) bool {
	return slices.ContainsFunc(commands, func(c sui.Command) bool {
		var list []sui.Argument
		switch c := c.(type) {
		case sui.MoveCall:
			list = c.Arguments
		case sui.TransferObjects:
			list = c.Objects
		case sui.SplitCoins:
			list = []sui.Argument{c.Coin}
		case sui.MergeCoins:
			list = append([]sui.Argument{c.Into}, c.Sources...)
		}
		return slices.Contains(list, sui.GasCoin)
	})
}

// randomSeed gives 32 bytes nobody knows before.
func randomSeed() []byte {
	seed := make([]byte, 32)
	_, _ = rand.Read(seed) // never fails
	return seed
}
