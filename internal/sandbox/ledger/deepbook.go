package ledger

import (
	"math/bits"
	"slices"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/sandbox/bcs"
	"github.com/sayurintent/sayurintent/internal/sandbox/clob"
)

// Abort codes that the ledger raises itself. Those of the book are in package clob.
const (
	abortVersionDisabled = 11
	abortNonZero         = 0
)

// priceScale is the scale of raw prices: quote per base times this number.
const priceScale = 1_000_000_000

// Computation units, chosen so that a read costs the chain's minimum and a swap a few thousand units,
// as on mainnet. Book bytes are the inner pool object, the slices that a swap rewrites, and the account
// entry.
const (
	baseUnits     = 200
	commandUnits  = 60
	readUnits     = 150
	swapUnits     = 900
	fillUnits     = 90
	bookBytes     = 6200
	sliceBytes    = 1400
	accountGrowth = 190
)

// deepbookFunctions returns the supported functions of the DeepBook package: reads, swaps without a
// balance manager, and a manager owner's actions.
func deepbookFunctions() []Function {
	list := quoteFunctions()
	list = append(list, levelFunctions()...)
	list = append(list, paramFunctions()...)
	list = append(list, managerFunctions()...)
	list = append(list, tradingFunctions()...)
	list = append(list, capFunctions()...)
	for _, f := range []struct {
		name string
		in   []Param
	}{
		{"swap_exact_base_for_quote", []Param{coinBase}},
		{"swap_exact_quote_for_base", []Param{coinQuote}},
		{"swap_exact_quantity", []Param{coinBase, coinQuote}},
	} {
		params := slices.Concat([]Param{poolMut}, f.in, []Param{coinDeep, "u64", clockRef, Context})
		list = append(list,
			NewFunction("pool", f.name, 2, params, []Param{coinBase, coinQuote, coinDeep}, swap).from(1))
	}
	return list
}

// swap implements the swaps without a balance manager.
func swap(k *call) *Failure {
	given := k.given()
	base, quote, deep := given[coinBase], given[coinQuote], given[coinDeep]
	done, stopped := k.pool.SwapExact(base, quote, deep, k.U64(len(k.values)-2), k.NowMs())
	if stopped != nil {
		return k.aborted(stopped)
	}
	v := k.vault()
	v.Base += base - done.BaseOut
	v.Quote += quote - done.QuoteOut
	v.Deep += deep - done.DeepOut
	k.run.vaults[k.object.ID] = v
	k.traded(len(done.Fills))
	k.Give(k.types[0], done.BaseOut)
	k.Give(k.types[1], done.QuoteOut)
	k.Give(coins.DEEP, done.DeepOut)
	emitSwap(k, done, given)
	return nil
}

// given returns the amounts of the coins that the call takes, by parameter.
func (k *call) given() map[Param]uint64 {
	given := map[Param]uint64{}
	for n, p := range k.function.Params {
		if p == coinBase || p == coinQuote || p == coinDeep {
			given[p] = k.Amount(n)
		}
	}
	return given
}

// traded counts the computation and storage of an order with the given number of fills.
func (k *call) traded(fills int) {
	k.Traded(uint64(fills))
	k.run.book += bookBytes + sliceBytes*uint64(fills)
	k.run.grown += accountGrowth
}

// poolRead declares a read of a pool.
func poolRead(name string, since uint64, params, returns []Param, run func(*call) *Failure) Function {
	counted := func(k *call) *Failure {
		k.run.units += readUnits
		return run(k)
	}
	return NewFunction("pool", name, 2, append([]Param{poolRef}, params...), returns, counted).from(since)
}

// numeric returns numbers from a read, unless the book aborted.
func (k *call) numeric(stopped *clob.Abort, values ...uint64) *Failure {
	if stopped != nil {
		return k.aborted(stopped)
	}
	for _, n := range values {
		k.GiveU64(n)
	}
	return nil
}

// lists returns lists of numbers from a read, unless the book aborted.
func (k *call) lists(stopped *clob.Abort, values ...[]uint64) *Failure {
	if stopped != nil {
		return k.aborted(stopped)
	}
	for _, list := range values {
		k.value("vector<u64>", bcs.Bytes(nil).U64s(list))
	}
	return nil
}

// Vault is a pool's holdings: locked by orders, owed to makers, and fees.
type Vault struct{ Base, Quote, Deep uint64 }

// lockedIn returns the vault of a book without trades.
func lockedIn(p *clob.Pool) Vault {
	var v Vault
	for _, o := range p.Asks {
		v.Base += o.Remaining()
	}
	for _, o := range p.Bids {
		hi, lo := bits.Mul64(o.Remaining(), o.Price())
		quote, _ := bits.Div64(hi%priceScale, lo, priceScale)
		v.Quote += quote
	}
	return v
}

