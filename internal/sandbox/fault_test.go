package sandbox

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/sayurintent/sayurintent/internal/sandbox/faults"
	"github.com/sayurintent/sayurintent/internal/sui"
)

func (n *served) inject(t testing.TB, f faults.Fault) {
	t.Helper()
	if err := n.Inject(f); err != nil {
		t.Fatal(err)
	}
}

func TestFaultsOfCalls(t *testing.T) {
	n := start(t, Config{})
	info := func(ctx context.Context) codes.Code {
		_, err := n.ledger.GetServiceInfo(ctx, &pb.GetServiceInfoRequest{})
		return status.Code(err)
	}
	t.Run("fail, as often as injected", func(t *testing.T) {
		n.inject(t, faults.Fault{Kind: faults.Fail, Method: "GetServiceInfo", Times: 2})
		got := []codes.Code{info(within(t)), info(within(t)), info(within(t))}
		if d := cmp.Diff([]codes.Code{codes.Unavailable, codes.Unavailable, codes.OK}, got); d != "" {
			t.Error(d)
		}
	})
	t.Run("another method is not concerned", func(t *testing.T) {
		n.inject(t, faults.Fault{Kind: faults.Fail, Method: "GetBalance"})
		if c := info(within(t)); c != codes.OK {
			t.Error(c)
		}
		n.inject(t, faults.Fault{Kind: faults.Clear})
		n.balance(t, Account, sui.SUI)
	})
	t.Run("every method refuses until cleared", func(t *testing.T) {
		n.inject(t, faults.Fault{Kind: faults.Refuse})
		if c := info(within(t)); c != codes.InvalidArgument {
			t.Error(c)
		}
		n.inject(t, faults.Fault{Kind: faults.Clear})
		if c := info(within(t)); c != codes.OK {
			t.Error(c)
		}
	})
	t.Run("not found yet", func(t *testing.T) {
		n.inject(t, faults.Fault{Kind: faults.Miss, Method: "GetServiceInfo", Times: 1})
		if a, b := info(within(t)), info(within(t)); a != codes.NotFound || b != codes.OK {
			t.Errorf("%v, then %v", a, b)
		}
	})
	t.Run("slow is as slow as injected, and ends with the caller", func(t *testing.T) {
		n.inject(t, faults.Fault{Kind: faults.Slow, Milliseconds: 60, Times: 1})
		if c := info(within(t)); c != codes.OK {
			t.Error(c)
		}
		n.inject(t, faults.Fault{Kind: faults.Slow, Milliseconds: 60_000, Times: 1})
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
		defer cancel()
		if c := info(ctx); c != codes.DeadlineExceeded {
			t.Error(c)
		}
	})
	t.Run("by a clock of its own, slow is exactly as slow as injected", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var set faults.Set
			if err := set.Inject(faults.Fault{Kind: faults.Slow, Method: "M", Milliseconds: 60_000, Times: 2}, nil); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 70*time.Second)
			defer cancel()
			from := time.Now()
			if err := set.Delay(ctx, "M"); err != nil || time.Since(from) != time.Minute {
				t.Errorf("%v after %v", err, time.Since(from))
			}
			if err := set.Delay(ctx, "M"); err == nil || time.Since(from) != 70*time.Second {
				t.Errorf("%v after %v", err, time.Since(from))
			}
		})
	})
	t.Run("unknown orders are refused", func(t *testing.T) {
		for _, f := range []faults.Fault{
			{Kind: "explode"}, {Kind: faults.Fail, Times: -1}, {Kind: faults.ShiftPrice, Pool: "X_Y"}, {Kind: faults.ConsumeCoin,
				Object: "0x6"},
			{Kind: faults.ShiftPrice, Pool: "SUI_USDC", BasisPoints: -10_000}, {Kind: faults.DisableVersion, Pool: "X_Y"},
		} {
			if n.Inject(f) == nil {
				t.Errorf("%+v was taken", f)
			}
		}
	})
}

