package main

import (
	"context"
	"errors"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/rpc"
	"github.com/sayurintent/sayurintent/internal/workspace"
)

// openWorkspace makes what works on the projects that the person registered. Its tools
// are served where there is one now: clients read the list once.
func (a *app) openWorkspace() {
	a.workspace = workspace.NewLocal(workspace.Config{Registry: a.db, Changes: a.db, Chain: publishedCode{a.node}, Now: a.now})
}

// publishedCode reads published packages of the node.
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
