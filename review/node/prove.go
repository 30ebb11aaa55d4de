package node

import (
	"context"

	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/proof"
)

// Prover proves what a transaction did by validators' signatures.
type Prover interface {
	// Prove returns what validators signed. A *proof.Refusal means that the node's data is not a
	// proof. Any other error means that there is no proof yet.
	Prove(ctx context.Context, d sui.Digest) (*proof.Outcome, error)
	// Amounts proves each address's gains and losses. A *proof.Refusal explains why it cannot.
	Amounts(ctx context.Context, o *proof.Outcome) ([]sui.BalanceChange, error)
	// Begin starts following the validators to the current epoch in the background.
	Begin()
	// Follow follows the validators by a bounded number of epochs in the background.
	Follow()
	// Ended reports whether the validators signed the end of an epoch. It may ask the
	// node for the signatures.
	Ended(ctx context.Context, epoch uint64) (bool, error)
	// Begun returns the newest epoch that stored signatures show to have started, or 0 if none. It
	// does not ask a node.
	Begun(ctx context.Context, chain sui.Digest) (uint64, error)
}
