package rpc

import (
	"context"
	"strings"
	"testing"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

func (n *node) ListBalances(ctx context.Context, q *pb.ListBalancesRequest) (*pb.ListBalancesResponse, error) {
	return ask[*pb.ListBalancesResponse](n, ctx, q)
}

// listed returns a balance as a node lists it.
func listed(coin string, total uint64, parts ...uint64) *pb.Balance {
	b := balance(total, parts...).Balance
	b.CoinType = &coin
	return b
}

func TestBalances(t *testing.T) {
	var asked []*pb.ListBalancesRequest
	c := clientOf(t, func(_ context.Context, q any) (any, error) {
		question := proto.CloneOf(q.(*pb.ListBalancesRequest))
		asked = append(asked, question)
		if len(question.GetPageToken()) > 0 {
			return &pb.ListBalancesResponse{}, nil
		}
		return &pb.ListBalancesResponse{
			Balances:      []*pb.Balance{listed("0x2::sui::SUI", 10, 3, 7), listed("0x1::a::B<0x2::sui::SUI>", 0)},
			NextPageToken: []byte("more"),
		}, nil
	})
	got, next, err := c.Balances(context.Background(), alice, nil, 2)
	if err != nil {
		t.Fatal(err)
	}
	odd, err := sui.ParseCoinType("0x1::a::B<0x2::sui::SUI>")
	if err != nil {
		t.Fatal(err)
	}
	t.Run("R004-131 the node's amounts, in coins and in the address balance", func(t *testing.T) {
		want := []sui.Balance{{Type: sui.SUI, Total: 10, Coins: 7, Address: 3}, {Type: odd}}
		if diff := cmp.Diff(want, got); diff != "" || string(next) != "more" {
			t.Errorf("next %q\n%s", next, diff)
		}
	})
	if got, next, err = c.Balances(context.Background(), alice, next, 5000); err != nil || next != nil || len(got) != 0 {
		t.Errorf("the last page: %v, %q, %v", got, next, err)
	}
	if len(asked) != 2 || asked[0].GetOwner() != alice.String() || asked[0].GetPageSize() != 2 ||
		asked[0].PageToken != nil ||
		string(asked[1].GetPageToken()) != "more" || asked[1].GetPageSize() != maxBalances {
		t.Errorf("asked %v", asked)
	}
}

func TestBalancesOfALyingNode(t *testing.T) {
	sui10 := listed("0x2::sui::SUI", 10)
	amountless := listed("0x2::sui::SUI", 10)
	amountless.Balance = nil
	for name, answer := range map[string]*pb.ListBalancesResponse{
		"one coin twice":           {Balances: []*pb.Balance{sui10, listed("0x02::sui::SUI", 11)}},
		"no coin":                  {Balances: []*pb.Balance{listed("u64", 1)}},
		"no type":                  {Balances: []*pb.Balance{{Balance: ptr(uint64(1))}}},
		"no amount":                {Balances: []*pb.Balance{amountless}},
		"an empty entry":           {Balances: []*pb.Balance{nil}},
		"parts that do not add up": {Balances: []*pb.Balance{listed("0x2::sui::SUI", 10, 3, 8)}},
		"more than asked for":      {Balances: []*pb.Balance{sui10, listed("0x2::a::A", 1), listed("0x2::a::B", 1)}},
		"a huge token":             {NextPageToken: make([]byte, maxPageToken+1)},
	} {
		got, _, err := client(t, answer, nil).Balances(context.Background(), alice, nil, 2)
		wants(t, name, err, fault.ProviderMismatch)
		if got != nil {
			t.Errorf("%s: %v", name, got)
		}
	}
	_, _, err := client(t, nil, status.Error(codes.Unavailable, "down")).Balances(context.Background(), alice, nil, 2)
	wants(t, "a node that is down", err, fault.ProviderUnavailable)
}

func TestCoinInfo(t *testing.T) {
	ctx := context.Background()
	answer := &pb.GetCoinInfoResponse{CoinType: ptr("0x2::sui::SUI"), Metadata: &pb.CoinMetadata{
		Decimals: ptr(uint32(255)), Name: ptr("Sui\u202e"), Symbol: ptr(strings.Repeat("é", maxCoinText)),
	}}
	m, found, err := client(t, answer, nil).CoinInfo(ctx, sui.SUI)
	want := sui.Metadata{Type: sui.SUI, Decimals: 255, Name: "Sui\u202e", Symbol: strings.Repeat("é", maxCoinText/2)}
	if diff := cmp.Diff(want, m); diff != "" || !found || err != nil {
		t.Errorf("%v, %v\n%s", found, err, diff)
	}
	answer.Metadata.Symbol = ptr(strings.Repeat("é", maxCoinText/2) + "x\u202e")
	if m, _, _ := client(t, answer, nil).CoinInfo(ctx, sui.SUI); m.Symbol != want.Symbol {
		t.Errorf("a text is cut to %q", m.Symbol[len(m.Symbol)-4:])
	}
	answer.Metadata.Decimals = ptr(uint32(256))
	_, _, err = client(t, answer, nil).CoinInfo(ctx, sui.SUI)
	wants(t, "256 decimals", err, fault.ProviderMismatch)
	answer.Metadata.Decimals = nil
	_, _, err = client(t, answer, nil).CoinInfo(ctx, sui.SUI)
	wants(t, "no decimals", err, fault.ProviderMismatch)
	answer.Metadata = nil
	if _, found, err := client(t, answer, nil).CoinInfo(ctx, sui.SUI); found || err != nil {
		t.Errorf("a coin without a description: %v, %v", found, err)
	}
	if _, found, err := client(t, nil, status.Error(codes.NotFound, "no such coin")).CoinInfo(ctx, sui.SUI); found ||
		err != nil {
		t.Errorf("a coin that the chain does not know: %v, %v", found, err)
	}
	_, _, err = client(t, nil, status.Error(codes.InvalidArgument, "no")).CoinInfo(ctx, sui.SUI)
	wants(t, "a refusal", err, fault.ProviderRefused)
	answer.CoinType = ptr("0x3::sui::SUI")
	_, _, err = client(t, answer, nil).CoinInfo(ctx, sui.SUI)
	wants(t, "another coin", err, fault.ProviderMismatch)
}
