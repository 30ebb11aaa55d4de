package worker

import (
	"context"
	"encoding/json"

	"github.com/sayurintent/sayurintent/internal/sui"
)

type interfaceIn struct {
	Package string `json:"package"`
}

// packageInterface returns the functions of a package that transactions can call.
func (s Sources) packageInterface(ctx context.Context, _ string, payload json.RawMessage) (any, error) {
	in, err := read[interfaceIn](payload)
	if err != nil {
		return nil, err
	}
	id, err := sui.ParseAddress(in.Package)
	if err != nil {
		return nil, bad("package is the id of a package.")
	}
	return s.Node.Functions(ctx, id)
}
