package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/workspace"
)

// protocol returns the executor of calls that arrive over the WebSocket.
func (a *app) protocol() workspace.Protocol {
	return workspace.Protocol{Executor: a.workspace, Registry: a.db.Workspace}
}

// manualTest returns the project whose test window a flag opens, if any.
func (a *app) manualTest() []string {
	if a.options.manualTest == "" {
		return nil
	}
	return []string{a.options.manualTest}
}

// checkManualTest returns an error if the test window's project is not registered.
func (a *app) checkManualTest(ctx context.Context) error {
	wanted := a.options.manualTest
	if wanted == "" {
		return nil
	}
	folders, err := a.db.Folders(ctx)
	if err != nil {
		return err
	}
	var known []string
	for _, f := range folders {
		if f.Key == wanted {
			return nil
		}
		known = append(known, f.Key)
	}
	if known == nil {
		return bad(fmt.Errorf("--manual-test %s: no project is registered. Register one on the settings page: say-ur-intent pages", wanted))
	}
	return bad(fmt.Errorf("--manual-test %s: no project has this key. Registered: %s", wanted, strings.Join(known, ", ")))
}

// editors forwards calls to connected editors.
type editors struct{ app *app }

var _ workspace.Forwarder = editors{}

// Connected implements workspace.Forwarder.
func (e editors) Connected(key string) bool { return e.app.served.editor.Peers().Connected(key) }

// Forward implements workspace.Forwarder.
func (e editors) Forward(ctx context.Context, key, tool string, params map[string]any) (string, bool, error) {
	params = maps.Clone(params)
	delete(params, "webSocketSessionId") // the editor's own socket id replaces it
	text, connected, err := e.app.served.editor.Peers().Forward(ctx, key, tool, params)
	known, unknown := e.app.db.KnownAccounts(ctx)
	if unknown != nil {
		return "", connected, errors.Join(err, unknown) // the text cannot be checked without the accounts
	}
	var own []sui.Address
	for _, k := range known {
		own = append(own, k.Account)
	}
	return workspace.Foreign(text, own), connected, err
}
