package positions

import (
	"bytes"
	"context"
	"encoding/binary"
	"math/big"
	"slices"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Lent is a coin's balance and debt in a lending position, as of the protocol's last update of the
// coin.
type Lent struct {
	Protocol string
	Coin     sui.CoinType
	// Supplied and Borrowed are in whole coins, "" for nothing. If Smallest is set, the coin's
	// decimals are unknown and they are in its smallest units.
	Supplied, Borrowed sui.Decimal
	Smallest           bool
	Receipts           bool         // Supplied is in receipts, which the protocol exchanges for coins at a rate
	Position           sui.ObjectID // the object with the position
}

// maxLent is the maximum number of coins on each side of a position.
const maxLent = 64

// reader reads BCS. Reading past the end returns zeros and sets bad.
type reader struct {
	b   []byte
	bad bool
}

func (r *reader) take(n int) []byte {
	if r.bad = r.bad || n < 0 || n > len(r.b); r.bad {
		return make([]byte, min(max(n, 0), 32))
	}
	out := r.b[:n]
	r.b = r.b[n:]
	return out
}

func (r *reader) count(most int) int {
	n, used := binary.Uvarint(r.b)
	if r.bad = r.bad || used <= 0 || n > uint64(most); r.bad {
		return 0
	}
	r.b = r.b[used:]
	return int(n)
}

func (r *reader) number(size int) *big.Int {
	little := bytes.Clone(r.take(size))
	slices.Reverse(little)
	return new(big.Int).SetBytes(little)
}

// coin reads the type of a coin, which protocols store without 0x.
func (r *reader) coin() sui.CoinType {
	text := string(r.take(r.count(1000)))
	t, err := sui.ParseCoinType("0x" + text)
	r.bad = r.bad || err != nil
	return t
}

// amount formats a number of smallest units. It returns "" for zero, and sets bad for a number over 64
// bits.
func (r *reader) amount(n *big.Int, decimals uint8) sui.Decimal {
	if r.bad = r.bad || !n.IsUint64(); r.bad || n.Sign() == 0 {
		return ""
	}
	return sui.Raw(n.Uint64()).Decimal(decimals)
}

// present reads objects by id.
func (r *Reader) present(ctx context.Context, ids ...sui.ObjectID) (map[sui.ObjectID][]byte, error) {
	objects, err := r.chain.PresentContents(ctx, ids)
	out := map[sui.ObjectID][]byte{}
	for _, o := range objects {
		out[o.Ref.ID] = o.Contents
	}
	return out, err
}

// suilendWad is the scale of Suilend's amounts of debt.
var suilendWad = new(big.Int).Exp(big.NewInt(10), big.NewInt(18), nil)

// obligation reads a Suilend lending position. It returns false if the position does not exist or has
// an unknown form.
func (r *Reader) obligation(ctx context.Context, id sui.ObjectID) ([]Lent, bool, error) {
	found, err := r.present(ctx, id)
	if err != nil || found[id] == nil {
		return nil, false, err
	}
	b := &reader{b: found[id]}
	b.take(32 + 32) // id, market
	var list []Lent
	for range b.count(maxLent) {
		one, decimals := suilendCoin(b, id)
		one.Supplied, one.Receipts = b.amount(b.number(8), decimals), true
		b.take(32 + 8 + 32) // value, reward, borrowed against it
		list = append(list, one)
	}
	for range b.count(maxLent) {
		one, decimals := suilendCoin(b, id)
		n := b.number(32)
		one.Borrowed = b.amount(n.Quo(n, suilendWad), decimals)
		b.take(32 + 32 + 8) // rate, value, reward
		list = append(list, one)
	}
	if b.bad || len(b.b) < 32 { // totals of the position follow
		return nil, false, nil
	}
	return list, true, nil
}

// Owes reports whether an account has debts in those of a protocol's lending positions whose keys it
// holds. known is false if not all of them could be read.
func (r *Reader) Owes(ctx context.Context, owner sui.Address, protocol string) (owes, known bool, err error) {
	var found Found
	for _, kind := range objects {
		if kind.Kind != LendingCap || kind.Protocol != protocol {
			continue
		}
		list, more, err := r.list(ctx, owner, kind)
		if err != nil {
			return false, false, err
		}
		found.Positions, found.More = append(found.Positions, list...), found.More || more
	}
	if err := r.open(ctx, &found); err != nil {
		return false, false, err
	}
	for _, l := range found.Lent {
		owes = owes || l.Borrowed != ""
	}
	return owes, !found.More && len(found.Unread) == 0, nil
}

// suilendCoin reads the coin of an entry, and skips its number in the market.
func suilendCoin(b *reader, position sui.ObjectID) (Lent, uint8) {
	one := Lent{Protocol: "Suilend", Coin: b.coin(), Position: position}
	b.take(8)
	c, known := coins.ByType(one.Coin)
	one.Smallest = !known
	return one, c.Decimals
}
