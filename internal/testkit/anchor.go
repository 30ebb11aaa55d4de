package testkit

import (
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/proof"
	"github.com/sayurintent/sayurintent/internal/sui/prover"
)

// Anchored returns the anchor from which a client can follow the committees of any sandbox.
func Anchored(chain sui.Digest) []prover.Start {
	summary := sandbox.BeforeFirst()
	return []prover.Start{{Summary: summary, Anchor: proof.SandboxAnchor(chain, summary)}}
}

// prove starts a prover on h's current node.
func (h *Harness) prove() {
	h.Prover = prover.New(prover.Config{Node: h.Node, Store: h.Store, Starts: Anchored})
	h.t.Cleanup(h.Prover.Close)
	h.config.Prover = h.Prover
}
