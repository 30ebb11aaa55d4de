package sandbox

import (
	"testing"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/sayurintent/sayurintent/internal/sandbox/faults"
	"github.com/sayurintent/sayurintent/internal/sui"
)

func TestHold(t *testing.T) {
	n := start(t, Config{})
	ctx := within(t)
	owner := sui.MustAddress("0xa11ce")
	own := sui.CoinType(sui.Address{9}.String() + "::own::OWN")
	n.Hold(owner, own, 30, 0)
	n.Hold(owner, own, 12, 0)
	n.Hold(owner, sui.SUI, 0, 7)
	list := func() *pb.ListBalancesResponse {
		t.Helper()
		answer, err := n.state.ListBalances(ctx, &pb.ListBalancesRequest{Owner: new(owner.String())})
		if err != nil {
			t.Fatal(err)
		}
		return answer
	}
	t.Run("coins of any type and address balances are listed", func(t *testing.T) {
		b := list().GetBalances()
		if len(b) != 2 || b[0].GetCoinType() != string(sui.SUI) || b[0].GetBalance() != 7 || b[1].GetBalance() != 42 {
			t.Errorf("got %v", b)
		}
		one, err := n.state.GetBalance(ctx, &pb.GetBalanceRequest{Owner: new(owner.String()), CoinType: new(string(sui.SUI))})
		if err != nil || one.GetBalance().GetBalance() != 7 {
			t.Errorf("got %v, %v", one, err)
		}
	})
	t.Run("a coin says of itself what it was told to", func(t *testing.T) {
		ask := &pb.GetCoinInfoRequest{CoinType: new(string(own))}
		if _, err := n.state.GetCoinInfo(ctx, ask); status.Code(err) != codes.NotFound {
			t.Errorf("before: %v", err)
		}
		n.Describe(sui.Metadata{Type: own, Decimals: 3, Symbol: "OWN", Name: "Own"})
		got, err := n.state.GetCoinInfo(ctx, ask)
		if err != nil || got.GetMetadata().GetDecimals() != 3 || got.GetMetadata().GetSymbol() != "OWN" {
			t.Errorf("after: %v, %v", got, err)
		}
	})
	t.Run("lists can be made to lie", func(t *testing.T) {
		for kind, lies := range map[faults.Kind]func(*pb.ListBalancesResponse) bool{
			faults.RepeatBalances: func(a *pb.ListBalancesResponse) bool { return len(a.GetBalances()) == 3 },
			faults.StuckBalances:  func(a *pb.ListBalancesResponse) bool { return len(a.GetNextPageToken()) > 0 },
		} {
			if err := n.Inject(faults.Fault{Kind: kind, Times: 1}); err != nil {
				t.Fatal(err)
			}
			if !lies(list()) {
				t.Errorf("%s: it tells the truth", kind)
			}
			if lies(list()) {
				t.Errorf("%s: it lies twice", kind)
			}
		}
	})
}
