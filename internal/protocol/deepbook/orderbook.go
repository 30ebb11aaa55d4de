package deepbook

import (
	"context"
	"encoding/binary"
	"math/big"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// MostLevels is the maximum number of price levels on each side in one read of a book.
const MostLevels = 50

// levelRead reads the best price levels of both sides. count limits the number of levels, not the
// distance in ticks.
var levelRead = read{function: "get_level2_ticks_from_mid", amount: true, clock: true}

// bestRead reads the best level of both sides, in a transaction whose other reads take an amount.
var bestRead = read{function: levelRead.function, count: 1, clock: true}

// Level is a price with the total open quantity of live orders at that price. Quantity is raw base.
type Level struct {
	Price    sui.Raw
	Quantity sui.Raw
}

// Book is the top of a pool's order book, best level first on each side, with the mid price and the
// parameters of the same state of the chain. Function is the function that returned the levels.
type Book struct {
	Source
	Mid        sui.Raw
	Parameters Parameters
	Bids, Asks []Level
	Function   string // module::name
}

// Depth is the sum of several levels in exact display amounts: base coins, and their value in quote
// coins at the levels' prices, before fees.
type Depth struct {
	Base  sui.Decimal
	Quote sui.Decimal
}

// OrderBook reads the best levels of both sides, the mid price and the parameters of a pool in one
// simulated transaction. It returns fault.QuoteUnavailable for a pool with an empty side or a price of
// zero, as MidPrice does. It returns fault.InputInvalid if levels is not from 1 to MostLevels, and
// fault.ProviderMismatch for an impossible book.
func (r *Reader) OrderBook(ctx context.Context, poolKey string, levels int) (Book, error) {
	return r.book(ctx, nil, poolKey, levels, false)
}

// Depth is like OrderBook but accepts a book with an empty side; Mid is then 0. A price of zero is
// fault.ProviderMismatch.
func (r *Reader) Depth(ctx context.Context, poolKey string, levels int) (Book, error) {
	return r.book(ctx, nil, poolKey, levels, true)
}

// DepthAfter is like Depth, after a transaction of an account, ignoring its gas. The transaction may be
// nil.
func (r *Reader) DepthAfter(ctx context.Context, after *sui.Transaction, poolKey string, levels int) (Book, error) {
	return r.book(ctx, after, poolKey, levels, true)
}

func (r *Reader) book(ctx context.Context, after *sui.Transaction, poolKey string, levels int, partly bool) (Book,
	error) {
	pool, err := registry.FindPool(poolKey)
	if err != nil {
		return Book{}, err
	}
	if levels < 1 || levels > MostLevels {
		return Book{}, fault.New(fault.InputInvalid, "The number of levels must be from 1 to %d.", MostLevels)
	}
	reads := append([]read{levelRead}, parameterReads[:]...)
	mid := len(reads)
	a, err := r.askAfter(ctx, after, pool, sui.Raw(levels), append(reads, midPrice)...)
	if partly && abortedAt(err, emptyBook, mid+Request{After: after}.ahead()) {
		a, err = r.askAfter(ctx, after, pool, sui.Raw(levels), reads...)
		mid = -1
	}
	if err != nil {
		return Book{}, err
	}
	if !partly && a.price(mid, 0) == 0 && a.err == nil {
		return Book{}, fault.New(fault.QuoteUnavailable, "The pool %s has a price of zero.", pool.Key)
	}
	parameters := a.parameters(1)
	b := a.book(0, mid, levels)
	if b.Parameters = parameters; a.err != nil {
		return Book{}, a.err
	}
	return b, nil
}

// book decodes the levels and the mid price, which different commands returned, and checks that they
// are consistent. mid is negative if the pool has no mid price because a side is empty.
func (a *answer) book(levels, mid, most int) Book {
	b := Book{Source: a.source, Function: levelRead.name(), Bids: a.levels(levels, 0, most), Asks: a.levels(levels, 2,
		most)}
	if mid >= 0 {
		b.Mid = a.price(mid, 0)
		if a.err == nil && b.Mid == 0 {
			a.err = a.source.impossible("its mid price is zero")
		}
	}
	if a.err == nil {
		a.err = b.check(mid >= 0)
	}
	return b
}

// check reports whether the parts of a book are consistent, as they must be in one state of the chain.
func (b Book) check(priced bool) error {
	wrong := func(what string) error {
		return fault.New(fault.ProviderMismatch, "The order book of the pool %s is impossible: %s.", b.Pool.Key, what)
	}
	if priced && (len(b.Bids) == 0 || len(b.Asks) == 0) {
		return wrong("it has a mid price and an empty side")
	}
	for i, l := range b.Bids {
		if l.Price == 0 || l.Quantity == 0 || i > 0 && l.Price >= b.Bids[i-1].Price {
			return wrong("its bids are not in order, or one of them is empty")
		}
	}
	for i, l := range b.Asks {
		if l.Price == 0 || l.Quantity == 0 || i > 0 && l.Price <= b.Asks[i-1].Price {
			return wrong("its asks are not in order, or one of them is empty")
		}
	}
	switch bid, ask := bestOf(b.Bids), bestOf(b.Asks); {
	case bid > 0 && ask > 0 && bid >= ask:
		return wrong("its best bid is not below its best ask")
	//mutant:never ./internal/protocol/deepbook TestSnapshotOfOneState
	case priced && (b.Mid < bid || b.Mid > ask):
		return wrong("its mid price is not between its best bid and ask")
	}
	return nil
}

// bestOf returns the best price of a side, or 0 if it is empty.
func bestOf(side []Level) sui.Raw {
	if len(side) == 0 {
		return 0
	}
	return side[0].Price
}

// Spread returns the raw difference between the best ask and the best bid.
func (b Book) Spread() sui.Raw { return b.Asks[0].Price - b.Bids[0].Price }

// Sum returns the total of levels of the book.
func (b Book) Sum(levels []Level) Depth {
	base, quote := new(big.Int), new(big.Int)
	for _, l := range levels {
		quantity := new(big.Int).SetUint64(uint64(l.Quantity))
		base.Add(base, quantity)
		quote.Add(quote, quantity.Mul(quantity, new(big.Int).SetUint64(uint64(l.Price))))
	}
	decimals := b.Pool.Base.Decimals
	return Depth{shifted(base, decimals), shifted(quote, decimals+b.Pool.PriceDecimals())}
}

// shifted divides a whole number by a power of ten, exactly.
func shifted(n *big.Int, places uint8) sui.Decimal {
	unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(places)), nil)
	text := new(big.Rat).SetFrac(n, unit).FloatString(int(places))
	if places > 0 {
		text = trimZeros(text)
	}
	return sui.Decimal(text)
}

