package rpc

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Limits of a list of coins.
const (
	coinsPerPage = 500
	maxPages     = 10
)

// maxWords limits the texts of coin metadata, in characters.
const maxWords = 200

// Coins lists up to most coins of one type that owner holds: spendable ones first, largest first, then
// those that need consensus. A shorter list is complete. Nodes list the largest first, so only the
// first pages are read for an owner with thousands of coins. Reservations of an address balance encoded
// as coins are omitted.
func (c *Client) Coins(ctx context.Context, owner sui.Address, coin sui.CoinType, most int) ([]sui.Coin, error) {
	var coins []sui.Coin
	var token []byte
	seen := map[sui.ObjectID]bool{}
	for range maxPages {
		page, err := call(ctx, c, c.state.ListOwnedObjects, &pb.ListOwnedObjectsRequest{
			Owner: ptr(owner.String()), ObjectType: ptr(coin.Object()), PageSize: ptr(uint32(coinsPerPage)), PageToken: token,
			ReadMask: mask("object_id", "version", "digest", "owner", "object_type", "balance"),
		})
		if err != nil {
			return nil, err
		}
		for _, o := range page.GetObjects() {
			one, err := coinOf(o, owner, coin)
			if err != nil {
				return nil, err
			}
			// Some nodes also list an address balance as a coin.
			//mutant:never ./internal/sui/rpc TestReservationsAreNotListed
			if one.Ref.Reservation() {
				continue
			}
			if seen[one.Ref.ID] {
				return nil, mismatch("it lists one coin twice")
			}
			seen[one.Ref.ID] = true
			coins = append(coins, one)
		}
		next := page.GetNextPageToken()
		if len(next) == 0 {
			break
		}
		if bytes.Equal(next, token) {
			return nil, mismatch("its list of coins does not advance")
		}
		token = next
	}
	slices.SortStableFunc(coins, func(a, b sui.Coin) int {
		if a.Consensus != b.Consensus {
			if b.Consensus {
				return -1
			}
			return 1
		}
		return cmp.Compare(b.Balance, a.Balance)
	})
	return coins[:min(len(coins), max(most, 0))], nil
}

// coinOf reads a listed coin. Coins that need consensus cannot be spent as owned inputs.
func coinOf(o *pb.Object, owner sui.Address, coin sui.CoinType) (sui.Coin, error) {
	read, err := objectOf(o)
	if err != nil {
		return sui.Coin{}, err
	}
	kind := read.Owner.Kind
	if read.Type != coin.Object() || read.Balance == nil || read.Owner.Address != owner ||
		kind != sui.OwnerAddress && kind != sui.OwnerConsensusAddress {
		return sui.Coin{}, mismatch("it lists an object that is not a coin of this owner and type")
	}
	return sui.Coin{Ref: read.Ref, Type: coin, Balance: *read.Balance, Consensus: kind == sui.OwnerConsensusAddress}, nil
}

// Field numbers of Balance that the stubs lack.
const (
	fieldAddressBalance = 4
	fieldCoinBalance    = 5
)

// Balance returns owner's holding of a coin, in coins and in its address balance. If the node does not
// report these parts, all of it counts as coins.
func (c *Client) Balance(ctx context.Context, owner sui.Address, coin sui.CoinType) (sui.Balance, error) {
	answer, err := call(ctx, c, c.state.GetBalance, &pb.GetBalanceRequest{
		Owner: ptr(owner.String()), CoinType: ptr(string(coin)),
	})
	if err != nil {
		return sui.Balance{}, err
	}
	b, err := balanceOf(answer.GetBalance())
	if err != nil {
		return sui.Balance{}, err
	}
	if b.Type != coin {
		return sui.Balance{}, mismatch("the balance is of another coin")
	}
	return b, nil
}

