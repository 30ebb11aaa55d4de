// Package sandbox simulates native staking: the system state with its validators, the functions
// that stake and withdraw, and what the end of an epoch does.
package sandbox

import (
	"math/big"

	"github.com/sayurintent/sayurintent/internal/sandbox/bcs"
	"github.com/sayurintent/sayurintent/internal/sandbox/ledger"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// The system package and its shared object.
var (
	Package = sui.MustAddress("0x3")
	System  = sui.MustAddress("0x5")
)

const (
	systemMut = "&mut 0x3::sui_system::SuiSystemState"
	stakeType = "0x3::staking_pool::StakedSui"
	suiCoin   = "0x2::coin::Coin<0x2::sui::SUI>"
)

// Program returns the simulated staking protocol.
func Program() ledger.Program {
	f := func(module, name string, params, returns []ledger.Param, run func(*ledger.Call) *ledger.Failure,
	) ledger.Function {
		return ledger.NewFunction(module, name, 0, params, returns, run)
	}
	return ledger.Program{
		Package: Package, Original: Package, Version: 1, Genesis: genesis, Turn: turn, System: describe,
		Functions: []ledger.Function{
			f("sui_system", "request_add_stake", []ledger.Param{systemMut, suiCoin, "address", ledger.Context}, nil,
				give(add, true)).AsEntry(),
			f("sui_system", "request_add_stake_non_entry",
				[]ledger.Param{systemMut, suiCoin, "address", ledger.Context},
				[]ledger.Param{stakeType}, give(add, false)),
			f("sui_system", "request_add_stake_mul_coin", []ledger.Param{systemMut, "vector<" + suiCoin + ">",
				"0x1::option::Option<u64>", "address", ledger.Context}, nil, give(addCoins, true)).AsEntry(),
			f("sui_system", "request_withdraw_stake", []ledger.Param{systemMut, stakeType, ledger.Context}, nil,
				withdrawAndKeep).AsEntry(),
			f("sui_system", "request_withdraw_stake_non_entry", []ledger.Param{systemMut, stakeType, ledger.Context},
				[]ledger.Param{"0x2::balance::Balance<0x2::sui::SUI>"}, withdraw),
			f("staking_pool", "split", []ledger.Param{"&mut " + stakeType, "u64", ledger.Context},
				[]ledger.Param{stakeType}, give(split, false)),
			f("staking_pool", "split_staked_sui", []ledger.Param{"&mut " + stakeType, "u64", ledger.Context}, nil,
				give(split, true)).AsEntry(),
			f("staking_pool", "join_staked_sui", []ledger.Param{"&mut " + stakeType, stakeType}, nil, join).AsEntry(),
		},
	}
}

// Show gives an account two example stakes: one that has earned for weeks, and one that starts with the
// next epoch.
func Show(l *ledger.Ledger, owner sui.Address) {
	l.Edit("stakes", func(e *ledger.Edit) {
		Give(e, e.ID(0), owner, 1, e.Epoch-25, 120_000_000_000)
		Give(e, e.ID(1), owner, 3, e.Epoch+1, 30_000_000_000)
	})
}

// Give creates a stake with one of the validators. An active stake does not change the pool, whose
// totals are assumed to include it.
func Give(e *ledger.Edit, id sui.ObjectID, owner sui.Address, with int, activation, principal uint64) {
	s := e.State(innerID).(*state)
	v := s.validators[with]
	if activation > e.Epoch {
		v.request(principal)
		e.Put(innerID, System, s)
	}
	e.Place(ledger.Object{ID: id, Version: 1, Owner: sui.Owner{Kind: sui.OwnerAddress, Address: owner},
		Type: sui.MustTypeTag(stakeType), Transfers: true,
		Contents: bcs.Bytes(nil).Raw(id[:]).Raw(stake{v.pool.id, activation, principal}.encode())})
}

// genesis creates the system state. It does not use the price of SUI.
func genesis(l *ledger.Ledger, _ *big.Rat) error {
	s := newState()
	l.Place(ledger.Object{ID: System, Version: 1, Owner: ledger.Shared(1),
		Type:     sui.MustTypeTag("0x3::sui_system::SuiSystemState"),
		Contents: append(System[:], 2, 0, 0, 0, 0, 0, 0, 0)}, nil)
	l.Place(ledger.Object{ID: innerID, Version: 1, Owner: sui.Owner{Kind: sui.OwnerObject, Address: System},
		Type: sui.MustTypeTag("0x2::dynamic_field::Field<u64,0x3::sui_system_state_inner::SuiSystemStateInnerV2>")}, s)
	for _, v := range s.validators {
		for epoch := range v.pool.rates {
			l.Place(v.pool.rateField(epoch), nil)
		}
	}
	return nil
}
