package deepbook

import (
	"slices"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Label returns how DeepBook is identified in past transactions. Its Read function reports orders and
// fees from events.
func Label() sui.Label {
	l := registry.Label()
	l.Read = Report
	return l
}

// Report returns what the events of a past transaction report about its sender's orders and trading fees.
// A canceled order and the new one that replaces it count as one changed order. Contradictory events
// report nothing.
func Report(sender sui.Address, events []sui.Event) sui.Report {
	all, err := readActions(events, sender)
	if err != nil {
		return sui.Report{}
	}
	report := sui.Report{Fees: feesOf(all.orders)}
	own := all.withoutSwaps()
	placed, err := own.Orders()
	if err != nil {
		return sui.Report{}
	}
	canceled := own.Canceled
	for _, o := range placed {
		pool, ok := registry.PoolByID(o.Pool)
		if !ok {
			return sui.Report{Fees: report.Fees}
		}
		was := slices.IndexFunc(canceled, func(c CanceledOrder) bool {
			return c.Pool == o.Pool && c.Manager == o.Manager && c.ID.IsBid() == o.IsBid
		})
		verb := "placed"
		if was >= 0 {
			verb, canceled = "changed", slices.Delete(slices.Clone(canceled), was, was+1)
		}
		report.Actions = append(report.Actions, placedText(o, pool, verb))
	}
	for _, c := range canceled {
		report.Actions = append(report.Actions, "cancelled "+orderText(c.Pool, c.ID, c.Gone))
	}
	for _, m := range own.Modified {
		report.Actions = append(report.Actions, "changed "+orderText(m.Pool, m.ID, m.Quantity))
	}
	return report
}

// placedText describes a placed order, including how much of it traded.
func placedText(o PlacedOrder, pool registry.Pool, verb string) string {
	if o.Traded == 0 {
		return verb + " " + orderText(o.Pool, o.ID, o.Quantity)
	}
	traded := amount(o.Traded, pool.Base) + " for " + amount(o.TradedFor, pool.Quote)
	if o.Rests == 0 && verb == "placed" {
		side := "sold "
		if o.IsBid {
			side = "bought "
		}
		return side + traded + " with an order"
	}
	return verb + " " + orderText(o.Pool, o.ID, o.Quantity) + ", of which " + traded + " traded at once"
}

// orderText describes an order by its side, amount and price.
func orderText(id sui.ObjectID, number OrderID, quantity sui.Raw) string {
	side := "an order to sell "
	if number.IsBid() {
		side = "an order to buy "
	}
	pool, ok := registry.PoolByID(id)
	if !ok {
		return "an order in a pool that is not pinned"
	}
	return side + amount(quantity, pool.Base) + " at " + string(number.Price().Decimal(pool.PriceDecimals())) + " " +
		pool.Quote.Symbol + " per " + pool.Base.Symbol
}

func amount(raw sui.Raw, c coins.Coin) string {
	return string(raw.Decimal(c.Decimals)) + " " + c.Symbol
}

// SwapFee returns the fee of a transaction's swap in a pool, according to its events. It returns false
// if they report none, or several swaps in that pool.
func SwapFee(events []sui.Event, sender sui.Address, pool sui.ObjectID) (sui.MarketFee, bool) {
	all, err := readActions(events, sender)
	if err != nil {
		return sui.MarketFee{}, false
	}
	own := all.withoutSwaps()
	swaps := slices.DeleteFunc(slices.Clone(all.orders), func(o PlacedOrder) bool {
		return o.Pool != pool || slices.ContainsFunc(own.orders, func(p PlacedOrder) bool { return p.At == o.At })
	})
	fees := feesOf(swaps)
	if len(swaps) != 1 || len(fees) != 1 {
		return sui.MarketFee{}, false
	}
	return fees[0], true
}

// feesOf returns the fees of trades. It omits orders in pools that are not pinned.
func feesOf(orders []PlacedOrder) (fees []sui.MarketFee) {
	for _, o := range orders {
		pool, ok := registry.PoolByID(o.Pool)
		if !ok || o.Fee == 0 {
			continue
		}
		coin := pool.Base.Type
		if o.IsBid {
			coin = pool.Quote.Type
		}
		if o.FeeInDeep {
			coin = coins.DEEP
		}
		fees = append(fees, sui.MarketFee{Coin: coin, Amount: o.Fee})
	}
	return fees
}
