// Package adapters lists the actions that can be prepared for review, one per line.
package adapters

import (
	"slices"
	"sync"
	"time"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/balancemanager"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/orders"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/revokecap"
	deepswap "github.com/sayurintent/sayurintent/internal/protocol/deepbook/swap"
	"github.com/sayurintent/sayurintent/internal/protocol/floored"
	"github.com/sayurintent/sayurintent/internal/protocol/flowx"
	"github.com/sayurintent/sayurintent/internal/protocol/flowx/quoter"
	flowxswap "github.com/sayurintent/sayurintent/internal/protocol/flowx/swap"
	"github.com/sayurintent/sayurintent/internal/protocol/permission"
	"github.com/sayurintent/sayurintent/internal/protocol/positions"
	"github.com/sayurintent/sayurintent/internal/protocol/staking"
	"github.com/sayurintent/sayurintent/internal/protocol/staking/stake"
	"github.com/sayurintent/sayurintent/internal/protocol/transfer"
	"github.com/sayurintent/sayurintent/internal/protocol/versions"
	"github.com/sayurintent/sayurintent/internal/sui/rpc"
	"github.com/sayurintent/sayurintent/internal/suins"
)

// Over returns the adapters for a node. second is another node, which confirms newer versions of
// protocols. router is FlowX's own router. Both may be nil.
func Over(node, second *rpc.Client, pools *deepbook.Reader, router *quoter.Client, now func() time.Time,
) []plan.Adapter {
	managers := deepbook.NewInventory(pools, node)
	standing := managers.Permissions(node, now)
	stakes := staking.NewReader(node, now)
	list := []plan.Adapter{
		deepswap.New(pools),
		flowxswap.New(flowx.New(node, now), routerOf(router)),
		transfer.New(registry.NoWallet, suins.Resolver{Chain: node, Registry: suins.Mainnet, Now: now}),
	}
	list = append(list, orders.New(pools, managers)...)
	list = append(list,
		balancemanager.NewCreate(),
		balancemanager.NewDeposit(managers),
		balancemanager.NewWithdraw(managers),
		balancemanager.NewWithdrawAll(pools, managers),
		stake.NewStake(stakes),
		stake.NewUnstake(stakes, node),
	)
	list = append(list, floored.Adapters(node, versionsOf(second), positions.NewReader(node, stakes))...)
	return append(list, permission.New(standing), revokecap.New(managers, standing))
}

// Metas returns the metadata of all adapters: every action that can be prepared, by protocol.
var Metas = sync.OnceValue(func() (list []plan.Meta) {
	for _, a := range Over(nil, nil, nil, nil, nil) {
		list = append(list, a.Meta())
	}
	return list
})

// Fields returns the fields of intents that adapters declare.
func Fields() (list []plan.Field) {
	for _, m := range Metas() {
		for _, f := range m.Fields {
			if !slices.Contains(list, f) {
				list = append(list, f)
			}
		}
	}
	return list
}

// Prompts returns the prompts of the adapters that have one.
func Prompts() (list []plan.Prompt) {
	for _, a := range Over(nil, nil, nil, nil, nil) {
		if p, ok := a.(interface{ Prompt() plan.Prompt }); ok {
			list = append(list, p.Prompt())
		}
	}
	return list
}

// routerOf returns c as a Router. It returns a nil interface for a nil client.
func routerOf(router *quoter.Client) flowxswap.Router {
	if router == nil {
		return nil
	}
	return router
}

// versionsOf returns c as a Node. It returns a nil interface for a nil client.
func versionsOf(node *rpc.Client) versions.Node {
	if node == nil {
		return nil
	}
	return node
}
