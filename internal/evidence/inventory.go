package evidence

import "slices"

// Claims that answers about holdings in DeepBook support.
const (
	ManagerDiscovery     Claim = "deepbook_balance_manager_discovery"
	ManagerHoldings      Claim = "deepbook_holdings_of_listed_managers"
	PoolAccountInventory Claim = "deepbook_pool_account_inventory_when_pool_and_manager_are_supplied"
)

// Claims that answers about holdings in DeepBook do not support.
const (
	RawBalance          Claim = "raw_balance"
	RouteLiquidity      Claim = "route_liquidity"
	WithdrawalReadiness Claim = "withdrawal_readiness"
	EveryManager        Claim = "complete_list_of_balance_managers"
	EveryPosition       Claim = "complete_list_of_deepbook_positions"
)

// notInventory includes complete lists, because a manager or position that was not found can
// contain money.
var notInventory = Claims{RawBalance, RouteLiquidity, FundingSource, WithdrawalReadiness, TransactionInput, SigningData,
	SigningReadiness, EveryManager, EveryPosition}

// NotInventory returns the claims that a balance manager's holdings in one pool do not support.
func NotInventory() Claims { return slices.Clone(notInventory) }

// InventorySemantics describes the quantities in an answer about holdings in DeepBook.
type InventorySemantics struct {
	Kind       string   `json:"kind" description:"kind of quantities"`
	Form       string   `json:"form" description:"how they are written"`
	AllowedUse string   `json:"allowedUse" description:"only valid use"`
	NotFor     []string `json:"notFor" description:"what the quantities must not be taken for"`
}

// DisplayInventory returns the semantics of quantities in display form.
func DisplayInventory() InventorySemantics {
	return InventorySemantics{
		Kind: "deepbook_display_number", Form: "exact_decimal_string", AllowedUse: "presentation_inventory_facts_only",
		NotFor: []string{"raw_balance", "route_liquidity", "funding_source", "withdrawal_readiness",
			"transaction_building_input", "signing_data", "signing_readiness"},
	}
}