// trimZeros removes trailing zeros after the decimal point, and a trailing point.
func trimZeros(text string) string {
	end := len(text)
	for end > 0 && text[end-1] == '0' {
		end--
	}
	if end > 0 && text[end-1] == '.' {
		end--
	}
	return text[:end]
}

// levels reads a list of prices and the list of quantities after it.
func (a *answer) levels(command, number, most int) []Level {
	prices, quantities := a.list(command, number, most), a.list(command, number+1, most)
	if a.err == nil && len(prices) != len(quantities) {
		a.err = a.misshapen()
	}
	if a.err != nil {
		return nil
	}
	levels := make([]Level, len(prices))
	for i := range levels {
		levels[i] = Level{prices[i], quantities[i]}
		if prices[i] > mostPrice {
			a.err = a.source.impossible("a price is above the maximum")
			return nil
		}
	}
	return levels
}

// list reads a vector of at most most numbers. most is below 128, so the length is encoded in one byte.
func (a *answer) list(command, number, most int) []sui.Raw {
	if a.err != nil {
		return nil
	}
	if command >= len(a.returns) || number >= len(a.returns[command]) {
		a.err = a.misshapen()
		return nil
	}
	b := a.returns[command][number].BCS
	if len(b) == 0 || int(b[0]) > most || len(b) != 1+8*int(b[0]) {
		a.err = a.misshapen()
		return nil
	}
	values := make([]sui.Raw, b[0])
	for i := range values {
		values[i] = sui.Raw(binary.LittleEndian.Uint64(b[1+8*i:]))
	}
	return values
}

func (a *answer) misshapen() error {
	return fault.New(fault.ProviderMismatch,
		"The Sui node's simulation of the pool %s returned values of an unexpected shape.", a.source.Pool.Key)
}
