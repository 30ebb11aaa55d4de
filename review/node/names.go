package node

import (
	"context"

	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/suins"
)

// Names finds where names of SuiNS lead. A suins.Resolver does.
type Names interface {
	// Resolve reads where a name leads now; one that leads nowhere is fault.InputInvalid.
	Resolve(ctx context.Context, n suins.Name) (suins.Found, error)
	// Chosen reads the name that an address chose for itself; false if none leads back.
	Chosen(ctx context.Context, a sui.Address) (suins.Found, bool, error)
}
