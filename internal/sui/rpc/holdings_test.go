package rpc

import (
	"bytes"
	"context"
	"strings"
	"testing"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"
	"github.com/google/go-cmp/cmp"
	rpcstatus "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

var (
	alice = sui.MustAddress("0xa11ce")
	bob   = sui.MustAddress("0xb0b")
)

func coinObject(id byte, balance uint64) *pb.Object {
	return &pb.Object{
		ObjectId: ptr(sui.Address{id}.String()), Version: ptr(uint64(id)), Digest: textOf(digestOf(id)),
		Owner:      &pb.Owner{Kind: pb.Owner_ADDRESS.Enum(), Address: ptr(alice.String())},
		ObjectType: ptr("0x2::coin::Coin<0x2::sui::SUI>"), Balance: &balance,
	}
}

func TestCoins(t *testing.T) {
	var questions []*pb.ListOwnedObjectsRequest
	c := clientOf(t, func(_ context.Context, q any) (any, error) {
		question := proto.CloneOf(q.(*pb.ListOwnedObjectsRequest))
		questions = append(questions, question)
		if len(question.GetPageToken()) == 0 {
			return &pb.ListOwnedObjectsResponse{Objects: []*pb.Object{coinObject(1, 5), coinObject(2, 50)},
				NextPageToken: []byte("2")}, nil
		}
		held := coinObject(4, 900)
		held.Owner = &pb.Owner{Kind: pb.Owner_CONSENSUS_ADDRESS.Enum(), Address: ptr(alice.String()), Version: ptr(uint64(3))}
		return &pb.ListOwnedObjectsResponse{Objects: []*pb.Object{coinObject(3, 7), held}}, nil
	})
	coins, err := c.Coins(context.Background(), alice, sui.SUI, 2)
	if err != nil {
		t.Fatal(err)
	}
	want := []sui.Coin{
		{Ref: sui.ObjectRef{ID: sui.Address{2}, Version: 2, Digest: digestOf(2)}, Type: sui.SUI, Balance: 50},
		{Ref: sui.ObjectRef{ID: sui.Address{3}, Version: 3, Digest: digestOf(3)}, Type: sui.SUI, Balance: 7},
	}
	if diff := cmp.Diff(want, coins); diff != "" {
		t.Error(diff)
	}
	if len(questions) != 2 || questions[0].GetOwner() != alice.String() ||
		questions[0].GetObjectType() != sui.SUI.Object() {
		t.Errorf("asked %v", questions)
	}
}

// A reservation of an address balance encoded as a coin never counts as a coin.
func TestReservationsAreNotListed(t *testing.T) {
	reserved := coinObject(9, 500)
	var d sui.Digest
	copy(d[12:], bytes.Repeat([]byte{0xac}, 20))
	reserved.Digest = ptr(d.String())
	answer := &pb.ListOwnedObjectsResponse{Objects: []*pb.Object{reserved, coinObject(2, 50)}}
	coins, err := client(t, answer, nil).Coins(context.Background(), alice, sui.SUI, 10)
	if err != nil || len(coins) != 1 || coins[0].Balance != 50 {
		t.Errorf("%+v, %v; want the one coin of 50", coins, err)
	}
}

func TestCoinsOfALyingNode(t *testing.T) {
	change := func(f func(*pb.Object)) *pb.ListOwnedObjectsResponse {
		o := coinObject(1, 5)
		f(o)
		return &pb.ListOwnedObjectsResponse{Objects: []*pb.Object{o}}
	}
	for name, answer := range map[string]*pb.ListOwnedObjectsResponse{
		"another owner": change(func(o *pb.Object) { o.Owner.Address = ptr(bob.String()) }),
		"another type":  change(func(o *pb.Object) { o.ObjectType = ptr("0x2::coin::Coin<0x3::sui::SUI>") }),
		"no type":       change(func(o *pb.Object) { o.ObjectType = nil }),
		"no balance":    change(func(o *pb.Object) { o.Balance = nil }),
		"shared": change(func(o *pb.Object) {
			o.Owner = &pb.Owner{Kind: pb.Owner_SHARED.Enum(),
				Version: ptr(uint64(1))}
		}),
		"no owner":       change(func(o *pb.Object) { o.Owner = nil }),
		"bad id":         change(func(o *pb.Object) { o.ObjectId = ptr("0xzz") }),
		"no version":     change(func(o *pb.Object) { o.Version = nil }),
		"short digest":   change(func(o *pb.Object) { o.Digest = ptr("abc") }),
		"one coin twice": {Objects: []*pb.Object{coinObject(1, 5), coinObject(1, 5)}},
		"no progress":    {NextPageToken: []byte("again")},
		"an empty entry": {Objects: []*pb.Object{nil}},
	} {
		coins, err := client(t, answer, nil).Coins(context.Background(), alice, sui.SUI, 10)
		wants(t, name, err, fault.ProviderMismatch)
		if coins != nil {
			t.Errorf("%s: coins %v", name, coins)
		}
	}
	pages := 0
	c := clientOf(t, func(context.Context, any) (any, error) {
		pages++
		return &pb.ListOwnedObjectsResponse{NextPageToken: []byte{byte(pages)}}, nil
	})
	if _, err := c.Coins(context.Background(), alice, sui.SUI, 10); err != nil || pages != maxPages {
		t.Errorf("an endless list took %d pages, %v", pages, err)
	}
}

func balance(total uint64, parts ...uint64) *pb.GetBalanceResponse {
	b := &pb.Balance{CoinType: ptr("0x2::sui::SUI"), Balance: &total}
	var extra []byte
	for i, p := range parts {
		extra = protowire.AppendTag(extra, protowire.Number(fieldAddressBalance+i), protowire.VarintType)
		extra = protowire.AppendVarint(extra, p)
	}
	b.ProtoReflect().SetUnknown(extra)
	return &pb.GetBalanceResponse{Balance: b}
}

func TestBalance(t *testing.T) {
	for name, c := range map[string]struct {
		answer *pb.GetBalanceResponse
		want   sui.Balance
	}{
		"both parts":        {balance(10, 3, 7), sui.Balance{Type: sui.SUI, Total: 10, Coins: 7, Address: 3}},
		"no parts":          {balance(10), sui.Balance{Type: sui.SUI, Total: 10, Coins: 10}},
		"one part":          {balance(10, 3), sui.Balance{Type: sui.SUI, Total: 10, Coins: 7, Address: 3}},
		"all in an address": {balance(10, 10, 0), sui.Balance{Type: sui.SUI, Total: 10, Address: 10}},
	} {
		got, err := client(t, c.answer, nil).Balance(context.Background(), alice, sui.SUI)
		if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
			t.Errorf("%s: %v %s", name, err, diff)
		}
	}
	other := balance(1)
	other.Balance.CoinType = ptr("0x2::sui::IUS")
	for name, answer := range map[string]*pb.GetBalanceResponse{
		"parts too large": balance(10, 3, 8), "parts too small": balance(10, 3, 6), "overflow": balance(10, ^uint64(0), 11),
		"address too large": balance(10, 11), "another coin": other, "nothing": {},
	} {
		_, err := client(t, answer, nil).Balance(context.Background(), alice, sui.SUI)
		wants(t, name, err, fault.ProviderMismatch)
	}
}

