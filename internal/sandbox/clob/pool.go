// Package clob implements the arithmetic of DeepBook's order book, exact to the last raw unit: quotes,
// depth and swaps as the Move code computes them.
//
// It holds books in memory. It does no I/O, checks no signatures and has no transactions. Raw prices
// are quote units per base unit times 10^9. All quantities are raw units, and times are Unix
// milliseconds.
package clob

import (
	"slices"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// MaxPrice and MinPrice are the limits of valid prices.
const (
	MinPrice uint64 = 1
	MaxPrice uint64 = 1<<63 - 1
)

// maxVisits is the maximum number of orders visited in one walk of the book, including expired
// ones.
const maxVisits = 100

// feePenalty is the factor for a fee that is taken from the input coin.
const feePenalty uint64 = 1_250_000_000

// Pool is an order book with its parameters. Bids and Asks are in price-time order, which Sort
// restores. Only SwapExact, Place, Cancel, Shrink, Settle, Rest and Renamed change a pool. They are not
// safe for concurrent use.
type Pool struct {
	Key                  string
	ID                   sui.ObjectID
	Base, Quote          coins.Coin
	InitialSharedVersion uint64
	Tick, Lot, Min       uint64
	TakerFee, MakerFee   uint64 // parts of 10^9
	StakeRequired        uint64 // DEEP raw
	Whitelisted, Stable  bool
	DeepPrice            *DeepPrice // nil if the pool has no price points
	Bids, Asks           []Order
	Accounts             map[sui.ObjectID]Account // of balance managers
}

// DeepPrice is a pool's price of DEEP: raw DEEP per raw unit of one of its coins, times 10^9. If
// PerAsset is 0, no fee can be paid in DEEP.
type DeepPrice struct {
	AssetIsBase bool
	PerAsset    uint64
}

// Order is one resting order. It is live while now <= Expire.
type Order struct {
	ID               OrderID
	Quantity, Filled uint64
	Expire           uint64
}

// Price returns the raw price of the order.
func (o Order) Price() uint64 { return o.ID.Price() }

// IsBid reports whether the order buys.
func (o Order) IsBid() bool { return o.ID.IsBid() }

// Remaining returns the base quantity that is still open.
func (o Order) Remaining() uint64 { return o.Quantity - o.Filled }

// Live reports whether the order can still be filled at the given time.
func (o Order) Live(nowMs uint64) bool { return nowMs <= o.Expire }

// Abort is the location of an abort in the Move code, by module and code. Arithmetic means an overflow,
// which Move reports without a code; Code is then 0.
type Abort struct {
	Module     string
	Code       uint64
	Arithmetic bool
}

func abort(module string, code uint64) *Abort { return &Abort{Module: module, Code: code} }

// Aborts of quotes and swaps, with the codes of DeepBook's package 8.
func abortQuantityIn() *Abort  { return abort("pool", 6) }
func abortMinimumOut() *Abort  { return abort("pool", 12) }
func abortAmountIn() *Abort    { return abort("book", 1) }
func abortEmptyBook() *Abort   { return abort("book", 2) }
func abortPriceRange() *Abort  { return abort("book", 3) }
func abortTicks() *Abort       { return abort("book", 4) }
func abortNoDeepPrice() *Abort { return abort("deep_price", 2) }
func abortBalance() *Abort     { return abort("balance_manager", 3) }

// Clone returns an independent copy.
func (p *Pool) Clone() *Pool {
	c := *p
	if p.DeepPrice != nil {
		price := *p.DeepPrice
		c.DeepPrice = &price
	}
	c.Bids, c.Asks = slices.Clone(p.Bids), slices.Clone(p.Asks)
	c.Accounts = p.cloneAccounts()
	return &c
}

// Sort puts both sides into price-time order.
func (p *Pool) Sort() {
	slices.SortFunc(p.Bids, func(a, b Order) int { return b.ID.Compare(a.ID) })
	slices.SortFunc(p.Asks, func(a, b Order) int { return a.ID.Compare(b.ID) })
}

// OrderDeepPrice returns the current price for charging a fee in DEEP, which is zero for a whitelisted
// pool. A pool without price points aborts.
func (p *Pool) OrderDeepPrice() (DeepPrice, *Abort) {
	if p.Whitelisted {
		return DeepPrice{}, nil
	}
	if p.DeepPrice == nil {
		return DeepPrice{}, abortNoDeepPrice()
	}
	return *p.DeepPrice, nil
}

// ownSide returns the bids or the asks, best first.
func (p *Pool) ownSide(isBid bool) *[]Order {
	if isBid {
		return &p.Bids
	}
	return &p.Asks
}

// side returns the resting orders that a taker trades with, best first.
func (p *Pool) side(takerIsBid bool) []Order { return *p.ownSide(!takerIsBid) }

// MidPrice returns the mid price of the best live ask and bid, rounded down. It aborts if a side
// has no live order.
func (p *Pool) MidPrice(nowMs uint64) (uint64, *Abort) {
	ask, bid := best(p.Asks, nowMs), best(p.Bids, nowMs)
	if ask == 0 || bid == 0 {
		return 0, abortEmptyBook()
	}
	var c checked
	mid := c.mul(c.add(ask, bid), scaling/2)
	return mid, c.abort()
}

func best(side []Order, nowMs uint64) uint64 {
	for _, o := range side {
		if o.Live(nowMs) {
			return o.Price()
		}
	}
	return 0
}
