package workspace

import (
	"context"
	"encoding/json"
)

// Protocol is what a peer of the WebSocket tool protocol asks: calls by the names and
// parameters of the protocol, run by an executor on the projects of a registry.
type Protocol struct {
	Executor Executor
	Registry Registry
}

// Check is CheckParams.
func (Protocol) Check(tool string, raw json.RawMessage) error { return CheckParams(tool, raw) }

// Invoke is Invoke with the executor.
func (p Protocol) Invoke(ctx context.Context, tool string, raw json.RawMessage) (string, error) {
	return Invoke(ctx, p.Executor, tool, raw)
}

// Projects lists the keys of the registered projects.
func (p Protocol) Projects(ctx context.Context) ([]string, error) {
	all, err := p.Registry.Folders(ctx)
	keys := make([]string, 0, len(all))
	for _, f := range all {
		keys = append(keys, f.Key)
	}
	return keys, err
}
