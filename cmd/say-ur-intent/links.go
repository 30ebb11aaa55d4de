package main

import (
	"context"
	"strings"

	"github.com/sayurintent/sayurintent/internal/pagetoken"
)

// links creates links to pages.
type links struct {
	desk   *pagetoken.Desk
	served *served
}

// link creates a one-time link that gives access to a single page.
func (l *links) link(ctx context.Context, kind pagetoken.Kind, id string) (string, error) {
	code, err := l.desk.Link(ctx, kind, id, 0)
	return l.coded(ctx, kind, id, code, err)
}

// ownLink creates a one-time link to a page that also starts a browser session. Such a link must
// never be given to an AI client.
func (l *links) ownLink(ctx context.Context, kind pagetoken.Kind, id string) (string, error) {
	code, err := l.desk.OwnLink(ctx, kind, id)
	return l.coded(ctx, kind, id, code, err)
}

// coded returns a page's address with a code from issue.
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

// address returns a page's address without a code, which grants no access.
func (l *links) address(_ context.Context, kind pagetoken.Kind, id string) (string, error) {
	if kind == pagetoken.Home {
		return l.served.origin + "/", nil
	}
	return l.served.origin + "/" + string(kind) + "/" + id, nil
}

// withdrawLink revokes a link that was not delivered.
func (l *links) withdrawLink(ctx context.Context, kind pagetoken.Kind, id, link string) error {
	_, code, _ := strings.Cut(link, "#")
	return l.desk.Withdraw(ctx, kind, id, code)
}
