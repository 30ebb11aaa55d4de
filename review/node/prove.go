package node

import (
	"context"

	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/proof"
)

// Prover proves by the validators' signatures what a transaction did.
type Prover interface {
	// Prove returns what was signed. A *proof.Refusal says that what the node sent is
	// no proof; any other error, that there is none yet.
	Prove(ctx context.Context, d sui.Digest) (*proof.Outcome, error)
	// Amounts proves what each address gained and lost by it; a *proof.Refusal says why
	// that is not proved.
	Amounts(ctx context.Context, o *proof.Outcome) ([]sui.BalanceChange, error)
	// Begin follows the validators to the present in the background.
	Begin()
	// Follow follows the validators by a bounded number of epochs in the background.
	Follow()
	// Ended reports whether the validators signed the end of an epoch. It may ask the
	// node for the signatures.
	Ended(ctx context.Context, epoch uint64) (bool, error)
	// Begun returns the newest epoch that signatures kept here show to have begun, 0 for
	// none. It asks no node.
	Begun(ctx context.Context, chain sui.Digest) (uint64, error)
}
