package registry

import "github.com/sayurintent/sayurintent/internal/sui"

// Label returns how DeepBook is identified in past transactions: by all its published packages, its
// registry and its pinned pools.
func Label() sui.Label {
	l := sui.Label{ID: "deepbook-v3", Name: "DeepBook V3", Shared: []sui.ObjectID{Object},
		Actions: map[string]sui.ActionKind{
			"pool::place_limit_order": sui.ActionOrder, "pool::place_market_order": sui.ActionOrder,
			"pool::modify_order": sui.ActionOrder, "pool::cancel_order": sui.ActionOrder,
			"pool::cancel_orders": sui.ActionOrder, "pool::cancel_all_orders": sui.ActionOrder,
			"pool::cancel_live_order": sui.ActionOrder, "pool::cancel_live_orders": sui.ActionOrder,
			"pool::swap_exact_base_for_quote": sui.ActionSwap, "pool::swap_exact_quote_for_base": sui.ActionSwap,
			"pool::swap_exact_quantity":                    sui.ActionSwap,
			"pool::swap_exact_base_for_quote_with_manager": sui.ActionSwap,
			"pool::swap_exact_quote_for_base_with_manager": sui.ActionSwap,
			"pool::swap_exact_quantity_with_manager":       sui.ActionSwap,
			"pool::withdraw_settled_amounts":               sui.ActionCustody,
			"balance_manager::deposit":                     sui.ActionCustody,
			"balance_manager::deposit_with_cap":            sui.ActionCustody,
			"balance_manager::withdraw":                    sui.ActionCustody,
			"balance_manager::withdraw_with_cap":           sui.ActionCustody,
			"balance_manager::withdraw_all":                sui.ActionCustody,
			"pool::stake":                                  sui.ActionFee, "pool::unstake": sui.ActionFee,
			"pool::claim_rebates": sui.ActionFee,
		}}
	for _, p := range Packages() {
		l.Packages = append(l.Packages, p.ID)
	}
	for _, p := range Pools() {
		l.Shared = append(l.Shared, p.ID)
	}
	return l
}
