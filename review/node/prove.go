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
}
