package testkit

import (
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/proof"
	"github.com/sayurintent/sayurintent/internal/sui/prover"
)

// Anchored is where the validators of every sandbox are followed from.
func Anchored(chain sui.Digest) []prover.Start {
	summary := sandbox.BeforeFirst()
	return []prover.Start{{Summary: summary, Anchor: proof.SandboxAnchor(chain, summary)}}
}
