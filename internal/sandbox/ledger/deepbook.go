package ledger

import (
	"math/bits"

	"github.com/sayurintent/sayurintent/internal/sandbox/bcs"
	"github.com/sayurintent/sayurintent/internal/sandbox/clob"
)

// Abort codes of packages that the sandbox itself raises. Those of the book are in package clob.
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
		in   []Parameter
	}{
		{"swap_exact_base_for_quote", []Parameter{coinBase}},
		{"swap_exact_quote_for_base", []Parameter{coinQuote}},
		{"swap_exact_quantity", []Parameter{coinBase, coinQuote}},
	} {
		params := append([]Parameter{poolMut}, f.in...)
		list = append(list, Function{
			module: "pool", Name: f.name, TypeParams: 2, since: 1,
			Params:  append(params, coinDeep, u64Value, clockRef),
			Returns: []Parameter{coinBase, coinQuote, coinDeep}, run: swap(f.in),
		})
	}
	return list
}

// swap returns the implementation of a swap. in lists its coins before the DEEP coin.
func swap(in []Parameter) func(*call) *Failure {
	return func(k *call) *Failure {
		var base, quote uint64
		for i, p := range in {
			if p == coinBase {
				base = k.coins[i].balance
			} else {
				quote = k.coins[i].balance
			}
		}
		deep := k.coins[len(in)].balance
		done, stopped := k.pool.SwapExact(base, quote, deep, k.numbers[0], k.nowMs())
		if stopped != nil {
			return k.aborted(stopped)
		}
		v := k.vault()
		v.Base += base - done.BaseOut
		v.Quote += quote - done.QuoteOut
		v.Deep += deep - done.DeepOut
		k.run.vaults[k.object.ID] = v
		k.run.units += swapUnits + fillUnits*uint64(len(done.Fills))
		k.run.book += bookBytes + sliceBytes*uint64(len(done.Fills))
		k.run.grown += accountGrowth
		k.coin(k.types[0], done.BaseOut)
		k.coin(k.types[1], done.QuoteOut)
		k.coin(k.coinType(coinDeep), done.DeepOut)
		emitSwap(k, done)
		return nil
	}
}

// poolRead declares a read of a pool.
func poolRead(name string, since uint64, params, returns []Parameter, run func(*call) *Failure) Function {
	counted := func(k *call) *Failure {
		k.run.units += readUnits
		return run(k)
	}
	return Function{
		module: "pool", Name: name, TypeParams: 2, since: since,
		Params: append([]Parameter{poolRef}, params...), Returns: returns, run: counted,
	}
}

// numeric returns numbers from a read, unless the book aborted.
func (k *call) numeric(stopped *clob.Abort, values ...uint64) *Failure {
	if stopped != nil {
		return k.aborted(stopped)
	}
	for _, n := range values {
		k.value(u64Value, bcs.Bytes(nil).U64(n))
	}
	return nil
}

// lists returns lists of numbers from a read, unless the book aborted.
func (k *call) lists(stopped *clob.Abort, values ...[]uint64) *Failure {
	if stopped != nil {
		return k.aborted(stopped)
	}
	for _, list := range values {
		k.value(u64List, bcs.Bytes(nil).U64s(list))
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
	three := []Parameter{u64Value, u64Value, u64Value}
	one, two := []Parameter{u64Value, clockRef}, []Parameter{u64Value, u64Value, clockRef}
	target := []Parameter{u64Value, boolValue, clockRef}
	list := []Function{
		poolRead("mid_price", 1, []Parameter{clockRef}, []Parameter{u64Value}, func(k *call) *Failure {
			mid, stopped := k.pool.MidPrice(k.nowMs())
			return k.numeric(stopped, mid)
		}),
		poolRead("get_base_quantity_in", 4, target, three, func(k *call) *Failure {
			a, b, c, stopped := k.pool.BaseQuantityIn(k.numbers[0], k.flags[0], k.nowMs())
			return k.numeric(stopped, a, b, c)
		}),
		poolRead("get_quote_quantity_in", 4, target, three, func(k *call) *Failure {
			a, b, c, stopped := k.pool.QuoteQuantityIn(k.numbers[0], k.flags[0], k.nowMs())
			return k.numeric(stopped, a, b, c)
		}),
	}
	for _, pay := range []bool{true, false} {
		suffix, since := "", uint64(1)
		if !pay {
			suffix, since = "_input_fee", 2
		}
		out := func(k *call, base, quote uint64) *Failure {
			a, b, c, stopped := k.pool.QuantityOut(base, quote, pay, k.nowMs())
			return k.numeric(stopped, a, b, c)
		}
		list = append(list,
			poolRead("get_quote_quantity_out"+suffix, since, one, three, func(k *call) *Failure {
				return out(k, k.numbers[0],
					0)
			}),
			poolRead("get_base_quantity_out"+suffix, since, one, three, func(k *call) *Failure {
				return out(k, 0,
					k.numbers[0])
			}),
			poolRead("get_quantity_out"+suffix, since, two, three, func(k *call) *Failure {
				return out(k, k.numbers[0],
					k.numbers[1])
			}),
		)
	}
	return list
}

// levelFunctions returns the reads of price levels.
func levelFunctions() []Function {
	four := []Parameter{u64List, u64List, u64List, u64List}
	return []Function{
		poolRead("get_level2_range", 1, []Parameter{u64Value, u64Value, boolValue, clockRef}, four[:2],
			func(k *call) *Failure {
				prices, quantities, stopped := k.pool.Level2Range(k.numbers[0], k.numbers[1], k.flags[0], k.nowMs())
				return k.lists(stopped, prices, quantities)
			}),
		poolRead("get_level2_ticks_from_mid", 1, []Parameter{u64Value, clockRef}, four, func(k *call) *Failure {
			bidPrices, bids, askPrices, asks, stopped := k.pool.Level2TicksFromMid(k.numbers[0], k.nowMs())
			return k.lists(stopped, bidPrices, bids, askPrices, asks)
		}),
	}
}

// paramFunctions returns the reads of a pool's fees, sizes, flags and vault.
func paramFunctions() []Function {
	three := []Parameter{u64Value, u64Value, u64Value}
	trade := func(k *call) *Failure {
		return k.numeric(nil, k.pool.TakerFee, k.pool.MakerFee, k.pool.StakeRequired)
	}
	flag := func(name string, value func(*clob.Pool) bool) Function {
		return poolRead(name, 1, nil, []Parameter{boolValue}, func(k *call) *Failure {
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
		poolRead("get_order_deep_price", 1, nil, []Parameter{deepPriceValue}, func(k *call) *Failure {
			price, stopped := k.pool.OrderDeepPrice()
			if stopped != nil {
				return k.aborted(stopped)
			}
			return k.value(deepPriceValue, deepPrice(price))
		}),
		poolRead("id", 4, nil, []Parameter{idValue}, func(k *call) *Failure {
			return k.value(idValue, k.pool.ID[:])
		}),
	}
}
