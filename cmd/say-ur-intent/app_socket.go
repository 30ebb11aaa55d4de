package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/workspace"
	"github.com/sayurintent/sayurintent/internal/wschat"
	"github.com/sayurintent/sayurintent/review/web"
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

// connectedTime bounds the question whether an editor is connected.
const connectedTime = time.Second

// editors reach the editors that are connected to whichever process serves the pages.
type editors struct{ app *app }

var _ workspace.Forwarder = editors{}

// Connected implements workspace.Forwarder.
func (e editors) Connected(key string) bool {
	ctx, stop := context.WithTimeout(context.Background(), connectedTime)
	defer stop()
	_, connected, err := e.call(ctx, web.Forward{Project: key, Params: map[string]any{}})
	return connected && err == nil
}

// Forward implements workspace.Forwarder.
func (e editors) Forward(ctx context.Context, key, tool string, params map[string]any) (string, bool, error) {
	params = maps.Clone(params)
	delete(params, "webSocketSessionId") // that of the editor's socket is filled in
	text, connected, err := e.call(ctx, web.Forward{Project: key, Tool: tool, Params: params})
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

// call asks the process that serves the pages, which may be this one. Where no process
// does, nobody is connected.
func (e editors) call(ctx context.Context, f web.Forward) (text string, connected bool, err error) {
	if s := e.app.here(); s != nil {
		return s.pages.CallEditor(ctx, f)
	}
	at, err := e.app.serving(ctx, 0)
	if err != nil {
		return "", false, nil
	}
	if at.here {
		return e.app.here().pages.CallEditor(ctx, f)
	}
	body, err := json.Marshal(f)
	if err != nil {
		return "", false, err
	}
	ctx, stop := context.WithTimeout(ctx, wschat.Usual().Call+connectedTime)
	defer stop()
	status, answer, err := at.card.Post(ctx, web.ForwardPath, body, web.MaxForward)
	if err != nil {
		// It may have reached an editor, so nobody may take it for one that did not.
		return "", f.Tool != "", errors.Join(&wschat.Unanswered{Reason: "the process that serves the pages did not answer"}, err)
	}
	out, err := web.ReadForwarded(status, answer)
	if err != nil {
		return "", f.Tool != "", fmt.Errorf("the call was not passed on: %w", err)
	}
	return out.Result()
}
