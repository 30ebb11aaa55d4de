package main

import (
	"context"
	"strings"

	"github.com/sayurintent/sayurintent/internal/pagetoken"
)

// links makes links to the pages.
type links struct {
	desk   *pagetoken.Desk
	served *served
}

// link makes a one-time link to a page, which opens that page only.
func (l *links) link(ctx context.Context, kind pagetoken.Kind, id string) (string, error) {
	code, err := l.desk.Link(ctx, kind, id, 0)
	return l.coded(ctx, kind, id, code, err)
}

// ownLink makes a one-time link to a page, which begins a browser session. It must never pass
// through an AI client.
func (l *links) ownLink(ctx context.Context, kind pagetoken.Kind, id string) (string, error) {
	code, err := l.desk.OwnLink(ctx, kind, id)
	return l.coded(ctx, kind, id, code, err)
}

// coded returns the address of a page with a code, unless there is an error.
func (l *links) coded(ctx context.Context, kind pagetoken.Kind, id string,
	code pagetoken.Code, err error) (string, error) {
	if err != nil {
		return "", err
	}
	page, err := l.address(ctx, kind, id)
	if err != nil {
		return "", err
	}
	return page + "#" + code.Reveal(), nil
}

// address returns the address of a page, without a right to it.
func (l *links) address(_ context.Context, kind pagetoken.Kind, id string) (string, error) {
	if kind == pagetoken.Home {
		return l.served.origin + "/", nil
	}
	return l.served.origin + "/" + string(kind) + "/" + id, nil
}

// withdrawLink revokes a link that was never delivered.
func (l *links) withdrawLink(ctx context.Context, kind pagetoken.Kind, id, link string) error {
	_, code, _ := strings.Cut(link, "#")
	return l.desk.Withdraw(ctx, kind, id, code)
}
