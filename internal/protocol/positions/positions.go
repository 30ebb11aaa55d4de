// Package positions lists an account's holdings other than coins: stakes, positions in pools, and the
// keys of lending positions. It also recognizes coins that are receipts of other protocols.
//
// Stakes and lent coins get estimates. Everything else is listed without a value.
package positions

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/sayurintent/sayurintent/internal/fault"
	flowx "github.com/sayurintent/sayurintent/internal/protocol/flowx/registry"
	"github.com/sayurintent/sayurintent/internal/protocol/staking"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Kind is the kind of a position or receipt coin.
type Kind string

// Kinds of positions and receipts.
const (
	PoolPosition  Kind = "pool_position"        // liquidity in a pool
	LendingCap    Kind = "lending_position_cap" // controls a lending position
	LiquidStake   Kind = "liquid_staking_coin"  // represents staked SUI
	LendingSupply Kind = "lending_receipt"      // represents a supplied coin
)

// Position is an object that represents something inside a protocol.
type Position struct {
	ID       sui.ObjectID
	Kind     Kind
	Protocol string
	Type     string
	Opens    sui.ObjectID // the lending position that a key controls; otherwise zero
}

// Original ids of packages, which types name after upgrades too.
const (
	cetus    = "0x1eabed72c53feb3805120a081dc15963c204dc8d091542592abaf7a35689b2fb"
	momentum = "0xcf60a40f45d46fc1e828871a647c1e25a0915dec860d2662eb10fdb382c3c1d1"
	suilend  = "0xf95b06141ed4a174f239417323bde3f209b972f5930d8521ea38a52aff3a6ddf"
	springs  = "0x83556891f4a0f233ce7b05cfe7f957d4020492a34f5405b2cb9377d060bef4bf::spring_sui::SPRING_SUI"
)

// objects lists the object types to look for. A type without type parameters matches all instances.
var objects = []Position{
	{Kind: PoolPosition, Protocol: "Cetus", Type: cetus + "::position::Position"},
	{Kind: PoolPosition, Protocol: "Momentum", Type: momentum + "::position::Position"},
	{Kind: PoolPosition, Protocol: "FlowX", Type: flowx.OriginalPackage.String() + "::position::Position"},
	{Kind: LendingCap, Protocol: "Suilend", Type: suilend + "::lending_market::ObligationOwnerCap"},
}

// maxEach is the maximum number of listed objects of each type.
const maxEach = 50

// Receipt is a coin that represents something inside a protocol.
type Receipt struct {
	Kind     Kind
	Protocol string
	Of       sui.CoinType // the coin that it represents
}

// ReceiptOf returns what a coin represents. It returns false for a coin that is not a known receipt.
func ReceiptOf(coin sui.CoinType) (Receipt, bool) {
	if coin == springs {
		return Receipt{LiquidStake, "SpringSui", sui.SUI}, true
	}
	tag := coin.Tag().Struct
	if tag.Address.String() == suilend && tag.Module == "reserve" && tag.Name == "CToken" && len(tag.Params) == 2 {
		return Receipt{LendingSupply, "Suilend", sui.CoinType(tag.Params[1].String())}, true
	}
	return Receipt{}, false
}

// Supply is an account's claim that a protocol records. Amount is what a withdrawal would pay now.
type Supply struct {
	Protocol string
	Coin     sui.CoinType
	Amount   sui.Raw
}

// Reader reads stakes and positions. It is safe for concurrent use.
type Reader struct {
	chain  staking.Chain
	stakes *staking.Reader
	// Supplies reads the claims that protocols record for an account. It may be nil.
	Supplies func(ctx context.Context, owner sui.Address) ([]Supply, error)
}

// NewReader returns a Reader.
func NewReader(chain staking.Chain, stakes *staking.Reader) *Reader {
	return &Reader{chain: chain, stakes: stakes}
}

// Found lists the stakes and positions of an account. More means that there are further objects of a
// listed type.
type Found struct {
	Stakes    staking.Stakes
	Positions []Position
	Supplies  []Supply
	Lent      []Lent
	Unread    []string // protocols whose positions have an unknown form
	More      bool
}

// Of reads the stakes and the known positions of an account. It returns everything or an error.
func (r *Reader) Of(ctx context.Context, owner sui.Address) (Found, error) {
	var found Found
	lists, more := make([][]Position, len(objects)), make([]bool, len(objects))
	failed := make([]error, len(objects)+2)
	var reading sync.WaitGroup
	reading.Go(func() {
		defer fault.Recover(&failed[len(objects)])
		found.Stakes, failed[len(objects)] = r.stakes.Stakes(ctx, owner)
	})
	if r.Supplies != nil {
		reading.Go(func() {
			defer fault.Recover(&failed[len(objects)+1])
			found.Supplies, failed[len(objects)+1] = r.Supplies(ctx, owner)
		})
	}
	for i, kind := range objects {
		reading.Go(func() {
			defer fault.Recover(&failed[i])
			lists[i], more[i], failed[i] = r.list(ctx, owner, kind)
		})
	}
	reading.Wait()
	for _, err := range failed {
		if err != nil {
			return Found{}, err
		}
	}
	found.Positions, found.More = slices.Concat(lists...), found.Stakes.More || slices.Contains(more, true)
	if err := r.open(ctx, &found); err != nil {
		return Found{}, err
	}
	return found, nil
}

// open reads the lending positions whose keys were found.
func (r *Reader) open(ctx context.Context, found *Found) error {
	for _, p := range found.Positions {
		if p.Kind != LendingCap {
			continue
		}
		list, known, err := r.obligation(ctx, p.Opens)
		if err != nil {
			return err
		}
		if found.Lent = append(found.Lent, list...); !known && !slices.Contains(found.Unread, p.Protocol) {
			found.Unread = append(found.Unread, p.Protocol)
		}
	}
	return nil
}

// list lists the objects of one kind.
func (r *Reader) list(ctx context.Context, owner sui.Address, kind Position) (list []Position, more bool, err error) {
	objects, next, err := r.chain.Owned(ctx, owner, kind.Type, nil, maxEach)
	for _, o := range objects {
		one := kind
		one.ID, one.Type = o.Ref.ID, strings.ReplaceAll(o.Type, " ", "")
		if kind.Kind == LendingCap && len(o.Contents) == 2*len(one.Opens) {
			one.Opens = sui.ObjectID(o.Contents[len(one.Opens):])
		}
		list = append(list, one)
	}
	return list, next != nil, err
}
