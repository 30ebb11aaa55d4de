package registry

import "github.com/sayurintent/sayurintent/internal/sui"

// Label returns how FlowX's CLMM is identified in past transactions: by its pinned packages and shared
// objects. Its pools are not shared objects.
func Label() sui.Label {
	return sui.Label{
		ID: "flowx-clmm", Name: "FlowX CLMM", Packages: []sui.ObjectID{OriginalPackage, Package},
		Shared: []sui.ObjectID{Object, Versioned},
		Actions: map[string]sui.ActionKind{
			"pool::swap": sui.ActionSwap, "pool::pay": sui.ActionSwap,
			"swap_router::swap_exact_input": sui.ActionSwap, "swap_router::swap_exact_output": sui.ActionSwap,
			"swap_router::swap_exact_x_to_y": sui.ActionSwap, "swap_router::swap_exact_y_to_x": sui.ActionSwap,
			"position_manager::open_position": sui.ActionLiquidity, "position_manager::close_position": sui.ActionLiquidity,
			"position_manager::increase_liquidity": sui.ActionLiquidity,
			"position_manager::decrease_liquidity": sui.ActionLiquidity,
			"position_manager::collect":            sui.ActionFee, "position_manager::collect_pool_reward": sui.ActionFee,
		},
	}
}
