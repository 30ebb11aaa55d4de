package tools

import (
	"context"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// maxHoldings is the maximum number of balance managers that are read in all pools.
const maxHoldings = 5

// heldCoin is an amount of one coin.
type heldCoin struct {
	Symbol string      `json:"symbol" description:"symbol of a pinned coin"`
	Amount sui.Decimal `json:"amount" description:"whole coins"`
}

// heldInPool holds a balance manager's holdings in one pool.
type heldInPool struct {
	Pool    string      `json:"poolKey" description:"pinned pool"`
	Locked  []heldCoin  `json:"locked,omitempty" description:"locked in open orders, including settled amounts"`
	Settled []heldCoin  `json:"settled,omitempty" description:"earned or refunded but not withdrawn; locked includes it"`
	Count   int         `json:"openOrderCount" description:"open orders in this pool"`
	Orders  []openOrder `json:"openOrders,omitempty" description:"best price first, bids before asks"`
}

// managerHoldings holds a balance manager's free balance and its holdings in each pool.
type managerHoldings struct {
	Manager sui.ObjectID `json:"managerAddress" description:"address of the manager"`
	Free    []heldCoin   `json:"free" description:"not locked in any order; a pinned coin that is missing is 0"`
	Pools   []heldInPool `json:"pools" description:"pinned pools with an open order or something settled"`
}

// notRead lists what an answer about all pools does not cover.
type notRead struct {
	Managers []sui.ObjectID `json:"managerAddresses,omitempty" description:"to read one, give it as managerAddress"`
	Orders   int            `json:"openOrders,omitempty" description:"number of unlisted open orders; pass a poolKey to list more"`
	Never    []string       `json:"never" description:"data that this tool does not read"`
}

// hold reads the holdings of one balance manager or, if asked is zero, of the account's own, in all
// pools.
func (o *inventoryOut) hold(ctx context.Context, inv inventory, found deepbook.Discovery, asked sui.ObjectID) error {
	var ids []sui.ObjectID
	for _, m := range found.Managers {
		if m.ID == asked || asked.IsZero() && m.Own() {
			ids = append(ids, m.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	o.NotRead = &notRead{Never: []string{"coins_that_are_not_pinned", "pools_that_are_not_pinned",
		"stakes_and_rebates"}}
	if asked.IsZero() {
		o.NotRead.Never = append(o.NotRead.Never, "managers_of_others_that_the_account_has_a_cap_of")
	}
	room := mostOpenOrders
	for n, id := range ids {
		if n == maxHoldings {
			o.NotRead.Managers = ids[n:]
			break
		}
		one, owns, err := o.holdings(ctx, inv, id, &room)
		switch {
		case err != nil:
			return err
		case !asked.IsZero():
			o.Owned = &owns
		case !owns:
			continue // transferred to another owner
		}
		o.Holdings = append(o.Holdings, one)
	}
	return nil
}

// holdings reads one balance manager, and reports whether the account owns it. room is the number
// of orders that the answer can still list.
func (o *inventoryOut) holdings(ctx context.Context, inv inventory, id sui.ObjectID,
	room *int) (managerHoldings, bool, error) {
	out := managerHoldings{Manager: id, Free: []heldCoin{}, Pools: []heldInPool{}}
	h, err := inv.Holder(ctx, id)
	if err != nil {
		return out, false, err
	}
	pinned := coins.All()
	types := make([]sui.CoinType, len(pinned))
	for n, c := range pinned {
		types[n] = c.Type
	}
	free, err := inv.BalancesAfter(ctx, nil, h, types)
	if err != nil {
		return out, false, err
	}
	for n, c := range pinned {
		out.Free = held(out.Free, c.Symbol, free[n], c.Decimals)
	}
	accounts, _, err := inv.Accounts(ctx, id)
	for _, a := range accounts {
		one := heldInPool{Pool: a.Pool.Key, Locked: heldIn(a.Locked, a.Pool), Settled: heldIn(a.Settled, a.Pool),
			Count: len(a.Orders)}
		listed := min(*room, one.Count)
		for _, order := range a.Orders[:listed] {
			one.Orders = append(one.Orders, openOrderOf(order, a.Pool, a.At))
		}
		*room, o.NotRead.Orders = *room-listed, o.NotRead.Orders+one.Count-listed
		if one.Count > 0 || len(one.Locked)+len(one.Settled) > 0 {
			out.Pools = append(out.Pools, one)
		}
	}
	return out, h.Owner == o.Scope.Account, err
}

// held appends an amount to list unless it is zero.
func held(list []heldCoin, symbol string, raw sui.Raw, decimals uint8) []heldCoin {
	if raw == 0 {
		return list
	}
	return append(list, heldCoin{symbol, raw.Decimal(decimals)})
}

// heldIn returns amounts of a pool's coins and of DEEP, without zeros.
func heldIn(a deepbook.Amounts, p registry.Pool) []heldCoin {
	list := held(nil, p.Base.Symbol, a.Base, p.Base.Decimals)
	list = held(list, p.Quote.Symbol, a.Quote, p.Quote.Decimals)
	return held(list, "DEEP", a.Deep, deepDecimals)
}
