package main

import (
	"fmt"
	"net/http"

	"github.com/sayurintent/sayurintent/internal/health"
	"github.com/sayurintent/sayurintent/internal/protocol/adapters"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/indexer"
	"github.com/sayurintent/sayurintent/internal/protocol/flowx/quoter"
	"github.com/sayurintent/sayurintent/internal/settings"
	"github.com/sayurintent/sayurintent/internal/standing"
	"github.com/sayurintent/sayurintent/internal/sui/prover"
	"github.com/sayurintent/sayurintent/internal/sui/rpc"
	"github.com/sayurintent/sayurintent/internal/suins"
	"github.com/sayurintent/sayurintent/review/gate"
)

// external holds the clients of outside services, such as full nodes, the indexer and FlowX's
// router.
type external struct {
	*setup

	health *health.Monitor
	node   *rpc.Client
	second *rpc.Client // confirms what node reports; nil if none is set
	prices *indexer.Client
	router *quoter.Client
	proofs *prover.Chain // verifies results with the validators' signatures
	past   *rpc.History  // reports past transactions
	local  http.Handler  // serves /sandbox/ on the pages; nil on a real network
}

// openNode creates the node client. On a sandbox network without a configured node, it embeds one.
func (o *external) openNode() error {
	if o.options.network.services[settings.GRPC] == "" {
		if err := o.openSandbox(); err != nil {
			return err
		}
	}
	o.options.useNode()
	node, err := o.nodeAt(settings.GRPC)
	if err != nil {
		return err
	}
	o.node = node
	return nil
}

// nodeAt returns a client of the full node at a configured address, or nil if none is set. The
// client rejects nodes of other networks.
func (o *external) nodeAt(w settings.Which) (*rpc.Client, error) {
	url := o.options.services[w].URL
	if url == "" {
		return nil, nil
	}
	node, err := rpc.New(rpc.Config{URL: url, Now: o.now, Admit: o.options.network.accept, Reach: o.options.reach(w),
		Heard: o.heard(w)})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", w.Info().Variable, err)
	}
	o.later(func() { _ = node.Close() })
	return node, nil
}

// openIndexer creates the client for past prices.
func (o *external) openIndexer() error {
	const w = settings.Indexer
	client, err := indexer.New(indexer.Config{URL: o.options.services[w].URL, Now: o.now, Reach: o.options.reach(w),
		Heard: o.heard(w)})
	if err != nil {
		return fmt.Errorf("%s: %w", w.Info().Variable, err)
	}
	o.prices = client
	o.later(client.Close)
	return nil
}

// openSecond creates the client of the second node, which confirms the first, or nil if none is
// set.
func (o *external) openSecond() (*gate.Second, error) {
	node, err := o.nodeAt(settings.Second)
	if node == nil {
		return nil, err
	}
	o.second = node
	pools := deepbook.New(deepbook.Config{Chain: node, Now: o.now})
	return &gate.Second{Chain: node, Simulator: node, Executor: node,
		Adapters: adapters.Over(node, o.node, pools, nil, o.now),
		Keys:     standing.Reader{Chain: node}.Keys}, nil
}

// suins returns a resolver of SuiNS names.
func (o *external) suins() suins.Resolver {
	return suins.Resolver{Chain: o.node, Registry: suins.Mainnet, Now: o.now}
}
