package positions_test

import (
	"context"
	"encoding/binary"
	"math/big"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sayurintent/sayurintent/internal/protocol/positions"
	"github.com/sayurintent/sayurintent/internal/protocol/staking"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// node returns the objects that a test sets, and no stakes.
type node struct {
	owned   map[string][]sui.Object
	objects map[sui.ObjectID][]byte
}

func (n node) Validators(context.Context) (uint64, []sui.ActiveValidator, error) { return 7, nil, nil }

func (n node) Owned(_ context.Context, _ sui.Address, t string, _ []byte, _ int) ([]sui.Object, []byte, error) {
	return n.owned[t], nil, nil
}

func (n node) PresentContents(_ context.Context, ids []sui.ObjectID) (list []sui.Object, err error) {
	for _, id := range ids {
		if b, ok := n.objects[id]; ok {
			list = append(list, sui.Object{Ref: sui.ObjectRef{ID: id}, Contents: b})
		}
	}
	return list, nil
}

// u256 returns a number as contracts store it.
func u256(text string) []byte {
	n, _ := new(big.Int).SetString(text, 10)
	b := n.FillBytes(make([]byte, 32))
	slices.Reverse(b)
	return b
}

func u64(n uint64) []byte { return binary.LittleEndian.AppendUint64(nil, n) }

func text(s string) []byte { return append(binary.AppendUvarint(nil, uint64(len(s))), s...) }

const usdcText = "dba34672e30cb065b1f93e3ab55318768fd6fef66c15942c9f7cb846e2f900e7::usdc::USDC"

// TestLent reads a Suilend lending position whose key the account holds.
func TestLent(t *testing.T) {
	owner, key, position := sui.MustAddress("0xa11ce"), sui.MustAddress("0x7e1"), sui.MustAddress("0x7e2")
	want := []positions.Lent{
		{Protocol: "Suilend", Coin: sui.CoinType("0x" + usdcText), Supplied: "4", Receipts: true, Position: position},
		{Protocol: "Suilend",
			Coin:     sui.CoinType("0x0000000000000000000000000000000000000000000000000000000000000fed::gem::GEM"),
			Borrowed: "5000", Smallest: true, Position: position}}
	for name, c := range map[string]struct {
		edit   func(node)
		want   []positions.Lent
		unread []string
	}{
		"a position": {func(node) {}, want, nil},
		"no key":     {func(n node) { clear(n.owned) }, nil, nil},
		"a position that is new": {func(n node) { n.objects[position] = n.objects[position][:150] }, nil,
			[]string{"Suilend"}},
		"a position that is gone": {func(n node) { delete(n.objects, position) }, nil, []string{"Suilend"}},
	} {
		n := node{map[string][]sui.Object{market + "::lending_market::ObligationOwnerCap": {{Ref: sui.ObjectRef{ID: key},
			Type:     capOf,
			Contents: slices.Concat(key[:], position[:])}}},
			map[sui.ObjectID][]byte{position: slices.Concat(position[:], make([]byte, 32),
				[]byte{1}, text(usdcText), u64(7), u64(4_000_000), make([]byte, 32+8+32),
				[]byte{1}, text("0fed::gem::GEM"), u64(8), u256("5000000000000000000000"), make([]byte, 32+32+8),
				make([]byte, 8*32))}}
		c.edit(n)
		found, err := positions.NewReader(n, staking.NewReader(n, time.Now)).Of(t.Context(), owner)
		if diff := cmp.Diff(c.want, found.Lent); err != nil || diff != "" || !slices.Equal(found.Unread, c.unread) {
			t.Errorf("%s: unread %q, %v\n%s", name, found.Unread, err, diff)
		}
	}
}
