package foreign

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/sayurintent/sayurintent/internal/sandbox/bcs"
	"github.com/sayurintent/sayurintent/internal/sandbox/ledger"
	"github.com/sayurintent/sayurintent/internal/sui"
)

const (
	suilendPkg = "0x3d4353f3bd3565329655e6b77bc2abfd31e558b86662ebd078ae453d416bc10f"
	suilendID  = "0xf95b06141ed4a174f239417323bde3f209b972f5930d8521ea38a52aff3a6ddf"
	mainPool   = suilendID + "::suilend::MAIN_POOL"
	capType    = suilendID + "::lending_market::ObligationOwnerCap<" + mainPool + ">"
)

// Market is Suilend's main market, with the exchange rates of receipt tokens and all obligations.
var Market = sui.MustAddress("0x84030d26d85eaa7035084a057f2f11f701b7e2e4eda87551becbc7c97505ece1")

// CToken returns the type of a coin's receipt token.
func CToken(coin sui.CoinType) sui.CoinType {
	return sui.CoinType(suilendID + "::reserve::CToken<" + mainPool + "," + string(coin) + ">")
}

// Keys of reserves in the market.
const (
	reserve     = "reserve " // followed by the coin
	usdcReserve = 7
)

// MoveReserve moves a coin's reserve to another index of the market.
func MoveReserve(l *ledger.Ledger, coin sui.CoinType, to uint64) bool {
	return edit(l, Market, func(of map[string]uint64) { of[reserve+string(coin)] = to })
}

// request is a requested withdrawal, with the amount that it pays when it is fulfilled.
type request struct{ amount uint64 }

// suilend simulates Suilend, which exchanges a coin for receipt tokens. A cap can lock them in an
// obligation.
func suilend() script {
	market, capRef := "&mut $P::lending_market::LendingMarket<$0>", "&$P::lending_market::ObligationOwnerCap<$0>"
	token := "0x2::coin::Coin<$P::reserve::CToken<$0,$1>>"
	req := "$P::lending_market::LiquidityRequest<$0,$1>"
	nothing := func(*ledger.Call) *ledger.Failure { return nil }
	return script{pkg: suilendPkg, original: suilendID, version: 20,
		objects: []object{{id: Market.String(),
			typ: suilendID + "::lending_market::LendingMarket<" + mainPool + ">", initial: 504,
			values: map[string]uint64{price: 1_060_000_000_000, reserve + string(sui.SUI): 0, reserve + usdcT: usdcReserve}}},
		functions: []ledger.Function{
			fn(suilendID, "lending_market::deposit_liquidity_and_mint_ctokens", 2,
				[]string{market, "u64", clock, coin1, ctx},
				[]string{token}, mintTokens),
			fn(suilendID, "lending_market::create_obligation", 1, []string{market, ctx},
				[]string{"$P::lending_market::ObligationOwnerCap<$0>"}, func(k *ledger.Call) *ledger.Failure {
					id := k.NewID()
					k.GiveObject(capType, bcs.Bytes(nil).Raw(id[:]))
					return nil
				}),
			fn(suilendID, "lending_market::deposit_ctokens_into_obligation", 2,
				[]string{market, "u64", capRef, clock, token, ctx},
				nil, func(k *ledger.Call) *ledger.Failure {
					held(k, 0)[lockedBy(k, 2)] += k.Amount(4)
					return nil
				}),
			fn(suilendID, "lending_market::withdraw_ctokens", 2, []string{market, "u64", capRef, clock, "u64", ctx},
				[]string{token}, withdrawTokens),
			fn(suilendID, "lending_market::redeem_ctokens_and_withdraw_liquidity_request", 2, []string{
				market, "u64", clock, token,
				"0x1::option::Option<$P::lending_market::RateLimiterExemption<$0,$1>>", ctx}, []string{req},
				redeemTokens),
			fn(suilendID, "lending_market::fulfill_liquidity_request", 2, []string{market, "u64", req, ctx},
				[]string{coin1},
				func(k *ledger.Call) *ledger.Failure {
					k.Give(k.Types()[1], k.Receipt(2).(request).amount)
					return nil
				}),
			fn(suilendID, "lending_market::unstake_sui_from_staker", 1, []string{market, "u64",
				"&$P::lending_market::LiquidityRequest<$0," + suiT + ">", system, ctx}, nil, nothing),
			fn(suilendID, "lending_market::rebalance_staker", 1, []string{market, "u64", system, ctx}, nil, nothing),
		}}
}

// mintTokens exchanges a coin for receipt tokens.
func mintTokens(k *ledger.Call) *ledger.Failure {
	v := held(k, 0)
	if k.U64(1) != v[reserve+string(k.Types()[1])] {
		return k.Abort("lending_market", "deposit_liquidity_and_mint_ctokens", 3)
	}
	out := less(v, portion(k.Amount(3), unit, v[price]))
	if out == 0 {
		return k.Abort("lending_market", "deposit_liquidity_and_mint_ctokens", 2)
	}
	k.Give(CToken(k.Types()[1]), out)
	return nil
}