// unknownNumber finds a varint among fields that the stubs do not know. The last one wins.
func unknownNumber(b []byte, field protowire.Number) (value uint64, ok bool) {
	for len(b) > 0 {
		number, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return 0, false
		}
		b = b[n:]
		if number == field && kind == protowire.VarintType {
			if v, m := protowire.ConsumeVarint(b); m >= 0 {
				value, ok = v, true
			}
		}
		if n = protowire.ConsumeFieldValue(number, kind, b); n < 0 {
			return 0, false
		}
		b = b[n:]
	}
	return value, ok
}

// Metadata describes a coin. Its texts come from unknown authors. They are cut to 200 characters but
// not sanitized, and may contain hidden characters. It returns fault.ProviderRefused with the code
// NotFound for a coin without metadata.
func (c *Client) Metadata(ctx context.Context, coin sui.CoinType) (sui.Metadata, error) {
	answer, err := call(ctx, c, c.state.GetCoinInfo, &pb.GetCoinInfoRequest{CoinType: ptr(string(coin))})
	if err != nil {
		return sui.Metadata{}, err
	}
	if t, err := sui.ParseCoinType(answer.GetCoinType()); err != nil || t != coin {
		return sui.Metadata{}, mismatch("the description is of another coin")
	}
	m := answer.GetMetadata()
	if m == nil {
		return sui.Metadata{}, refused(nil, codes.NotFound, "no metadata")
	}
	if m.Decimals == nil || m.GetDecimals() > 255 {
		return sui.Metadata{}, mismatch("the coin's decimals are missing or too many")
	}
	return sui.Metadata{
		Type: coin, Decimals: uint8(m.GetDecimals()), Name: truncated(m.GetName(), maxWords),
		Symbol: truncated(m.GetSymbol(), maxWords), Description: truncated(m.GetDescription(), maxWords),
	}, nil
}

// Limits of a request for objects.
const (
	objectsPerCall = 50
	maxObjects     = 1000
)

// Objects reads the current versions of objects, in the order of ids. If the node does not have one, it
// returns fault.ProviderRefused with the details code (NotFound) and objectId.
func (c *Client) Objects(ctx context.Context, ids []sui.ObjectID) ([]sui.Object, error) {
	return c.objects(ctx, ids, false)
}

// Present is like Objects but omits objects that the node does not have.
func (c *Client) Present(ctx context.Context, ids []sui.ObjectID) ([]sui.Object, error) {
	return c.objects(ctx, ids, true)
}

// PresentContents is like Present but includes the BCS of the objects' values.
func (c *Client) PresentContents(ctx context.Context, ids []sui.ObjectID) ([]sui.Object, error) {
	return c.objects(ctx, ids, true, "contents")
}

func (c *Client) objects(ctx context.Context, ids []sui.ObjectID, some bool, more ...string) ([]sui.Object, error) {
	if len(ids) > maxObjects {
		return nil, fault.New(fault.TooLarge, "At most %d objects can be read at once.", maxObjects)
	}
	objects := make([]sui.Object, 0, len(ids))
	for part := range slices.Chunk(ids, objectsPerCall) {
		paths := append([]string{"object_id", "version", "digest", "owner", "object_type", "balance"}, more...)
		q := &pb.BatchGetObjectsRequest{ReadMask: mask(paths...)}
		for _, id := range part {
			q.Requests = append(q.Requests, &pb.GetObjectRequest{ObjectId: ptr(id.String())})
		}
		answer, err := call(ctx, c, c.ledger.BatchGetObjects, q)
		if err != nil {
			return nil, err
		}
		if len(answer.GetObjects()) != len(part) {
			return nil, mismatch("it returned a different number of objects than requested")
		}
		for i, r := range answer.GetObjects() {
			if e := r.GetError(); e != nil {
				if some && codes.Code(e.GetCode()) == codes.NotFound {
					continue
				}
				return nil, refused(nil, codes.Code(e.GetCode()), e.GetMessage()).With("objectId", part[i].String())
			}
			o, err := objectOf(r.GetObject())
			if err != nil {
				return nil, err
			}
			if o.Ref.ID != part[i] {
				return nil, mismatch("it returned a different object than requested")
			}
			objects = append(objects, o)
		}
	}
	return objects, nil
}
