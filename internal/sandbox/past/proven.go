package past

import (
	"math/big"
	"slices"
	"strings"

	"github.com/sayurintent/sayurintent/internal/sandbox/ledger"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// proven returns the balance changes if bytes and effects determine all of them. Otherwise it
// returns false. The payer's change is the gas, plus amounts split off the gas coin if nothing else
// was done with it. A failed transaction changes nothing else. A successful one changes nothing
// else if its commands only transfer the split coins, or if only the paying coins changed among
// objects that somebody holds: a balance is the sum of held coins. of contains known object types.
func (p *Transaction) proven(of map[sui.ObjectID]string) ([]ledger.BalanceChange, bool) {
	b := balances{p.Tx.Gas.Owner: big.NewInt(-p.Effects.Gas.Net())}
	if p.Effects.Failure == nil {
		plain, ok := p.splits(b)
		if !ok || !plain && p.holdingsMoved(of) {
			return nil, false
		}
	}
	var list []ledger.BalanceChange
	for a, n := range b {
		if n.Sign() != 0 {
			list = append(list, ledger.BalanceChange{Owner: a, Coin: sui.SUI, Amount: n})
		}
	}
	slices.SortFunc(list, func(a, b ledger.BalanceChange) int { return slices.Compare(a.Owner[:], b.Owner[:]) })
	return list, true
}

// balances maps addresses to changes of their SUI.
type balances map[sui.Address]*big.Int

// move moves an amount between addresses; nothing changes if they are equal.
func (b balances) move(from, to sui.Address, amount uint64) {
	n := new(big.Int).SetUint64(amount)
	for a, change := range map[sui.Address]*big.Int{from: new(big.Int).Neg(n), to: n} {
		if from == to {
			return
		}
		if b[a] == nil {
			b[a] = new(big.Int)
		}
		b[a].Add(b[a], change)
	}
}

// splits traces the use of the gas coin. plain means that the commands only split amounts off it,
// once, and transfer everything they touch; b then contains the recipients. Otherwise b contains
// the taken amounts. ok is false if the effects do not show how the gas coin was used.
func (p *Transaction) splits(b balances) (plain, ok bool) {
	payer := p.Tx.Gas.Owner
	split := map[sui.Argument]uint64{}
	var taken []uint64
	plain = true
	for i, c := range p.Tx.Commands {
		switch c := c.(type) {
		case sui.SplitCoins:
			if c.Coin != sui.GasCoin {
				plain = false
				break
			}
			plain = plain && len(taken) == 0
			for n, a := range c.Amounts {
				amount, known := p.pure(a).U64()
				if !known {
					return false, false
				}
				taken = append(taken, amount)
				split[sui.NestedArg(i, n)] = amount
				if len(c.Amounts) == 1 {
					split[sui.ResultArg(i)] = amount
				}
			}
		case sui.TransferObjects:
			to, known := p.pure(c.Recipient).Address()
			for _, o := range c.Objects {
				if o == sui.GasCoin {
					return false, false
				}
				amount, made := split[o]
				if plain = plain && known && made; plain {
					b.move(payer, to, amount)
				}
			}
		default:
			if slices.Contains(arguments(c), sui.GasCoin) {
				return false, false
			}
			plain = false
		}
	}
	if !plain { // changed objects show where it went, if anywhere
		clear(b)
		b[payer] = big.NewInt(-p.Effects.Gas.Net())
		for _, amount := range taken {
			b[payer].Sub(b[payer], new(big.Int).SetUint64(amount))
		}
	}
	return plain, true
}

// arguments returns all arguments of a command.
func arguments(c sui.Command) []sui.Argument {
	switch c := c.(type) {
	case sui.MoveCall:
		return c.Arguments
	case sui.MergeCoins:
		return append([]sui.Argument{c.Into}, c.Sources...)
	case sui.MakeMoveVec:
		return c.Elements
	case sui.Upgrade:
		return []sui.Argument{c.Ticket}
	}
	return nil
}

// holdingsMoved reports whether a coin held by an address or an object may have changed, other than
// those that paid for gas.
func (p *Transaction) holdingsMoved(of map[sui.ObjectID]string) bool {
	var paid []sui.ObjectID
	for _, ref := range p.Tx.Gas.Payment {
		paid = append(paid, ref.ID)
	}
	top, children := p.roots()
	return slices.ContainsFunc(p.Effects.Changes, func(c ObjectChange) bool {
		switch typ := of[c.ID]; {
		case slices.Contains(paid, c.ID):
			return false
		case typ != "":
			return strings.Contains(typ, "::coin::Coin<")
		case c.Before && c.was.Kind == sui.OwnerUnknown:
			return true
		}
		for _, o := range []sui.Owner{c.was, c.Owner} {
			switch o.Kind {
			case sui.OwnerAddress, sui.OwnerConsensusAddress:
				return true
			case sui.OwnerObject:
				if !top[o.Address] && children[o.Address] < 2 {
					return true
				}
			}
		}
		return false
	})
}

// roots returns the objects that are not fields of others, and the number of objects that each
// other object is known to hold. An object held by another is a field and not a coin, unless its
// holder is a field that holds only this object.
func (p *Transaction) roots() (top map[sui.ObjectID]bool, children map[sui.ObjectID]int) {
	top, children = map[sui.ObjectID]bool{}, map[sui.ObjectID]int{}
	for _, in := range p.Tx.Inputs {
		switch in := in.(type) {
		case sui.SharedInput:
			top[in.ID] = true
		case sui.OwnedInput:
			top[in.Ref.ID] = true
		}
	}
	for _, c := range p.Effects.Changes {
		seen := sui.Address{}
		for _, o := range []sui.Owner{c.was, c.Owner} {
			switch {
			case o.Kind == sui.OwnerObject && o.Address != seen:
				seen = o.Address
				children[o.Address]++
			case o.Kind != sui.OwnerObject && o.Kind != sui.OwnerUnknown:
				top[c.ID] = true
			}
		}
	}
	return top, children
}

// pure returns the value of an argument, empty if it is not pure.
func (p *Transaction) pure(a sui.Argument) sui.PureInput {
	if a.Kind != sui.ArgInput || int(a.Index) >= len(p.Tx.Inputs) {
		return sui.PureInput{}
	}
	in, _ := p.Tx.Inputs[a.Index].(sui.PureInput)
	return in
}
