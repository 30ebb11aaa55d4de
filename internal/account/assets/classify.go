package assets

import (
	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Spendability is the form in which an account holds a balance. A review can spend coin objects and
// the address balance: it withdraws from the latter what coins do not cover. Only gas requires a
// coin object.
type Spendability string

// Forms of a balance.
const (
	Spendable          Spendability = "spendable"
	PartlySpendable    Spendability = "spendable_in_part"
	AddressBalanceOnly Spendability = "address_balance_only"
	ZeroBalance        Spendability = "zero_balance"
)

// Role is a known use of a coin.
type Role string

// Known uses of coins.
const (
	GasCandidate       Role = "gas_candidate"
	DeepbookRegistered Role = "deepbook_registered"
	DeepbookFeeAsset   Role = "deepbook_fee_asset"
	SettlementMember   Role = "usd_settlement_group_member"
)

// Spendability returns the form in which the balance is held.
func (h Holding) Spendability() Spendability {
	switch b := h.Balance; {
	case b.Total == 0:
		return ZeroBalance
	case b.Coins == 0:
		return AddressBalanceOnly
	case b.Address > 0:
		return PartlySpendable
	}
	return Spendable
}

// Roles lists the known uses of the coin.
func (h Holding) Roles() []Role {
	roles := []Role{}
	if h.Balance.Type == sui.SUI && h.Balance.Coins > 0 {
		roles = append(roles, GasCandidate)
	}
	if h.Pinned == nil {
		return roles
	}
	roles = append(roles, DeepbookRegistered)
	if h.Balance.Type == coins.DEEP {
		roles = append(roles, DeepbookFeeAsset)
	}
	if usdMember(*h.Pinned) {
		roles = append(roles, SettlementMember)
	}
	return roles
}

// Uninspected is a class of assets that coin balances do not include.
type Uninspected struct{ Class, Note string }

// UninspectedClasses lists the classes that are not read. The account may own such assets.
func UninspectedClasses() []Uninspected {
	return []Uninspected{
		{"staked_or_locked_assets", "vesting and other locked coins; otherHoldings lists staked SUI"},
		{"deepbook_balance_manager_or_open_orders", "money in DeepBook balance managers, and what open orders tie up there"},
		{"lp_or_vault_positions",
			"shares in pools, vaults and lending markets of other protocols than those in otherHoldings (Cetus, Momentum, FlowX, Suilend, NAVI)"},
		{"nft_or_object_assets", "every object that is not a coin"},
	}
}