func TestUnknownNumberSurvivesGarbage(t *testing.T) {
	for _, b := range [][]byte{{0xff}, {0x22, 0x05, 1}, {0x20}, {0x23}, []byte(strings.Repeat("\x80", 40))} {
		if v, ok := unknownNumber(b, fieldAddressBalance); ok {
			t.Errorf("%x gave %d", b, v)
		}
	}
}

func TestMetadata(t *testing.T) {
	answer := &pb.GetCoinInfoResponse{CoinType: ptr("0x2::sui::SUI"), Metadata: &pb.CoinMetadata{
		Decimals: ptr(uint32(9)), Name: ptr("Sui"), Symbol: ptr("SUI\n\u202eevil"), Description: ptr(strings.Repeat("d",
			9000)),
	}}
	m, err := client(t, answer, nil).Metadata(context.Background(), sui.SUI)
	if err != nil || m.Decimals != 9 || m.Symbol != "SUI\n\u202eevil" || len(m.Description) > maxWords+3 ||
		m.Type != sui.SUI {
		t.Errorf("%+v, %v", m, err)
	}
	answer.Metadata.Decimals = ptr(uint32(256))
	_, err = client(t, answer, nil).Metadata(context.Background(), sui.SUI)
	wants(t, "256 decimals", err, fault.ProviderMismatch)
	answer.Metadata = nil
	_, err = client(t, answer, nil).Metadata(context.Background(), sui.SUI)
	wants(t, "no metadata", err, fault.ProviderRefused)
	answer.CoinType = ptr("0x3::sui::SUI")
	_, err = client(t, answer, nil).Metadata(context.Background(), sui.SUI)
	wants(t, "another coin", err, fault.ProviderMismatch)
}

