package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/sayurintent/sayurintent/internal/door"
)

// How long a server without clients stays because the user may still need it.
const (
	stayMost  = 30 * time.Minute
	lifeCheck = time.Second
	freshLink = 10 * time.Minute
	freshPage = 10 * time.Minute
)

// endIdle closes a server that has been unused for the idle time, or whose data directory was
// removed.
func (a *app) endIdle(ctx context.Context, d *door.Server, idle time.Duration) {
	defer d.Close()
	check := time.NewTicker(min(max(idle, lifeCheck/10), lifeCheck))
	defer check.Stop()
	var alone, owing time.Time
	for {
		sessions, changed := d.Sessions()
		now := a.now()
		_, missing := os.Lstat(a.options.dataDir)
		switch {
		case errors.Is(missing, fs.ErrNotExist):
			a.log.Error("the data directory was removed; the server ends")
			a.end()
			return
		case sessions > 0 || a.served.pages.Connected() > 0 || a.runner.Running() > 0 || a.serving():
			alone, owing = time.Time{}, time.Time{}
		case alone.IsZero():
			alone = now
			continue
		case now.Sub(alone) < idle && !a.started.replaced():
		case !owing.IsZero() && now.Sub(owing) >= stayMost:
			return
		default:
			why := a.owed(ctx)
			if why == "" {
				return
			}
			if owing.IsZero() {
				owing = now
				a.log.Info("no AI client is connected; the server keeps running for up to 30 minutes, because "+why, "pages",
					a.served.origin)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-changed:
		case <-check.C:
		}
	}
}

// owed returns why the server should stay although no client is connected, or "". The reasons are a
// transaction without a result, a recently used page of a review or wallet connection, and a recent
// link that was not opened.
func (a *app) owed(ctx context.Context) string {
	unsettled, err := a.db.Unsettled(ctx)
	if err == nil && len(unsettled) > 0 {
		return "a transaction has no result yet"
	}
	now := a.now()
	read := 0
	if err == nil {
		read, err = a.db.ReadPages(ctx, now.Add(-freshPage), now)
	}
	if err == nil && read > 0 {
		return "a page was used in the last 10 minutes"
	}
	fresh := false
	if err == nil {
		fresh, err = a.desk.Unopened(ctx, freshLink)
	}
	if err == nil && fresh {
		return "a link of the last 10 minutes was not opened"
	}
	return ""
}
