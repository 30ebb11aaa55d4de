package ledger

import (
	"encoding/binary"
	"math/big"
	"slices"
	"strings"
	"unicode/utf8"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// Param is a parameter or result of a function: a Move type with $0 and $1 for type parameters, and
// with & or &mut for references.
type Param string

// Context is the parameter that the chain supplies; it has no argument.
const Context Param = "&mut 0x2::tx_context::TxContext"

// Writes reports whether a function changes the object.
func (p Param) Writes() bool {
	_, reference := p.body()
	return !reference || strings.HasPrefix(string(p), "&mut ")
}

// body returns the type without the reference, and whether it is a reference.
func (p Param) body() (typ string, reference bool) {
	if t, ok := strings.CutPrefix(string(p), "&mut "); ok {
		return t, true
	}
	return strings.CutPrefix(string(p), "&")
}

// In returns the canonical type after substituting the type arguments of a call.
func (p Param) In(types []sui.CoinType) string {
	text, _ := p.body()
	for i, t := range types {
		text = strings.ReplaceAll(text, "$"+string(rune('0'+i)), string(t))
	}
	return sui.MustTypeTag(text).String()
}

// value is a result that is neither coin, balance nor object: a receipt that must be used, or may
// be dropped if drop is set.
type value struct {
	data any
	drop bool
	gone bool
}

// move returns the slot's Move type, "" for an input without one.
func (s *slot) move() string {
	switch {
	case s.coin != nil:
		return sui.MustTypeTag(s.coin.typ.Object()).String()
	case s.fund != nil:
		return s.fund.move()
	case s.thing != nil:
		return s.thing.typ.String()
	case s.shared != nil:
		return s.shared.Type.String()
	}
	return s.typ
}

// spent reports whether the value was used up.
func (s *slot) spent() bool {
	switch {
	case s.coin != nil:
		return s.coin.gone || s.coin.sent
	case s.fund != nil:
		return s.fund.gone
	case s.thing != nil:
		return s.thing.gone || s.thing.sent
	case s.fresh != nil:
		return s.fresh.shared
	}
	return s.value != nil && s.value.gone
}

// take uses the value up.
func (s *slot) take() {
	switch {
	case s.coin != nil:
		s.coin.gone = true
	case s.fund != nil:
		s.fund.gone = true
	case s.thing != nil:
		s.thing.gone = true
	case s.value != nil:
		s.value.gone = true
	}
}

// argument reads an argument as the declared type.
func (k *call) argument(p Param, a sui.Argument, i int) *Failure {
	s, f := k.run.find(a, i)
	if f != nil {
		return f
	}
	typ := p.In(k.types)
	_, reference := p.body()
	switch {
	case a.Kind == sui.ArgGasCoin && !reference:
		return badArgument(i, pb.CommandArgumentError_INVALID_GAS_COIN_USAGE)
	case s.pure != nil && s.typ == "":
		if rest, ok := cutPure(sui.MustTypeTag(typ), s.pure); !ok || len(rest) > 0 {
			return badArgument(i, pb.CommandArgumentError_INVALID_BCS_BYTES)
		}
	case s.spent(), s.shared != nil && k.run.ended[s.shared.ID]:
		return badArgument(i, pb.CommandArgumentError_INVALID_VALUE_USAGE)
	case s.move() != typ, s.shared != nil && !reference && s.shared.allowance == nil:
		return badArgument(i, pb.CommandArgumentError_TYPE_MISMATCH)
	case s.shared != nil && !s.write && !reference:
		return badArgument(i, pb.CommandArgumentError_INVALID_OBJECT_BY_VALUE)
	case s.shared != nil && !s.write && p.Writes():
		return badArgument(i, pb.CommandArgumentError_INVALID_OBJECT_BY_MUT_REF)
	}
	if !reference {
		s.take()
	}
	k.values = append(k.values, s)
	k.name(s, p.Writes())
	return nil
}

// name records the pool or balance manager in an argument. Functions that write change a copy of
// the pool, which later commands in the transaction see.
func (k *call) name(s *slot, write bool) {
	switch {
	case s.fresh != nil:
		k.manager = &Object{ID: s.fresh.id, manager: &s.fresh.manager}
	case s.shared == nil:
	case s.shared.manager != nil:
		k.manager = s.shared
	case s.shared.Book != nil:
		k.object, k.pool = s.shared, k.run.pools[s.shared.ID]
		if k.pool == nil {
			k.pool = s.shared.Book
			if write {
				k.pool = k.pool.Clone()
				k.run.pools[s.shared.ID] = k.pool
			}
		}
	}
}

// pureSizes are the sizes of fixed-length types in BCS.
var pureSizes = map[sui.TypeKind]int{sui.TypeBool: 1, sui.TypeU8: 1, sui.TypeU16: 2, sui.TypeU32: 4, sui.TypeU64: 8,
	sui.TypeU128: 16, sui.TypeU256: 32, sui.TypeAddress: 32}

// cutPure reads one value of a type that is allowed as pure input. It returns false if the bytes do
// not match or the type is not allowed.
func cutPure(t sui.TypeTag, b []byte) (rest []byte, ok bool) {
	if size, fixed := pureSizes[t.Kind]; fixed {
		if len(b) < size || t.Kind == sui.TypeBool && b[0] > 1 {
			return nil, false
		}
		return b[size:], true
	}
	if s := t.Struct; s != nil && s.String() == frameworkID.String()+"::object::ID" {
		return cutPure(sui.TypeTag{Kind: sui.TypeAddress}, b)
	}
	count, used := binary.Uvarint(b)
	if used <= 0 {
		return nil, false
	}
	b = b[used:]
	switch {
	case t.Kind == sui.TypeVector:
		return cutEach(*t.Elem, count, b)
	case t.Struct == nil || t.Struct.Address != libraryID:
		return nil, false
	case t.Struct.Name == "Option" && len(t.Struct.Params) == 1 && count <= 1:
		inner := t.Struct.Params[0]
		if inner.Struct != nil && inner.Struct.Address != libraryID {
			return nil, false
		}
		return cutEach(inner, count, b)
	case t.Struct.Name == "String" && count <= uint64(len(b)):
		return b[count:], utf8.Valid(b[:count])
	}
	return nil, false
}

func cutEach(t sui.TypeTag, count uint64, b []byte) (rest []byte, ok bool) {
	for ok = true; ok && count > 0; count-- {
		b, ok = cutPure(t, b)
	}
	return b, ok
}

// The methods below read the nth argument, whose type was checked.

// U8 returns a u8.
func (k *call) U8(n int) byte { return k.values[n].pure[0] }

// U64 returns a u64.
func (k *call) U64(n int) uint64 { return binary.LittleEndian.Uint64(k.values[n].pure) }

// Wide returns a u128 or a u256.
func (k *call) Wide(n int) *big.Int { return wide(k.values[n].pure) }

// wide returns the number that little-endian bytes encode.
func wide(b []byte) *big.Int {
	b = slices.Clone(b)
	slices.Reverse(b)
	return new(big.Int).SetBytes(b)
}

// afterLength returns the bytes of a String or vector without its length.
func afterLength(b []byte) []byte {
	_, used := binary.Uvarint(b)
	return b[used:]
}

// optionalU64 returns the number of an Option<u64>, or nil.
func optionalU64(b []byte) *uint64 {
	if b[0] == 0 {
		return nil
	}
	return new(binary.LittleEndian.Uint64(b[1:]))
}

// Bool returns a bool.
func (k *call) Bool(n int) bool { return k.values[n].pure[0] == 1 }

// Address returns an address.
func (k *call) Address(n int) sui.Address { return sui.Address(k.values[n].pure) }

// Pure returns the bytes of any pure value.
func (k *call) Pure(n int) []byte { return k.values[n].pure }

// Amount returns the balance of a coin or Balance.
func (k *call) Amount(n int) uint64 {
	if f := k.values[n].fund; f != nil {
		return f.amount
	}
	return k.values[n].coin.balance
}

// Amounts returns the balances of the coins in a vector.
func (k *call) Amounts(n int) (list []uint64) {
	for _, s := range k.values[n].value.data.([]*slot) {
		list = append(list, s.coin.balance)
	}
	return list
}

// SetAmount sets the balance of a coin or Balance behind a reference.
func (k *call) SetAmount(n int, amount uint64) {
	if f := k.values[n].fund; f != nil {
		f.amount = amount
		return
	}
	k.values[n].coin.balance = amount
}

// Receipt returns the data that a function put into a value with GiveReceipt.
func (k *call) Receipt(n int) any { return k.values[n].value.data }

// Contents returns the BCS of an owned object.
func (k *call) Contents(n int) []byte { return k.values[n].thing.contents }

// SetContents sets the contents of an owned object behind a reference.
func (k *call) SetContents(n int, b []byte) { k.values[n].thing.contents = b }

// Shared returns the id of a shared object.
func (k *call) Shared(n int) sui.ObjectID { return k.values[n].shared.ID }

// makeVector makes a vector of coins or of other objects.
func (r *run) makeVector(c sui.MakeMoveVec) ([]*slot, *Failure) {
	var list []*slot
	typ := ""
	if c.Type != nil {
		typ = c.Type.String()
	}
	for i, a := range c.Elements {
		s, f := r.find(a, i)
		switch {
		case f != nil:
			return nil, f
		case a.Kind == sui.ArgGasCoin:
			return nil, badArgument(i, pb.CommandArgumentError_INVALID_GAS_COIN_USAGE)
		case s.coin == nil && s.thing == nil, typ != "" && s.move() != typ:
			return nil, badArgument(i, pb.CommandArgumentError_TYPE_MISMATCH)
		case s.spent():
			return nil, badArgument(i, pb.CommandArgumentError_INVALID_VALUE_USAGE)
		}
		typ = s.move()
		s.take()
		list = append(list, s)
	}
	return []*slot{{typ: "vector<" + typ + ">", value: &value{data: list}}}, nil
}