// redeemTokens exchanges receipt tokens for a request, which pays their value when it is fulfilled.
func redeemTokens(k *ledger.Call) *ledger.Failure {
	v := held(k, 0)
	if k.U64(1) != v[reserve+string(k.Types()[1])] {
		return k.Abort("lending_market", "redeem_ctokens_and_withdraw_liquidity_request", 3)
	}
	k.GiveReceipt(ledger.Param(suilendID+"::lending_market::LiquidityRequest<$0,$1>").In(k.Types()),
		request{less(v, portion(k.Amount(3), v[price], unit))}, false)
	return nil
}

// lockedBy returns the key for a coin in the obligation of a cap argument.
func lockedBy(k *ledger.Call, n int) string {
	return "locked " + string(k.Types()[1]) + " " + sui.Address(k.Contents(n)[32:64]).String()
}

// withdrawTokens takes receipt tokens from an obligation. The largest number takes all.
func withdrawTokens(k *ledger.Call) *ledger.Failure {
	rows, row, n := held(k, 0), lockedBy(k, 2), k.U64(4)
	if n == ^uint64(0) {
		n = rows[row]
	}
	if n == 0 || n > rows[row] {
		return k.Broken("obligation", "withdraw")
	}
	rows[row] -= n
	k.Give(CToken(k.Types()[1]), n)
	return nil
}

// Lock puts receipt tokens into a cap's obligation.
func Lock(l *ledger.Ledger, obligation sui.ObjectID, coin sui.CoinType, amount uint64) bool {
	return edit(l, Market, func(of map[string]uint64) {
		of["locked "+string(coin)+" "+obligation.String()] += amount
	})
}

// Position gives an account the cap of a new lending position with a supply of a coin and a debt in
// it. If coin is empty, the position has an unknown form.
func Position(l *ledger.Ledger, who sui.Address, coin sui.CoinType, supplied, owed uint64) {
	l.Edit(fmt.Sprintf("position %s %d %d", coin, supplied, owed), func(e *ledger.Edit) {
		key, position := e.ID(0), e.ID(1)
		e.Place(ledger.Object{ID: key, Version: 1, Owner: sui.Owner{Kind: sui.OwnerAddress, Address: who},
			Type: sui.MustTypeTag(capType), Contents: bcs.Bytes(nil).Raw(key[:]).Raw(position[:])})
		typ := suilendID + "::obligation::Obligation<" + mainPool + ">"
		e.Place(ledger.Object{ID: position, Version: 1, Owner: ledger.Shared(1), Type: sui.MustTypeTag(typ),
			Contents: obligation(position, coin, supplied, owed)})
	})
}

// obligation encodes the contents of a position.
func obligation(id sui.ObjectID, coin sui.CoinType, supplied, owed uint64) bcs.Bytes {
	b := bcs.Bytes(nil).Raw(id[:]).Raw(make([]byte, 32))
	if coin == "" {
		return b
	}
	name := strings.TrimPrefix(string(coin), "0x")
	if supplied == 0 {
		b = b.Uleb(0)
	} else {
		b = b.Uleb(1).Text(name).U64(0).U64(supplied).Raw(make([]byte, 32+8+32))
	}
	if owed == 0 {
		b = b.Uleb(0)
	} else {
		// debts are stored in units of 10^-18
		n := new(big.Int).Mul(new(big.Int).SetUint64(owed), big.NewInt(1_000_000_000_000_000_000))
		little := n.FillBytes(make([]byte, 32))
		slices.Reverse(little)
		b = b.Uleb(1).Text(name).U64(0).Raw(little).Raw(make([]byte, 32+32+8))
	}
	return b.Raw(make([]byte, 8*32))
}

const (
	naviPkg = "0x1e4a13a0494d5facdbe8473e74127b838c2d446ecec0ce262e2eddafa77259cb"
	naviID  = "0xd899cf7d2b5db716bd2cf55599fb0d5ee38a3061e7b6bb6eebf73fa5bc4c81ca"
)

// Storage is NAVI's table of supplies by address.
var Storage = sui.MustAddress("0xbb4e2f4b6205c2e2a2db47aeb4f830796ec7c005f88537ee775986639bc442fe")

// supplyOf returns the key of an address's row.
func supplyOf(coin sui.CoinType, who sui.Address) string {
	return "supply " + string(coin) + " " + who.String()
}

// Supply sets the supply of an address.
func Supply(l *ledger.Ledger, who sui.Address, coin sui.CoinType, amount uint64) bool {
	return edit(l, Storage, func(of map[string]uint64) { of[supplyOf(coin, who)] = amount })
}

