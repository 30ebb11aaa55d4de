package node

import (
	"bytes"
	"context"
	"slices"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"

	"github.com/sayurintent/sayurintent/internal/sandbox/bcs"
	"github.com/sayurintent/sayurintent/internal/sandbox/ledger"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Page sizes of listings.
const (
	defaultPage = 50
	maxPage     = 1000
)

// Field numbers of Balance that the stubs do not have.
const (
	fieldAddressBalance = 4
	fieldCoinBalance    = 5
)

// stateService serves sui.rpc.v2.StateService.
type stateService struct {
	pb.UnimplementedStateServiceServer
	server *Server
}

// wireBalance returns a balance with its parts.
func wireBalance(h ledger.Holding) *pb.Balance {
	b := &pb.Balance{CoinType: new(string(h.Coin)), Balance: new(h.Coins + h.InAddress)}
	b.ProtoReflect().SetUnknown(appendVarint(appendVarint(nil, fieldAddressBalance, h.InAddress), fieldCoinBalance,
		h.Coins))
	return b
}

// coinType reads the coin type of a request.
func coinType(s string) (sui.CoinType, error) {
	t, err := sui.ParseCoinType(s)
	if err != nil {
		return "", ledger.Refuse("invalid coin_type: %v", err)
	}
	return t, nil
}

// GetBalance reports an owner's balance of one coin type.
func (s stateService) GetBalance(_ context.Context, req *pb.GetBalanceRequest) (*pb.GetBalanceResponse, error) {
	owner, err := address(req.GetOwner(), "owner")
	if err != nil {
		return nil, err
	}
	coin, err := coinType(req.GetCoinType())
	if err != nil {
		return nil, err
	}
	return &pb.GetBalanceResponse{Balance: wireBalance(s.server.ledger.Holding(owner, coin))}, nil
}

// ListBalances reports an owner's balances, sorted by coin type. The page token is the last type
// listed.
func (s stateService) ListBalances(_ context.Context, req *pb.ListBalancesRequest) (*pb.ListBalancesResponse, error) {
	owner, err := address(req.GetOwner(), "owner")
	if err != nil {
		return nil, err
	}
	list := s.server.ledger.Holdings(owner)
	list = slices.DeleteFunc(list, func(h ledger.Holding) bool { return string(h.Coin) <= string(req.GetPageToken()) })
	answer := &pb.ListBalancesResponse{}
	list, answer.NextPageToken = page(list, req.PageSize, func(h ledger.Holding) []byte { return []byte(h.Coin) })
	for _, h := range list {
		answer.Balances = append(answer.Balances, wireBalance(h))
	}
	s.server.faults.CorruptBalances(answer)
	return answer, nil
}

// pageSize limits the requested size; zero or absent means the default.
func pageSize(n *uint32) int {
	if n == nil || *n == 0 {
		return defaultPage
	}
	return min(int(*n), maxPage)
}

// page returns the first page of a list, and the token of its last item if there are more.
func page[T any](list []T, limit *uint32, token func(T) []byte) (page []T, next []byte) {
	size := pageSize(limit)
	if len(list) <= size {
		return list, nil
	}
	return list[:size], token(list[size-1])
}

// ListOwnedObjects lists an owner's objects, coins first and largest first. The page token is the
// id of the last object listed.
func (s stateService) ListOwnedObjects(_ context.Context,
	req *pb.ListOwnedObjectsRequest) (*pb.ListOwnedObjectsResponse, error) {
	owner, err := address(req.GetOwner(), "owner")
	if err != nil {
		return nil, err
	}
	matches, err := typeFilter(req.GetObjectType())
	if err != nil {
		return nil, err
	}
	list := slices.DeleteFunc(s.server.ledger.Owned(owner), func(o *ledger.Object) bool { return !matches(o.Type) })
	if token := req.GetPageToken(); len(token) > 0 {
		i := slices.IndexFunc(list, func(o *ledger.Object) bool { return bytes.Equal(o.ID[:], token) })
		if i < 0 {
			return nil, ledger.Refuse("invalid page_token")
		}
		list = list[i+1:]
	}
	answer := &pb.ListOwnedObjectsResponse{}
	list, answer.NextPageToken = page(list, req.PageSize, func(o *ledger.Object) []byte { return o.ID[:] })
	for _, o := range list {
		w := wireObject(o)
		if err := cut(w, req.GetReadMask(), "object_id,version,object_type"); err != nil {
			return nil, err
		}
		answer.Objects = append(answer.Objects, w)
	}
	return answer, nil
}

// typeFilter reads an object_type: a struct type. Without type parameters it matches all instances, and
// an empty filter matches everything.
func typeFilter(s string) (func(sui.TypeTag) bool, error) {
	if s == "" {
		return func(sui.TypeTag) bool { return true }, nil
	}
	filter, err := sui.ParseTypeTag(s)
	if err != nil || filter.Kind != sui.TypeStruct {
		return nil, ledger.Refuse("invalid object_type %q", s)
	}
	return func(t sui.TypeTag) bool {
		bare := *t.Struct
		if len(filter.Struct.Params) == 0 {
			bare.Params = nil
		}
		return bare.String() == filter.String()
	}, nil
}

// GetCoinInfo describes a coin of the pinned registry, or one set with Describe.
func (s stateService) GetCoinInfo(_ context.Context, req *pb.GetCoinInfoRequest) (*pb.GetCoinInfoResponse, error) {
	t, err := coinType(req.GetCoinType())
	if err != nil {
		return nil, err
	}
	m, ok := s.server.ledger.Metadata(t)
	if !ok {
		return nil, ledger.NotFound("Coin type %s not found", t)
	}
	id := sui.Address(bcs.Hash("say-ur-intent/sandbox/metadata", []byte(t)))
	return &pb.GetCoinInfoResponse{
		CoinType: new(string(t)),
		Metadata: &pb.CoinMetadata{
			Id: new(id.String()), Decimals: new(uint32(m.Decimals)), Name: new(m.Name), Symbol: new(m.Symbol),
			Description: new(m.Description),
		},
	}, nil
}

// ListDynamicFields lists the fields of a balance manager's bag: its coins. The page token is the id of
// the last field listed. Other parents are rejected: pools have dynamic fields on the real chain, so an
// empty list would be false.
func (s stateService) ListDynamicFields(_ context.Context,
	req *pb.ListDynamicFieldsRequest) (*pb.ListDynamicFieldsResponse, error) {
	parent, err := address(req.GetParent(), "parent")
	if err != nil {
		return nil, err
	}
	list, ok := s.server.ledger.BagFields(parent)
	if !ok {
		return nil, ledger.Unsupported("list dynamic fields (of %s)", req.GetParent())
	}
	list = slices.DeleteFunc(list, func(o *ledger.Object) bool { return bytes.Compare(o.ID[:], req.GetPageToken()) <= 0 })
	answer := &pb.ListDynamicFieldsResponse{}
	list, answer.NextPageToken = page(list, req.PageSize, func(o *ledger.Object) []byte { return o.ID[:] })
	for _, o := range list {
		w := wireField(parent, o)
		if err := cut(w, req.GetReadMask(), "parent,field_id"); err != nil {
			return nil, err
		}
		answer.DynamicFields = append(answer.DynamicFields, w)
	}
	return answer, nil
}

// wireField returns a dynamic field Field<K, V> with a one-byte key.
func wireField(parent sui.ObjectID, o *ledger.Object) *pb.DynamicField {
	key, value := o.Type.Struct.Params[0].String(), o.Type.Struct.Params[1].String()
	return &pb.DynamicField{
		Kind: pb.DynamicField_FIELD.Enum(), Parent: new(parent.String()), FieldId: new(o.ID.String()),
		FieldObject: wireObject(o),
		Name:        &pb.Bcs{Name: &key, Value: o.Contents[32:33]}, Value: &pb.Bcs{Name: &value, Value: o.Contents[33:]},
		ValueType: &value,
	}
}
