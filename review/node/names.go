package node

import (
	"context"

	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/suins"
)

// Names resolves SuiNS names. suins.Resolver implements it.
type Names interface {
	// Resolve resolves a name now; a name without a target is fault.InputInvalid.
	Resolve(ctx context.Context, n suins.Name) (suins.Found, error)
	// Chosen reads the name that an address chose for itself. It returns false if that name does
	// not resolve to the address.
	Chosen(ctx context.Context, a sui.Address) (suins.Found, bool, error)
}
