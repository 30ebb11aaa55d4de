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

// starts returns a function that lists the anchors to follow the network's validators from.
func (n network) starts() func(sui.Digest) []prover.Start {
	if n.flag == "sandbox" {
		return sandboxStarts
	}
	return prover.Shipped
}

// knownAnchors returns the anchors at which a proof file of a chain may start: all anchors ever
// shipped and, if none of them is on that chain, the sandbox's.
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

// sandboxStarts returns the anchor that all sandboxes share.
func sandboxStarts(chain sui.Digest) []prover.Start {
	summary := sandbox.BeforeFirst()
	return []prover.Start{{Summary: summary, Anchor: proof.SandboxAnchor(chain, summary)}}
}
