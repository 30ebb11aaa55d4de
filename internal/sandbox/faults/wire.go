package faults

import (
	"context"
	"math/big"
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

func Unavailable(text string) error { return status.Error(codes.Unavailable, text) }

// Intercept applies the faults that concern every method.
func (f *Set) Intercept(ctx context.Context, req any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
	if err := f.inject(ctx, info.FullMethod); err != nil {
		return nil, err
	}
	return next(ctx, req)
}

// InterceptStream applies the same faults to a method that answers in a stream.
func (f *Set) InterceptStream(server any, stream grpc.ServerStream, info *grpc.StreamServerInfo, next grpc.StreamHandler) error {
	if err := f.inject(stream.Context(), info.FullMethod); err != nil {
		return err
	}
	return next(server, stream)
}

// inject waits, or gives the error, that a method was told to.
func (f *Set) inject(ctx context.Context, fullMethod string) error {
	method := fullMethod[strings.LastIndexByte(fullMethod, '/')+1:]
	if slow := f.Take(method, Slow); slow != nil {
		select {
		case <-time.After(time.Duration(slow.Milliseconds) * time.Millisecond):
		case <-ctx.Done():
			return status.FromContextError(ctx.Err()).Err()
		}
	}
	if hit := f.Take(method, Fail, Refuse, Miss); hit != nil {
		switch hit.Kind {
		case Fail:
			return Unavailable("the sandbox was told to fail")
		case Miss:
			return ledger.NotFound("the sandbox was told not to find it")
		}
		return ledger.Refuse("the sandbox was told to refuse")
	}
	return nil
}

// Dropped reports whether the answer of an execution is to be lost.
func (f *Set) Dropped() bool { return f.Take("ExecuteTransaction", Drop) != nil }

// CorruptBalances makes a list of balances untrue where it was told to.
func (f *Set) CorruptBalances(answer *pb.ListBalancesResponse) {
	if len(answer.Balances) > 0 && f.Take("ListBalances", RepeatBalances) != nil {
		answer.Balances = append(answer.Balances, answer.Balances[0])
	}
	if f.Take("ListBalances", StuckBalances) != nil {
		answer.NextPageToken = []byte("0x")
	}
}

// CorruptSimulation makes a simulation's answer untrue where it was told to.
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