// vault returns the pool's vault after the commands so far.
func (k *call) vault() Vault {
	if v, changed := k.run.vaults[k.object.ID]; changed {
		return v
	}
	return k.object.Vault
}

// quoteFunctions returns the reads that quote an order.
func quoteFunctions() []Function {
	three := []Param{"u64", "u64", "u64"}
	one, two := []Param{"u64", clockRef}, []Param{"u64", "u64", clockRef}
	target := []Param{"u64", "bool", clockRef}
	list := []Function{
		poolRead("mid_price", 1, []Param{clockRef}, []Param{"u64"}, func(k *call) *Failure {
			mid, stopped := k.pool.MidPrice(k.NowMs())
			return k.numeric(stopped, mid)
		}),
		poolRead("get_base_quantity_in", 4, target, three, func(k *call) *Failure {
			a, b, c, stopped := k.pool.BaseQuantityIn(k.U64(1), k.Bool(2), k.NowMs())
			return k.numeric(stopped, a, b, c)
		}),
		poolRead("get_quote_quantity_in", 4, target, three, func(k *call) *Failure {
			a, b, c, stopped := k.pool.QuoteQuantityIn(k.U64(1), k.Bool(2), k.NowMs())
			return k.numeric(stopped, a, b, c)
		}),
	}
	for _, pay := range []bool{true, false} {
		suffix, since := "", uint64(1)
		if !pay {
			suffix, since = "_input_fee", 2
		}
		out := func(k *call, base, quote uint64) *Failure {
			a, b, c, stopped := k.pool.QuantityOut(base, quote, pay, k.NowMs())
			return k.numeric(stopped, a, b, c)
		}
		list = append(list,
			poolRead("get_quote_quantity_out"+suffix, since, one, three, func(k *call) *Failure {
				return out(k, k.U64(1), 0)
			}),
			poolRead("get_base_quantity_out"+suffix, since, one, three, func(k *call) *Failure {
				return out(k, 0, k.U64(1))
			}),
			poolRead("get_quantity_out"+suffix, since, two, three, func(k *call) *Failure {
				return out(k, k.U64(1), k.U64(2))
			}),
		)
	}
	return list
}

// levelFunctions returns the reads of price levels.
func levelFunctions() []Function {
	four := []Param{"vector<u64>", "vector<u64>", "vector<u64>", "vector<u64>"}
	return []Function{
		poolRead("get_level2_range", 1, []Param{"u64", "u64", "bool", clockRef}, four[:2],
			func(k *call) *Failure {
				prices, quantities, stopped := k.pool.Level2Range(k.U64(1), k.U64(2), k.Bool(3), k.NowMs())
				return k.lists(stopped, prices, quantities)
			}),
		poolRead("get_level2_ticks_from_mid", 1, []Param{"u64", clockRef}, four, func(k *call) *Failure {
			bidPrices, bids, askPrices, asks, stopped := k.pool.Level2TicksFromMid(k.U64(1), k.NowMs())
			return k.lists(stopped, bidPrices, bids, askPrices, asks)
		}),
	}
}

// deepPriceValue is the type of an order's DEEP price.
var deepPriceValue = Param(deepbook + "deep_price::OrderDeepPrice")

// paramFunctions returns the reads of a pool's fees, sizes, flags and vault.
func paramFunctions() []Function {
	three := []Param{"u64", "u64", "u64"}
	trade := func(k *call) *Failure {
		return k.numeric(nil, k.pool.TakerFee, k.pool.MakerFee, k.pool.StakeRequired)
	}
	flag := func(name string, value func(*clob.Pool) bool) Function {
		return poolRead(name, 1, nil, []Param{"bool"}, func(k *call) *Failure {
			return k.flag(value(k.pool))
		})
	}
	return []Function{
		poolRead("pool_trade_params", 1, nil, three, trade),
		poolRead("pool_trade_params_next", 2, nil, three, trade),
		poolRead("pool_book_params", 1, nil, three, func(k *call) *Failure {
			return k.numeric(nil, k.pool.Tick, k.pool.Lot, k.pool.Min)
		}),
		flag("whitelisted", func(p *clob.Pool) bool { return p.Whitelisted }),
		flag("stable_pool", func(p *clob.Pool) bool { return p.Stable }),
		flag("registered_pool", func(*clob.Pool) bool { return true }),
		poolRead("vault_balances", 1, nil, three, func(k *call) *Failure {
			v := k.vault()
			return k.numeric(nil, v.Base, v.Quote, v.Deep)
		}),
		poolRead("get_order_deep_price", 1, nil, []Param{deepPriceValue}, func(k *call) *Failure {
			price, stopped := k.pool.OrderDeepPrice()
			if stopped != nil {
				return k.aborted(stopped)
			}
			return k.value(deepPriceValue, deepPrice(price))
		}),
		poolRead("id", 4, nil, []Param{idValue}, func(k *call) *Failure {
			return k.value(idValue, k.pool.ID[:])
		}),
	}
}
