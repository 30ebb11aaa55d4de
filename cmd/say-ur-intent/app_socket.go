package main

import (
	"context"
	"errors"
	"maps"

	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/workspace"
)

// protocol is what peers of the socket run calls on.
func (a *app) protocol() workspace.Protocol {
	return workspace.Protocol{Executor: a.workspace, Registry: a.db}
}

// manualTest returns the projects of the window that a flag opens.
func (a *app) manualTest() []string {
	if a.options.manualTest == "" {
		return nil
	}
	return []string{a.options.manualTest}
}

// editors reach the editors that are connected.
type editors struct{ app *app }

var _ workspace.Forwarder = editors{}

// Connected implements workspace.Forwarder.
func (e editors) Connected(key string) bool { return e.app.served.pages.Editors().Connected(key) }

// Forward implements workspace.Forwarder.
func (e editors) Forward(ctx context.Context, key, tool string, params map[string]any) (string, bool, error) {
	params = maps.Clone(params)
	delete(params, "webSocketSessionId") // that of the editor's socket is filled in
	text, connected, err := e.app.served.pages.Editors().Forward(ctx, key, tool, params)
	known, unknown := e.app.db.KnownAccounts(ctx)
	if unknown != nil {
		return "", connected, errors.Join(err, unknown) // it is not judged without
	}
	var own []sui.Address
	for _, k := range known {
		own = append(own, k.Account)
	}
	return workspace.Foreign(text, own), connected, err
}
