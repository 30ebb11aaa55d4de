package main

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/rpc"
	"github.com/sayurintent/sayurintent/internal/workspace"
)

// openWorkspace creates the service for the user's registered projects. Clients see its tools while
// at least one project is registered.
func (a *app) openWorkspace() {
	a.workspace = workspace.NewLocal(workspace.Config{Registry: a.db.Workspace, Changes: a.db.Workspace,
		Chain: publishedCode{a.node},
		Now:   a.now})
	a.later(a.followProjects())
}

// followProjects adds the source project tools to running sessions when the user registers a first
// project, and removes them when none is left, until ending is called.
func (a *app) followProjects() (ending func()) {
	ctx, stop := context.WithCancel(context.Background())
	var work sync.WaitGroup
	work.Go(func() {
		look := func() (bool, time.Duration, error) {
			if err := a.offers.follow(ctx, a.registered); err != nil && ctx.Err() == nil {
				a.log.Warn("cannot read the registered projects", "cause", err)
			}
			return false, 0, nil
		}
		_ = a.hub.Until(ctx, look, events.Subject{Kind: events.Settings}) // ends with ctx
	})
	return func() { stop(); work.Wait() }
}

// registered reports whether the user registered a project.
func (a *app) registered(ctx context.Context) (bool, error) {
	folders, err := a.db.Folders(ctx)
	return len(folders) > 0, err
}

// publishedCode reads published packages from the node.
type publishedCode struct{ node *rpc.Client }

// Code implements workspace.Chain.
func (p publishedCode) Code(ctx context.Context, id string) (workspace.Code, error) {
	at, err := sui.ParseAddress(id)
	if err != nil {
		return workspace.Code{}, workspace.ErrNotPublished
	}
	code, err := p.node.Code(ctx, at)
	if err != nil {
		if fault.As(err).Detail.Get("code") == "NotFound" {
			err = errors.Join(workspace.ErrNotPublished, err)
		}
		return workspace.Code{}, err
	}
	out := workspace.Code{Original: code.Original.String(), Links: map[string]string{}, Modules: code.Modules}
	for first, loaded := range code.Links {
		out.Links[first.String()] = loaded.String()
	}
	return out, nil
}
