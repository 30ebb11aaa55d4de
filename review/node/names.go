package node

import (
	"context"

	"github.com/sayurintent/sayurintent/internal/suins"
)

// Names finds where names of SuiNS lead. A suins.Resolver does.
type Names interface {
	// Resolve reads where a name leads now; one that leads nowhere is fault.InputInvalid.
	Resolve(ctx context.Context, n suins.Name) (suins.Found, error)
}
