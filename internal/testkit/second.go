package testkit

import (
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/standing"
	"github.com/sayurintent/sayurintent/internal/sui/rpc"
	"github.com/sayurintent/sayurintent/review/gate"
)

// Compare restarts the service with a second node, which is another client of the same sandbox, with
// all adapters. If wrap is not nil, it can change the second node.
func (h *Harness) Compare(wrap func(*gate.Second)) {
	h.t.Helper()
	h.CompareWith(h.URL, wrap)
}

// CompareWith is like Compare, with the node at a URL.
func (h *Harness) CompareWith(url string, wrap func(*gate.Second)) {
	h.t.Helper()
	node, err := rpc.New(rpc.Config{URL: url, Now: h.Clock.Now})
	if err != nil {
		h.t.Fatalf("make the second client: %v", err)
	}
	h.t.Cleanup(func() { node.Close() })
	pools := deepbook.New(deepbook.Config{Chain: node, Now: h.Clock.Now})
	second := &gate.Second{Chain: node, Simulator: node, Executor: node, Adapters: append(h.over(pools, node),
		h.flowx(node)),
		Keys: standing.Reader{Chain: node}.Keys}
	if wrap != nil {
		wrap(second)
	}
	h.close()
	h.config.Second = second
	h.open()
}

// For returns the product's adapter for an action on the current node.
func (h *Harness) For(action string) plan.Adapter {
	h.t.Helper()
	for _, a := range h.adapters() {
		if a.Meta().Action == action {
			return a
		}
	}
	h.t.Fatalf("no adapter for %s", action)
	return nil
}

// Product returns the product's swap adapter on the current node.
func (h *Harness) Product() plan.Adapter { return h.adapters()[0] }

// Ask restarts the service with a new client of the node at a URL, so that nothing is cached. FlowX's
// adapter is included, so swap intents must name a protocol.
func (h *Harness) Ask(url string) {
	h.t.Helper()
	node, err := rpc.New(rpc.Config{URL: url, Now: h.Clock.Now})
	if err != nil {
		h.t.Fatalf("make the client: %v", err)
	}
	h.close()
	h.Prover.Close()
	_ = h.Node.Close()
	h.Node = node
	if h.config.Prover != nil {
		h.prove()
	}
	h.config.Chain, h.config.Simulator, h.config.Executor = node, node, node
	h.config.Adapters, h.config.Names = append(h.adapters(), h.FlowX()), h.names()
	h.open()
}
