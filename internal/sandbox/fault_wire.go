package sandbox

import (
	"context"
	"math/big"
	"strings"
	"time"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/sayurintent/sayurintent/internal/sui"
)

func unavailable(text string) error { return status.Error(codes.Unavailable, text) }

// Intercept applies the faults that concern every method.
func (f *faults) Intercept(ctx context.Context, req any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
	if err := f.inject(ctx, info.FullMethod); err != nil {
		return nil, err
	}
	return next(ctx, req)
}

// InterceptStream applies the same faults to a method that answers in a stream.
func (f *faults) InterceptStream(server any, stream grpc.ServerStream, info *grpc.StreamServerInfo, next grpc.StreamHandler) error {
	if err := f.inject(stream.Context(), info.FullMethod); err != nil {
		return err
	}
	return next(server, stream)
}

// inject waits, or gives the error, that a method was told to.
func (f *faults) inject(ctx context.Context, fullMethod string) error {
	method := fullMethod[strings.LastIndexByte(fullMethod, '/')+1:]
	if slow := f.take(method, Slow); slow != nil {
		select {
		case <-time.After(time.Duration(slow.Milliseconds) * time.Millisecond):
		case <-ctx.Done():
			return status.FromContextError(ctx.Err()).Err()
		}
	}
	if hit := f.take(method, Fail, Refuse, Miss); hit != nil {
		switch hit.Kind {
		case Fail:
			return unavailable("the sandbox was told to fail")
		case Miss:
			return notFound("the sandbox was told not to find it")
		}
		return refuse("the sandbox was told to refuse")
	}
	return nil
}

// dropped reports whether the answer of an execution is to be lost.
func (f *faults) dropped() bool { return f.take("ExecuteTransaction", Drop) != nil }

// distortBalances makes a list of balances untrue where it was told to.
func (f *faults) distortBalances(answer *pb.ListBalancesResponse) {
	if len(answer.Balances) > 0 && f.take("ListBalances", RepeatBalances) != nil {
		answer.Balances = append(answer.Balances, answer.Balances[0])
	}
	if f.take("ListBalances", StuckBalances) != nil {
		answer.NextPageToken = []byte("0x")
	}
}

// distort makes a simulation's answer untrue where it was told to.
func (f *faults) distort(answer *pb.SimulateTransactionResponse) {
	t := answer.GetTransaction()
	if f.take("SimulateTransaction", OmitBalanceChanges) != nil {
		t.BalanceChanges = nil
	}
	if f.take("SimulateTransaction", AlterBalances) != nil {
		for _, c := range t.BalanceChanges {
			if n, ok := new(big.Int).SetString(c.GetAmount(), 10); ok && n.Sign() > 0 {
				c.Amount = new(n.Add(n, new(big.Int).Div(n, big.NewInt(10))).String())
			}
		}
	}
	stranger := sui.Address(hash("say-ur-intent/sandbox/stranger", nil))
	if f.take("SimulateTransaction", OtherRecipient) != nil {
		for _, c := range t.BalanceChanges {
			if !strings.HasPrefix(c.GetAmount(), "-") {
				c.Address = new(stranger.String())
			}
		}
	}
	if f.take("SimulateTransaction", OtherDigest) != nil {
		other := hash("say-ur-intent/sandbox/other", []byte(t.GetDigest())).String()
		t.Digest, t.Transaction.Digest, t.Effects.TransactionDigest = &other, &other, &other
	}
	if f.take("SimulateTransaction", OtherSender) != nil {
		t.Transaction.Sender = new(stranger.String())
	}
}