// Borrow sets the debt of an address.
func Borrow(l *ledger.Ledger, who sui.Address, coin sui.CoinType, amount uint64) bool {
	return edit(l, Storage, func(of map[string]uint64) { of["loan "+string(coin)+" "+who.String()] = amount })
}

// navi simulates NAVI, which stores supplies in a table by sender.
func navi() script {
	storage, pool := "&mut $P::storage::Storage", "&mut $P::pool::Pool<$0>"
	two, three := "&mut $P::incentive_v2::Incentive", "&mut $P::incentive_v3::Incentive"
	out := []string{clock, "&$P::oracle::PriceOracle", storage, pool, "u8", "u64", two, three, system, ctx}
	return script{pkg: naviPkg, original: naviID, version: 24,
		objects: []object{
			{id: Storage.String(), typ: naviID + "::storage::Storage", initial: 505, values: map[string]uint64{}},
			{id: "0x1568865ed9a0b5ec414220e8f79b3d04c77acc82358f6e5ae4635687392ffbef",
				typ:     naviID + "::oracle::PriceOracle",
				initial: 506},
			{id: "0xf87a8acb8b81d14307894d12595541a73f19933f88e1326d5be349c7a6f7559c",
				typ:     naviID + "::incentive_v2::Incentive",
				initial: 507},
			{id: "0x62982dad27fb10bb314b3384d5de8d2ac2d72ab2dbeae5d801dbdb9efa816c80",
				typ:     naviID + "::incentive_v3::Incentive",
				initial: 508},
			{id: "0x96df0fce3c471489f4debaaa762cf960b3d97820bd1f3f025ff8190730e958c5",
				typ:     naviID + "::pool::Pool<" + suiT + ">",
				initial: 509},
			{id: "0xa3582097b4c57630046c0c49a88bfc6b202a3ec0a9db5597c31765f7563755a8",
				typ:     naviID + "::pool::Pool<" + usdcT + ">",
				initial: 510},
		},
		functions: []ledger.Function{
			fn(naviID, "incentive_v3::entry_deposit", 1, []string{
				clock, storage, pool, "u8", coin0, "u64", two, three, ctx}, nil,
				naviDeposit).AsEntry(),
			fn(naviID, "incentive_v3::withdraw_v2", 1, out, []string{"0x2::balance::Balance<$0>"},
				func(k *ledger.Call) *ledger.Failure {
					n, f := naviPays(k)
					if f == nil {
						k.GiveBalance(k.Types()[0], n)
					}
					return f
				}),
			fn(naviID, "incentive_v3::entry_withdraw_v2", 1, out, nil, func(k *ledger.Call) *ledger.Failure {
				n, f := naviPays(k)
				if f == nil {
					k.Send(k.Types()[0], n, k.Sender())
				}
				return f
			}).AsEntry(),
			fn(naviID, "storage::get_user_assets", 0, []string{"&$P::storage::Storage", "address"},
				[]string{"vector<u8>", "vector<u8>"}, naviAssets),
			fn(naviID, "pool::refresh_stake", 0, []string{"&mut $P::pool::Pool<" + suiT + ">", system, ctx}, nil,
				func(*ledger.Call) *ledger.Failure { return nil }),
		}}
}

// naviDeposit adds a part of a coin to the sender's supply and returns the rest.
func naviDeposit(k *ledger.Call) *ledger.Failure {
	if k.Amount(4) < k.U64(5) {
		return overdrawn()
	}
	held(k, 1)[supplyOf(k.Types()[0], k.Sender())] += k.U64(5)
	if rest := k.Amount(4) - k.U64(5); rest > 0 {
		k.Send(k.Types()[0], rest, k.Sender())
	}
	return nil
}

// naviAssets lists the numbers of the assets that an address supplied and of those that it owes.
func naviAssets(k *ledger.Call) *ledger.Failure {
	rows, who := held(k, 0), k.Address(1).String()
	for _, row := range []string{"supply ", "loan "} {
		var assets []byte
		for i, coin := range []string{suiT, usdcT} {
			if rows[row+sui.MustTypeTag(coin).String()+" "+who] > 0 {
				assets = append(assets, byte(10*i))
			}
		}
		k.GivePure("vector<u8>", bcs.Bytes(nil).Uleb(len(assets)).Raw(assets))
	}
	return nil
}

// naviPays returns the smaller of the requested amount and the sender's supply.
func naviPays(k *ledger.Call) (uint64, *ledger.Failure) {
	rows, row := held(k, 2), supplyOf(k.Types()[0], k.Sender())
	if rows[row] == 0 {
		return 0, k.Abort("validation", "validate_withdraw", 1601)
	}
	n := min(k.U64(5), rows[row])
	rows[row] -= n
	return less(rows, n), nil
}
