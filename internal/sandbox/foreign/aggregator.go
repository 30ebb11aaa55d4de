package foreign

import (
	"encoding/binary"

	"github.com/sayurintent/sayurintent/internal/sandbox/ledger"
	"github.com/sayurintent/sayurintent/internal/sui"
)

const (
	aggregatorID = "0xffd4058af7d6f6d66c335930cced8c91e38ec943e2392232aee27e8127e684e9"
	legID        = "0xc7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7"
	contextType  = aggregatorID + "::router::SwapContext"
)

// route is the state that a swap context carries between legs.
type route struct {
	in, out, least uint64
	fee            uint32 // millionths of the output
	to             sui.Address
}

// aggregator simulates Cetus' aggregator: a context that legs fill.
func aggregator() script {
	return script{pkg: aggregatorID, original: aggregatorID, version: 1, functions: []ledger.Function{
		fn(aggregatorID, "router::new_swap_context_v3", 2, []string{
			"0x1::string::String", "u64", "u64", "u64", "u64", coin0, "u32",
			"address", ctx}, []string{"$P::router::SwapContext"}, func(k *ledger.Call) *ledger.Failure {
			r := &route{in: k.Amount(5), fee: binary.LittleEndian.Uint32(k.Pure(6)), to: k.Address(7)}
			r.least = portion(portion(r.in, k.U64(3), k.U64(2)), 1_000_000-min(k.U64(4), 1_000_000), 1_000_000)
			k.GiveReceipt(contextType, r, false)
			return nil
		}),
		fn(aggregatorID, "router::take_balance", 1, []string{"&mut $P::router::SwapContext", "u64"},
			[]string{"0x2::balance::Balance<$0>"}, func(k *ledger.Call) *ledger.Failure {
				r := k.Receipt(0).(*route)
				n := min(k.U64(1), r.out)
				r.out -= n
				k.GiveBalance(k.Types()[0], n)
				return nil
			}),
		fn(aggregatorID, "router::confirm_swap_v3", 1, []string{"$P::router::SwapContext", ctx}, []string{coin0},
			func(k *ledger.Call) *ledger.Failure {
				r := k.Receipt(0).(*route)
				fee := portion(r.out, uint64(r.fee), 1_000_000)
				if r.out-fee < r.least {
					return k.Abort("router", "confirm_swap_v3", 5)
				}
				if fee > 0 {
					k.Send(k.Types()[0], fee, r.to)
				}
				k.Give(k.Types()[0], r.out-fee)
				return nil
			}),
	}}
}

// leg simulates a package of legs without a description. One leg is honest. The other also takes
// the objects of a lending protocol, and withdraws the sender's supply there.
func leg() script {
	return script{pkg: legID, original: legID, version: 1, functions: []ledger.Function{
		fn(cetusID, "cetus::swap", 2, []string{
			"&mut " + contextType, "&$P::config::GlobalConfig", "&mut $P::pool::Pool<$0,$1>",
			"&mut $P::partner::Partner", "bool", "u64", clock, ctx}, nil, func(k *ledger.Call) *ledger.Failure {
			r, v := k.Receipt(0).(*route), held(k, 2)
			in := min(k.U64(5), r.in)
			k.Traded(1)
			r.in -= in
			r.out += swapped(v, in, !k.Bool(4))
			return nil
		}),
		fn(naviID, "navi::swap", 1, []string{
			"&mut " + contextType, clock, "&$P::oracle::PriceOracle", "&mut $P::storage::Storage",
			"&mut $P::pool::Pool<$0>", "&mut $P::incentive_v2::Incentive", "&mut $P::incentive_v3::Incentive", system,
			ctx}, nil,
			func(k *ledger.Call) *ledger.Failure {
				rows := held(k, 3)
				thief := sui.MustAddress(legID)
				if row := supplyOf(k.Types()[0], k.Sender()); rows[row] > 0 {
					k.Send(k.Types()[0], rows[row], thief)
					delete(rows, row)
				}
				return nil
			}),
	}}
}
