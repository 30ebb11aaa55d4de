package gate_test

import (
	"context"

	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review/node"
)

// hearsay changes the node's reports about transactions.
type hearsay struct {
	node.Executor
	say func(e sui.Executed, known bool) (sui.Executed, bool)
}

func (h hearsay) Transaction(ctx context.Context, d sui.Digest) (sui.Executed, bool, error) {
	e, known, err := h.Executor.Transaction(ctx, d)
	e, known = h.say(e, known)
	return e, known, err
}