func TestObjects(t *testing.T) {
	shared := coinObject(9, 0)
	shared.Owner, shared.Balance = &pb.Owner{Kind: pb.Owner_SHARED.Enum(), Version: ptr(uint64(7))}, nil
	shared.ObjectType = ptr("0x2::clock::Clock")
	known := map[string]*pb.Object{sui.Address{1}.String(): coinObject(1, 5), sui.Address{9}.String(): shared}
	calls := 0
	c := clientOf(t, func(_ context.Context, q any) (any, error) {
		calls++
		answer := &pb.BatchGetObjectsResponse{}
		for _, r := range q.(*pb.BatchGetObjectsRequest).GetRequests() {
			result := &pb.GetObjectResult{Result: &pb.GetObjectResult_Error{Error: &rpcstatus.Status{Code: int32(codes.NotFound),
				Message: "gone"}}}
			if o := known[r.GetObjectId()]; o != nil {
				result.Result = &pb.GetObjectResult_Object{Object: o}
			}
			answer.Objects = append(answer.Objects, result)
		}
		return answer, nil
	})
	got, err := c.Objects(context.Background(), []sui.ObjectID{{9}, {1}})
	want := []sui.Object{
		{Ref: sui.ObjectRef{ID: sui.Address{9}, Version: 9, Digest: digestOf(9)},
			Type:  sui.MustTypeTag("0x2::clock::Clock").String(),
			Owner: sui.Owner{Kind: sui.OwnerShared, InitialVersion: 7}},
		{Ref: sui.ObjectRef{ID: sui.Address{1}, Version: 1, Digest: digestOf(1)}, Type: sui.SUI.Object(),
			Owner: sui.Owner{Kind: sui.OwnerAddress, Address: alice}, Balance: ptr(sui.Raw(5))},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
	_, err = c.Objects(context.Background(), []sui.ObjectID{{1}, {2}})
	wants(t, "missing", err, fault.ProviderRefused)
	if d := fault.As(err).Detail; d.Get("code") != "NotFound" || d.Get("objectId") != (sui.Address{2}).String() {
		t.Errorf("details %v", d)
	}
	calls = 0
	many := make([]sui.ObjectID, 120)
	for i := range many {
		many[i] = sui.Address{1}
	}
	if got, err := c.Objects(context.Background(), many); err != nil || len(got) != 120 || calls != 3 {
		t.Errorf("%d objects in %d calls, %v", len(got), calls, err)
	}
	_, err = c.Objects(context.Background(), make([]sui.ObjectID, maxObjects+1))
	wants(t, "too many", err, fault.TooLarge)
	for name, answer := range map[string]*pb.BatchGetObjectsResponse{
		"too few": {},
		"another": {Objects: []*pb.GetObjectResult{{Result: &pb.GetObjectResult_Object{Object: shared}}}},
		"nothing": {Objects: []*pb.GetObjectResult{{}}},
	} {
		_, err := client(t, answer, nil).Objects(context.Background(), []sui.ObjectID{{1}})
		wants(t, name, err, fault.ProviderMismatch)
	}
}
