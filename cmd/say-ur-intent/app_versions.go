package main

import (
	"context"
	"time"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/protocol/versions"
	"github.com/sayurintent/sayurintent/internal/settings"
)

// The schedule for checking whether pinned packages have newer versions on chain.
const (
	firstVersions = 5 * time.Minute // after the server started
	eachVersions  = 24 * time.Hour
)

// watchVersions notifies the user once about each newer version of a pinned package.
func (a *app) watchVersions() {
	if a.options.services[settings.GRPC].URL == "" {
		return
	}
	a.later(every(firstVersions, eachVersions, func(ctx context.Context) {
		if err := tellVersions(ctx, a.node, a.settings, a.db.Log); err != nil && ctx.Err() == nil {
			a.log.Warn("cannot compare all versions of pinned packages", "cause", err)
		}
	}))
}

// noticeLog appends notices.
type noticeLog interface {
	Append(ctx context.Context, list ...bus.Event) ([]bus.Appended, error)
}

// tellVersions appends a notice for each newer version that the user was not notified of.
func tellVersions(ctx context.Context, node versions.Node, notices *settings.Service, log noticeLog) error {
	found, failed := versions.Find(ctx, node, versions.Pins())
	for _, n := range found {
		err := notices.ShowOnce(ctx, "version/"+n.Published.String(), func(ctx context.Context) error {
			e, err := bus.NewEvent("", "", bus.SystemNotice{Message: n.Notice()})
			if err == nil {
				_, err = log.Append(ctx, e)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return failed
}
