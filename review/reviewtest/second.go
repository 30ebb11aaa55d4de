package reviewtest

import (
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/swap"
	"github.com/sayurintent/sayurintent/internal/sui/rpc"
	"github.com/sayurintent/sayurintent/review"
)

// Compare restarts the service with a second node: another client of the same
// sandbox. wrap may put itself between; it may be nil.
func (h *House) Compare(wrap func(*review.Second)) {
	h.t.Helper()
	h.CompareWith(h.URL, wrap)
}

// CompareWith does the same with the node behind a URL.
func (h *House) CompareWith(url string, wrap func(*review.Second)) {
	h.t.Helper()
	node, err := rpc.New(rpc.Config{URL: url, Now: h.Clock.Now})
	if err != nil {
		h.t.Fatalf("make the second client: %v", err)
	}
	h.t.Cleanup(func() { node.Close() })
	pools := deepbook.New(deepbook.Config{Chain: node, Now: h.Clock.Now})
	second := &review.Second{Chain: node, Simulator: node, Adapters: []review.Adapter{swap.New(pools)}}
	if wrap != nil {
		wrap(second)
	}
	h.close()
	h.config.Second = second
	h.open()
}

// Product gives the product's own adapter over the present node.
func (h *House) Product() review.Adapter { return h.adapters()[0] }
