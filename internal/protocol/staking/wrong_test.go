package staking_test

import (
	"context"
	"encoding/binary"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/staking"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// node is a node with one stake of 10 SUI in one pool.
type node struct {
	contents   []byte // BCS of the stake
	validators []sui.ActiveValidator
	rate       func(id sui.ObjectID, epoch uint64) []byte // nil means that the table has none
}

var (
	stakeID = sui.MustAddress("0x51")
	pool    = sui.StakingPool{ID: sui.MustAddress("0x90"), Rates: sui.MustAddress("0x91"), Rewards: 1_000_000_000}
)

func (n node) Validators(context.Context) (uint64, []sui.ActiveValidator, error) {
	return 100, n.validators, nil
}

func (n node) Owned(_ context.Context, _ sui.Address, typ string, _ []byte, _ int) ([]sui.Object, []byte, error) {
	if typ != staking.StakedType {
		return nil, nil, nil
	}
	return []sui.Object{{Ref: sui.ObjectRef{ID: stakeID}, Type: typ, Contents: n.contents}}, nil, nil
}

func (n node) PresentContents(_ context.Context, ids []sui.ObjectID) (list []sui.Object, err error) {
	for _, id := range ids {
		for epoch := range uint64(101) {
			key := binary.LittleEndian.AppendUint64(nil, epoch)
			field, _ := sui.DynamicFieldID(pool.Rates, sui.TypeTag{Kind: sui.TypeU64}, key)
			if b := n.rate(id, epoch); field == id && b != nil {
				list = append(list, sui.Object{Ref: sui.ObjectRef{ID: id}, Contents: b})
			}
		}
	}
	return list, nil
}

// rate returns the dynamic field of a rate.
func rate(id sui.ObjectID, epoch, amount, tokens uint64) []byte {
	b := append([]byte{}, id[:]...)
	for _, n := range []uint64{epoch, amount, tokens} {
		b = binary.LittleEndian.AppendUint64(b, n)
	}
	return b
}

// bytesOf returns a stake of 10 SUI that is active since epoch 90.
func bytesOf(id sui.ObjectID) []byte {
	b := append(append([]byte{}, id[:]...), pool.ID[:]...)
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(b, 90), 10_000_000_000)
}

func TestStakesOfAnOddNode(t *testing.T) {
	active := []sui.ActiveValidator{{Address: sui.MustAddress("0x7"), Pool: pool}}
	growing := func(id sui.ObjectID, epoch uint64) []byte { return rate(id, epoch, 1000+epoch, 1000) }
	for _, c := range []struct {
		name string
		node
		pays   uint64 // 0 means unknown
		refuse bool
	}{
		{"rates that grow", node{bytesOf(stakeID), active, growing}, 10_091_743_118, false}, // 10 * 1.1/1.09
		{"more reward than the pool has", node{bytesOf(stakeID), active,
			func(id sui.ObjectID, epoch uint64) []byte { return rate(id, epoch, 1000*(epoch-89), 1000) }},
			11_000_000_000, false},
		{"rates that fall", node{bytesOf(stakeID), active,
			func(id sui.ObjectID, epoch uint64) []byte { return rate(id, epoch, 2000-epoch, 1000) }}, 10_000_000_000, false},
		{"no rate at the start", node{bytesOf(stakeID), active, func(id sui.ObjectID, epoch uint64) []byte {
			if epoch == 90 {
				return nil
			}
			return growing(id, epoch)
		}}, 0, false},
		{"rates without bounds", node{bytesOf(stakeID), active, func(id sui.ObjectID, epoch uint64) []byte {
			return rate(id, epoch, 1, 1<<60)
		}}, 0, false},
		{"a pool of no validator", node{bytesOf(stakeID), nil, growing}, 0, false},
		{"the bytes of another object", node{bytesOf(pool.ID), active, growing}, 0, true},
		{"too few bytes", node{bytesOf(stakeID)[:79], active, growing}, 0, true},
		{"the rate of another epoch", node{bytesOf(stakeID), active, func(id sui.ObjectID, epoch uint64) []byte {
			return rate(id, epoch+1, 1100, 1000)
		}}, 0, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := staking.NewReader(c.node, time.Now).Stakes(t.Context(), sui.MustAddress("0x1"))
			switch {
			case c.refuse != fault.Is(err, fault.ProviderMismatch), !c.refuse && err != nil:
				t.Fatal(err)
			case c.refuse:
				return
			case (got.List[0].Pays == nil) != (c.pays == 0):
				t.Errorf("%+v", got.List[0])
			case c.pays > 0 && uint64(*got.List[0].Pays) != c.pays:
				t.Errorf("it pays %d", *got.List[0].Pays)
			}
		})
	}
}
