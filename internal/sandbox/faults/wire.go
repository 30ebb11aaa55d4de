package faults

import (
	"context"
	"math/big"
	"slices"
	"strings"
	"time"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/sayurintent/sayurintent/internal/sandbox/bcs"
	"github.com/sayurintent/sayurintent/internal/sandbox/ledger"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Options returns the options that apply faults of every method before each gRPC call.
func (f *Set) Options() []grpc.ServerOption {
	return []grpc.ServerOption{
		grpc.UnaryInterceptor(func(ctx context.Context, req any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any,
			error) {
			if err := f.before(ctx, info.FullMethod); err != nil {
				return nil, err
			}
			return next(ctx, req)
		}),
		grpc.StreamInterceptor(func(server any, stream grpc.ServerStream, info *grpc.StreamServerInfo,
			next grpc.StreamHandler) error {
			if err := f.before(stream.Context(), info.FullMethod); err != nil {
				return err
			}
			return next(server, stream)
		}),
	}
}

// Delay waits if a slow fault applies to the method. It returns an error if ctx ends first.
func (f *Set) Delay(ctx context.Context, method string) error {
	slow := f.Take(method, Slow)
	if slow == nil {
		return nil
	}
	select {
	case <-time.After(time.Duration(slow.Milliseconds) * time.Millisecond):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// before waits if the method has a delay injected, and returns the error if it has a failure
// injected.
func (f *Set) before(ctx context.Context, fullMethod string) error {
	method := fullMethod[strings.LastIndexByte(fullMethod, '/')+1:]
	if err := f.Delay(ctx, method); err != nil {
		return status.FromContextError(err).Err()
	}
	switch hit := f.Take(method, Fail, Refuse, Miss); {
	case hit == nil:
		return nil
	case hit.Kind == Fail:
		return status.Error(codes.Unavailable, "an injected fault: this method fails")
	case hit.Kind == Miss:
		return ledger.NotFound("an injected fault: nothing is found")
	}
	return ledger.Refuse("an injected fault: this method refuses")
}

// DropAnswer returns a lost connection's error if that fault is injected.
func (f *Set) DropAnswer() error {
	if f.Take("ExecuteTransaction", Drop) == nil {
		return nil
	}
	return status.Error(codes.Unavailable, "the connection was lost after the transaction was sent")
}

// CorruptBalances falsifies a list of balances if that fault is injected.
func (f *Set) CorruptBalances(answer *pb.ListBalancesResponse) {
	if len(answer.Balances) > 0 && f.Take("ListBalances", RepeatBalances) != nil {
		answer.Balances = append(answer.Balances, answer.Balances[0])
	}
	if f.Take("ListBalances", StuckBalances) != nil {
		answer.NextPageToken = []byte("0x")
	}
}

// CorruptSimulation falsifies a simulation's answer if that fault is injected.
func (f *Set) CorruptSimulation(answer *pb.SimulateTransactionResponse) {
	t := answer.GetTransaction()
	if f.Take("SimulateTransaction", OmitBalanceChanges) != nil {
		t.BalanceChanges = nil
	}
	if f.Take("SimulateTransaction", AlterBalances) != nil {
		for _, c := range t.BalanceChanges {
			if n, ok := new(big.Int).SetString(c.GetAmount(), 10); ok && n.Sign() > 0 {
				c.Amount = new(n.Add(n, new(big.Int).Div(n, big.NewInt(10))).String())
			}
		}
	}
	stranger := sui.Address(bcs.Hash("say-ur-intent/sandbox/stranger", nil))
	if f.Take("SimulateTransaction", OtherRecipient) != nil {
		for _, c := range t.BalanceChanges {
			if !strings.HasPrefix(c.GetAmount(), "-") {
				c.Address = new(stranger.String())
			}
		}
	}
	if f.Take("SimulateTransaction", OtherDigest) != nil {
		other := bcs.Hash("say-ur-intent/sandbox/other", []byte(t.GetDigest())).String()
		t.Digest, t.Transaction.Digest, t.Effects.TransactionDigest = &other, &other, &other
	}
	if f.Take("SimulateTransaction", OtherSender) != nil {
		t.Transaction.Sender = new(stranger.String())
	}
}

// AlterEffects changes only the effects' bytes, not the message: it inverts success and failure, or
// changes the computation cost.
func (f *Set) AlterEffects(w *pb.ExecutedTransaction) {
	effects := w.GetEffects().GetBcs()
	if len(effects.GetValue()) < 19 {
		return
	}
	if f.Take("GetTransaction", OtherStatusBytes) != nil {
		b := slices.Clone(effects.Value)
		b[1] ^= 1 // the status, after the version
		effects.Value = b
	}
	if f.Take("GetTransaction", OtherEffects) != nil {
		b := slices.Clone(effects.Value)
		b[10] ^= 1 // lowest byte of the computation cost of a success
		effects.Value = b
	}
}
