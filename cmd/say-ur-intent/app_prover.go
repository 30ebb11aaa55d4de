package main

import (
	"context"

	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/settings"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/proof"
	"github.com/sayurintent/sayurintent/internal/sui/prover"
)

// openProver creates the follower of the chain's validators. It sends no request until a
// transaction is released or viewed.
func (o *external) openProver(store prover.Store) error {
	c := prover.Config{Node: o.node, Store: store, Starts: o.options.network.starts()}
	archive, err := o.nodeAt(settings.Archive)
	if err != nil {
		return err
	}
	if archive != nil {
		c.Archive = archive
	}
	o.proofs = prover.New(c)
	o.later(o.proofs.Close)
	return nil
}

// proofFile returns the proof of a transaction as a file.
func (o *external) proofFile(ctx context.Context, digest sui.Digest) ([]byte, error) {
	f, err := o.proofs.File(ctx, digest)
	if err != nil {
		return nil, err
	}
	return f.Encode()
}

// starts returns the anchors from which to follow the network's validators.
func (n network) starts() func(sui.Digest) []prover.Start {
	if n.flag == "sandbox" {
		return sandboxStarts
	}
	return prover.Shipped
}

// knownAnchors returns the anchors at which a chain's proof file may start: all that were ever
// shipped and, for an unknown chain, the sandboxes' anchor.
func knownAnchors(chain sui.Digest) []proof.Anchor {
	list := proof.Anchors()
	for _, a := range list {
		//mutant:never ./cmd/say-ur-intent TestSandboxProofIsNoneOfMainnet
		if a.Chain == chain {
			return list
		}
	}
	return append(list, sandboxStarts(chain)[0].Anchor)
}

// sandboxStarts are the anchors of every sandbox.
func sandboxStarts(chain sui.Digest) []prover.Start {
	summary := sandbox.BeforeFirst()
	return []prover.Start{{Summary: summary, Anchor: proof.SandboxAnchor(chain, summary)}}
}
