package proof

import (
	"cmp"
	"errors"
	"math/big"
	"slices"
	"strings"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// mostRead limits the number of object versions that are read to prove amounts.
const mostRead = 128

// Version identifies a version of an object in effects, before or after the transaction.
type Version struct {
	sui.ObjectRef
	Before bool
}

// holder returns the address that owns an object. It returns false for other kinds of owners.
func holder(o sui.Owner) (sui.Address, bool) {
	return o.Address, o.Kind == sui.OwnerAddress || o.Kind == sui.OwnerConsensusAddress
}

// Holdings lists the versions of objects that addresses held before and after the transaction. With
// their bytes, Amounts computes each address's gains and losses. It returns a Refusal if there is no
// such list.
func (o *Outcome) Holdings() ([]Version, error) {
	if o.Effects.First != nil {
		return nil, missing(10, "Effects of version 1 do not contain earlier holdings.")
	}
	var list []Version
	for _, c := range o.Effects.Changed {
		if c.Before != nil {
			if _, held := holder(c.Before.Owner); held {
				list = append(list, Version{sui.ObjectRef{ID: c.ID, Version: c.Before.Version, Digest: c.Before.Digest}, true})
			}
		}
		if c.After.Kind == sui.AfterObject {
			if _, held := holder(c.After.Owner); held {
				ref, _ := o.Effects.Ref(c.ID, false)
				list = append(list, Version{ref, false})
			}
		}
	}
	if len(list) > mostRead {
		return nil, missing(10, "The transaction changed %d objects that addresses hold; that is too many to add up.",
			len(list))
	}
	return list, nil
}

// Amounts computes how much of each coin each address gained or lost, from the bytes of every
// version in Holdings and the writes to address balances. All bytes are checked against their
// signed digests. The nonzero sums are returned in the order of address and coin.
func (o *Outcome) Amounts(bytes [][]byte) ([]sui.BalanceChange, error) {
	list, err := o.Holdings()
	if err != nil {
		return nil, err
	}
	if len(bytes) != len(list) {
		return nil, missing(10, "Not all changed objects were provided.")
	}
	sums := map[sui.BalanceChange]*big.Int{} // by owner and coin
	add := func(owner sui.Address, coin sui.CoinType, n uint64, takes bool) {
		key := sui.BalanceChange{Owner: owner, Coin: coin}
		if sums[key] == nil {
			sums[key] = new(big.Int)
		}
		v := new(big.Int).SetUint64(n)
		if takes {
			v.Neg(v)
		}
		sums[key].Add(sums[key], v)
	}
	for i, v := range list {
		if _, err := o.Object(v.ID, v.Before, bytes[i]); err != nil {
			return nil, err
		}
		coin, err := o.Coin(v.ID, v.Before, bytes[i])
		if errors.Is(err, sui.ErrNoCoin) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if owner, held := holder(coin.Owner); held {
			add(owner, coin.Coin, uint64(coin.Balance), v.Before)
		}
	}
	for _, c := range o.Effects.Changed {
		w := c.After.Accumulator
		if c.After.Kind != sui.AfterAccumulator || w == nil {
			continue
		}
		coin, is := balanceOf(w.Type)
		if !is || len(w.Values) != 1 {
			continue // not a coin balance
		}
		add(w.Address, coin, w.Values[0], w.Split)
	}
	return inOrder(sums)
}

// balanceOf returns the coin of a balance type.
func balanceOf(t sui.TypeTag) (sui.CoinType, bool) {
	s := t.Struct
	if t.Kind != sui.TypeStruct || s == nil || s.Address != sui.MustAddress("0x2") || s.Module != "balance" ||
		s.Name != "Balance" ||
		len(s.Params) != 1 {
		return "", false
	}
	return sui.CoinType(s.Params[0].String()), true
}

func inOrder(sums map[sui.BalanceChange]*big.Int) ([]sui.BalanceChange, error) {
	var out []sui.BalanceChange
	for key, sum := range sums {
		if sum.Sign() == 0 {
			continue
		}
		amount, err := sui.ParseDelta(sum.String())
		if err != nil {
			return nil, missing(10, "A sum of coins is larger than any possible supply.")
		}
		key.Amount = amount
		out = append(out, key)
	}
	slices.SortFunc(out, func(a, b sui.BalanceChange) int {
		return cmp.Or(slices.Compare(a.Owner[:], b.Owner[:]), strings.Compare(string(a.Coin), string(b.Coin)))
	})
	return out, nil
}
