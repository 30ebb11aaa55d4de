package foreign

import (
	"github.com/sayurintent/sayurintent/internal/sandbox/ledger"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// fee is every pool's fee in millionths.
const fee = 2_500

// swapped returns what a SUI/USDC pool pays for an amount. toUSDC means that SUI is paid.
func swapped(v map[string]uint64, amount uint64, toUSDC bool) uint64 {
	amount -= portion(amount, fee, 1_000_000)
	if toUSDC {
		return less(v, portion(amount, v[price], unit))
	}
	return less(v, portion(amount, unit, v[price]))
}

// needed returns the minimum payment for which a pool pays an amount.
func needed(v map[string]uint64, amount uint64, toUSDC bool) uint64 {
	in := portion(amount, unit, v[price])
	if !toUSDC {
		in = portion(amount, v[price], unit)
	}
	in = portion(in, 1_000_000, 1_000_000-fee)
	for swapped(v, in, toUSDC) < amount {
		in += in/1_000_000 + 1
	}
	return in
}

const (
	cetusID    = "0x1eabed72c53feb3805120a081dc15963c204dc8d091542592abaf7a35689b2fb"
	integrate  = "0xae9c208cf58fd5ba36737c9ee5dcfa7f152d0fb5a5a99eebb7c881ebc2fe59e0"
	integrate0 = "0x996c4d9480708fb8b92aa7acf819fb0497b5ec8e65ba06601cae2fb6db3312c3"
)

// CetusPool is the pool of USDC, its first coin, and SUI.
var CetusPool = sui.MustAddress("0xb8d7d9e66a60c239e7a60110efcf8de6c705580ed924d0dde141f4a0e2c90105")

// cetus simulates the package that calls Cetus' pools.
func cetus() script {
	takes := []string{
		"&$P::config::GlobalConfig", "&mut $P::pool::Pool<$0,$1>", coin0, coin1, "bool", "u64", "u64", "u128",
		clock, ctx}
	return script{pkg: integrate, original: integrate0, version: 16,
		objects: []object{
			{id: "0xdaa46292632c3c4d8f31f23ea0f9b36a28ff3677e9684980e4438403a67a3d8f",
				typ:     cetusID + "::config::GlobalConfig",
				initial: 1574190},
			{id: CetusPool.String(), typ: cetusID + "::pool::Pool<" + usdcT + "," + suiT + ">", initial: 373623018,
				market: "CETUS_USDC_SUI", values: map[string]uint64{}},
			{id: "0x639b5e433da31739e800cd085f356e64cae222966d0f1b11bd9dc76b322ff58b",
				typ:     cetusID + "::partner::Partner",
				initial: 501},
		},
		functions: []ledger.Function{
			fn(cetusID, "router::swap", 2, []string{"&$P::config::GlobalConfig", "&mut $P::pool::Pool<$0,$1>", coin0,
				coin1,
				"bool", "bool", "u64", "u128", "bool", clock, ctx}, []string{coin0, coin1}, cetusRouter),
			fn(cetusID, "router::check_coin_threshold", 1, []string{"&" + coin0, "u64"}, nil,
				func(k *ledger.Call) *ledger.Failure {
					if k.Amount(0) < k.U64(1) {
						return k.Abort("router", "check_coin_threshold", 1)
					}
					return nil
				}),
			fn(cetusID, "pool_script_v2::swap_a2b", 2, takes, nil, cetusScript(true)).AsEntry(),
			fn(cetusID, "pool_script_v2::swap_b2a", 2, takes, nil, cetusScript(false)).AsEntry(),
		}}
}

// cetusTrade swaps. It returns the amounts of both coins afterward, and the amounts paid and
// received.
func cetusTrade(k *ledger.Call, aToB, byIn bool, amount uint64) (a, b, in, out uint64, f *ledger.Failure) {
	v := held(k, 1)
	if in, out = amount, amount; byIn {
		out = swapped(v, in, !aToB)
	} else {
		in = needed(v, out, !aToB)
	}
	a, b = k.Amount(2), k.Amount(3)
	paid, got := &a, &b
	if !aToB {
		paid, got = &b, &a
	}
	switch {
	case *paid < in:
		return 0, 0, 0, 0, overdrawn()
	case out == 0:
		return 0, 0, 0, 0, ledger.MoveAbort(sui.MustAddress(cetusID), "pool", "flash_swap_internal", 18)
	}
	k.Traded(1)
	*paid -= in
	*paid -= min(*paid, v[keep])
	*got += out
	return a, b, in, out, nil
}

func cetusRouter(k *ledger.Call) *ledger.Failure {
	a, b, _, _, f := cetusTrade(k, k.Bool(4), k.Bool(5), k.U64(6))
	if f == nil {
		k.Give(k.Types()[0], a)
		k.Give(k.Types()[1], b)
	}
	return f
}

func cetusScript(aToB bool) func(*ledger.Call) *ledger.Failure {
	return func(k *ledger.Call) *ledger.Failure {
		a, b, in, out, f := cetusTrade(k, aToB, k.Bool(4), k.U64(5))
		switch {
		case f != nil:
			return f
		case k.Bool(4) && out < k.U64(6), !k.Bool(4) && in > k.U64(6):
			return k.Abort("pool_script_v2", "swap", 1)
		}
		k.Send(k.Types()[0], a, k.Sender())
		k.Send(k.Types()[1], b, k.Sender())
		return nil
	}
}

const (
	momentumPkg = "0x70285592c97965e811e0c6f98dccc3a9c2b4ad854b3594faab9597ada267b860"
	momentumID  = "0xcf60a40f45d46fc1e828871a647c1e25a0915dec860d2662eb10fdb382c3c1d1"
	receiptType = momentumID + "::trade::FlashSwapReceipt"
)

// MomentumPool is the SUI/USDC pool. MadeUpPool is a pool with the same coins that recorded
// transactions name.
var (
	MomentumPool = sui.MustAddress("0x455cf8d2ac91e7cb883f515874af750ed3cd18195c970b7a2d46235ac2b0c388")
	MadeUpPool   = sui.MustAddress("0x5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c")
)

// debts are the amounts that repay a flash swap.
type debts struct{ x, y uint64 }

// momentum simulates Momentum, whose flash swaps pay out first. A receipt forces the transaction to
// pay for them.
func momentum() script {
	pool, receipt := "&mut $P::pool::Pool<$0,$1>", "$P::trade::FlashSwapReceipt"
	balances := []string{"0x2::balance::Balance<$0>", "0x2::balance::Balance<$1>"}
	return script{pkg: momentumPkg, original: momentumID, version: 2,
		objects: []object{
			{id: MadeUpPool.String(), typ: momentumID + "::pool::Pool<" + suiT + "," + usdcT + ">", initial: 511,
				market: "MOMENTUM_MADE_UP", values: map[string]uint64{}},
			{id: MomentumPool.String(), typ: momentumID + "::pool::Pool<" + suiT + "," + usdcT + ">", initial: 499761256,
				market: "MOMENTUM_SUI_USDC", values: map[string]uint64{}},
			{id: "0x2375a0b1ec12010aaea3b2545acfa2ad34cfbba03ce4b59f4c39e1e25eed1b2a",
				typ:     momentumID + "::version::Version",
				initial: 512},
		},
		functions: []ledger.Function{
			fn(momentumID, "trade::flash_swap", 2, []string{pool, "bool", "bool", "u64", "u128", clock,
				"&$P::version::Version", ctx}, append(balances, receipt), func(k *ledger.Call) *ledger.Failure {
				toY, amount, v := k.Bool(1), k.U64(3), held(k, 0)
				in, out := amount, amount
				if k.Bool(2) {
					out = swapped(v, in, toY)
				} else {
					in = needed(v, out, toY)
				}
				d, x, y := debts{x: in}, uint64(0), out
				if !toY {
					d, x, y = debts{y: in}, out, 0
				}
				k.Traded(1)
				k.GiveBalance(k.Types()[0], x)
				k.GiveBalance(k.Types()[1], y)
				k.GiveReceipt(receiptType, d, false)
				return nil
			}),
			fn(momentumID, "trade::swap_receipt_debts", 0, []string{"&" + receipt}, []string{"u64", "u64"},
				func(k *ledger.Call) *ledger.Failure {
					d := k.Receipt(0).(debts)
					k.GiveU64(d.x)
					k.GiveU64(d.y)
					return nil
				}),
			fn(momentumID, "trade::repay_flash_swap", 2, append(
				append([]string{pool, receipt}, balances...), "&$P::version::Version",
				ctx), nil, func(k *ledger.Call) *ledger.Failure {
				if d := k.Receipt(1).(debts); k.Amount(2) != d.x || k.Amount(3) != d.y {
					return k.Abort("trade", "repay_flash_swap", 9)
				}
				return nil
			}),
		}}
}

// slippage simulates the package that compares Momentum's price with a limit; the limit always
// holds.
func slippage() script {
	const id = "0x8add2f0f8bc9748687639d7eb59b2172ba09a0172d9e63c029e23a7dbdb6abe6"
	return script{pkg: id, original: id, version: 1, functions: []ledger.Function{
		fn(momentumID, "slippage_check::assert_slippage", 2, []string{"&$P::pool::Pool<$0,$1>", "u128", "bool"}, nil,
			func(*ledger.Call) *ledger.Failure { return nil }),
	}}
}