func TestLies(t *testing.T) {
	n := start(t, Config{})
	tx := n.swapTx(t, "SUI_USDC", 10_000_000_000, 1, nil)
	reported := func() *pb.ExecutedTransaction {
		t.Helper()
		answer, err := n.dry(t, tx, true)
		if err != nil {
			t.Fatal(err)
		}
		return answer.GetTransaction()
	}
	truth := reported()
	usdc := changes(truth.GetBalanceChanges())["0x0881 USDC"]
	for _, c := range []struct {
		kind faults.Kind
		lies func(*pb.ExecutedTransaction) bool
	}{
		{faults.OmitBalanceChanges, func(e *pb.ExecutedTransaction) bool { return len(e.GetBalanceChanges()) == 0 }},
		{faults.AlterBalances, func(e *pb.ExecutedTransaction) bool {
			got := changes(e.GetBalanceChanges())["0x0881 USDC"]
			return got > usdc && len(got) == len(usdc)
		}},
		{faults.OtherRecipient,
			func(e *pb.ExecutedTransaction) bool { return changes(e.GetBalanceChanges())["0x0881 USDC"] == "" }},
		{faults.OtherDigest, func(e *pb.ExecutedTransaction) bool {
			return e.GetDigest() != truth.GetDigest() && e.GetEffects().GetTransactionDigest() == e.GetDigest()
		}},
		{faults.OtherSender,
			func(e *pb.ExecutedTransaction) bool { return e.GetTransaction().GetSender() != Account.String() }},
	} {
		t.Run(string(c.kind), func(t *testing.T) {
			if c.lies(truth) {
				t.Fatal("the truth looks like the lie")
			}
			n.inject(t, faults.Fault{Kind: c.kind, Times: 1})
			if got := reported(); !c.lies(got) {
				t.Error("no lie was reported")
			}
			if got := reported(); c.lies(got) {
				t.Error("the lie was reported twice")
			}
		})
	}
}

func TestDrop(t *testing.T) {
	n := start(t, Config{})
	raw, signature := n.signed(t, n.swapTx(t, "SUI_USDC", 10_000_000_000, 1, nil))
	n.inject(t, faults.Fault{Kind: faults.Drop, Times: 1})
	if _, err := n.send(t, raw, signature); status.Code(err) != codes.Unavailable {
		t.Fatalf("the answer came: %v", err)
	}
	digest := sui.TransactionDigest(raw).String()
	got, err := n.ledger.GetTransaction(within(t), &pb.GetTransactionRequest{Digest: &digest,
		ReadMask: mask("effects.status")})
	if err != nil || !got.GetTransaction().GetEffects().GetStatus().GetSuccess() {
		t.Errorf("it was not executed: %v, %v", got, err)
	}
}

func TestMarketMoves(t *testing.T) {
	n := start(t, Config{})
	mid := func() uint64 {
		t.Helper()
		answer, err := n.dry(t, readCall(pool(t, "SUI_USDC"), "mid_price"), false)
		if err != nil {
			t.Fatal(err)
		}
		v, _ := sui.PureInput{Bytes: answer.GetCommandOutputs()[0].GetReturnValues()[0].GetValue().GetValue()}.U64()
		return v
	}
	before := mid()
	n.inject(t, faults.Fault{Kind: faults.ShiftPrice, Pool: "SUI_USDC", BasisPoints: -1000})
	after := mid()
	if want := before * 9 / 10; after > want || after < want-200 {
		t.Errorf("the middle was %d and is %d", before, after)
	}
	tx := n.swapTx(t, "SUI_USDC", 10_000_000_000, before*95/10, nil) // 5 % below the old mid price
	answer, err := n.dry(t, tx, true)
	if err != nil {
		t.Fatal(err)
	}
	if f := flatten(answer.GetTransaction().GetEffects().GetStatus()); f.Code != 12 || f.Module != "pool" {
		t.Errorf("%+v", f)
	}
	ref := n.coin(t, sui.SUI, 0)
	n.inject(t, faults.Fault{Kind: faults.ConsumeCoin, Object: ref.ID.String()})
	if _, err := n.dry(t, tx, true); err == nil || !strings.Contains(err.Error(), "unavailable for consumption") {
		t.Errorf("the consumed coin was taken: %v", err)
	}
}
