package main

import (
	"time"

	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/balancemanager"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/cancelall"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/cancelorder"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/limitorder"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/marketorder"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/modifyorder"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/revokecap"
	deepswap "github.com/sayurintent/sayurintent/internal/protocol/deepbook/swap"
	"github.com/sayurintent/sayurintent/internal/protocol/flowx"
	"github.com/sayurintent/sayurintent/internal/protocol/flowx/quoter"
	flowxswap "github.com/sayurintent/sayurintent/internal/protocol/flowx/swap"
	"github.com/sayurintent/sayurintent/internal/protocol/permission"
	"github.com/sayurintent/sayurintent/internal/protocol/transfer"
	"github.com/sayurintent/sayurintent/internal/sui/rpc"
	"github.com/sayurintent/sayurintent/internal/suins"
	"github.com/sayurintent/sayurintent/review/plan"
)

// adapters are the actions that can be prepared, over one node. router is FlowX's
// own, nil where nothing is to be compared with it.
func adapters(node *rpc.Client, pools *deepbook.Reader, router *quoter.Client, now func() time.Time) []plan.Adapter {
	managers := deepbook.NewInventory(pools, node)
	standing := managers.Permissions(node, now)
	return []plan.Adapter{
		deepswap.New(pools),
		flowxswap.New(flowx.New(node, now), beside(router)),
		transfer.New(registry.NoWallet, suinsOver(node, now)),
		limitorder.New(pools, managers),
		marketorder.New(pools, managers),
		modifyorder.New(pools, managers),
		cancelorder.New(pools, managers),
		cancelall.New(pools, managers),
		balancemanager.NewCreate(),
		balancemanager.NewDeposit(managers),
		balancemanager.NewWithdraw(managers),
		balancemanager.NewWithdrawAll(pools, managers),
		permission.New(standing),
		revokecap.New(managers, standing),
	}
}

// suinsOver finds names through one node.
func suinsOver(node *rpc.Client, now func() time.Time) suins.Resolver {
	return suins.Resolver{Chain: node, Registry: suins.Mainnet, Now: now}
}

// surfaces are the prompts of the adapters.
func surfaces() []plan.Prompt {
	return []plan.Prompt{deepswap.PromptSurface(), flowxswap.PromptSurface()}
}

// beside is no router where there is none.
func beside(router *quoter.Client) flowxswap.Router {
	if router == nil {
		return nil
	}
	return router
}
