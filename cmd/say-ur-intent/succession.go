package main

import (
	"context"
	"crypto/rand"
	mathrand "math/rand/v2"
	"time"
)

// How the pages go from one process to the next. The one that stands by looks
// every 50 to 100 ms whether they are free, so that they are served again well
// within a second; the spread keeps several from looking in step.
const (
	lookLeast  = 50 * time.Millisecond
	lookSpread = 50 * time.Millisecond
	// retryServe is the pause after the pages could not be opened.
	retryServe = time.Second
	// handOverMost is how long a process that leaves waits for the one that takes
	// over to prove itself.
	handOverMost = time.Second
	handOverLook = 5 * time.Millisecond
	// handOverAgain is the pause after nobody took over.
	handOverAgain = 10 * time.Second
)

// succeed waits until the pages are free, then serves them; it ends with ctx.
func (a *app) succeed(ctx context.Context) {
	var troubled bool
	for pause := lookLeast; ; pause = lookLeast + mathrand.N(lookSpread) {
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		_ = a.db.StandBy() // already there, or the next look does it
		owned, err := a.db.Own(ctx)
		if err == nil && owned {
			err = a.servePages(a.lastPort())
		}
		switch {
		case err == nil && owned:
			a.log.Info("the process that served the pages has gone; this one serves them now", "origin", a.here().origin)
			return
		case err != nil && !troubled:
			troubled = true
			a.log.Error("the pages could not be taken over; this goes on trying", "cause", err)
			fallthrough
		case err != nil:
			select {
			case <-ctx.Done():
				return
			case <-time.After(retryServe):
			}
		}
	}
}

// startSuccession lets this process take the pages over when they become free.
func (a *app) startSuccession() {
	_ = a.db.StandBy() // the first look tries again
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); a.succeed(ctx) }()
	a.front.endSuccession = func() { stop(); <-done }
}

// lastPort is the port of the process that served the pages before, 0 when
// nothing is known of it: open tabs look for the pages there.
func (a *app) lastPort() int {
	card, err := a.readCard()
	if err != nil {
		return 0
	}
	return portOf(card.Origin)
}

// stay keeps the pages while the person may still need them, unless another
// process keeps them instead.
func (a *app) stay(ctx context.Context) {
	a.front.endSuccession()
	if a.here() == nil && !a.inherit(ctx) {
		return
	}
	end := time.NewTimer(stayMost)
	defer end.Stop()
	check := time.NewTicker(stayCheck)
	defer check.Stop()
	var tried time.Time
	for a.busy(ctx) {
		if now := a.now(); now.Sub(tried).Abs() >= handOverAgain && a.wanted() {
			if a.handOver(ctx) {
				return
			}
			tried = now
		}
		select {
		case <-check.C:
		case <-end.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

// inherit takes the pages where the process that served them ends at the same
// moment as this one, so that what is owed to the person is not left between
// the two. It reports false where another process has them, or nothing is owed.
func (a *app) inherit(ctx context.Context) bool {
	a.db.StandDown() // before looking: who counts on this process must see that it goes
	if !a.owed(ctx) {
		return false
	}
	owned, err := a.db.Own(ctx)
	if err != nil || !owned {
		return false
	}
	if err := a.servePages(a.lastPort()); err != nil {
		a.log.Error("the pages could not be taken over", "cause", err)
		return false
	}
	return true
}

// wanted reports whether another process stands by for the pages of this one. A
// process that holds the sandbox chain keeps them: with it the chain would end.
func (a *app) wanted() bool {
	awaited, err := a.db.Awaited()
	return err == nil && awaited && a.here().card.Node == ""
}

// handOver passes the pages, and with them everything unsettled, to a process that
// stands by, and reports whether one has proved that it serves them. Where
// nobody does, this process serves them again.
func (a *app) handOver(ctx context.Context) bool {
	mine := a.here()
	a.stopServing()
	a.db.Disown()
	most := time.NewTimer(handOverMost)
	defer most.Stop()
	for waiting := true; waiting; {
		card, err := a.readCard()
		if err == nil && card.Instance != mine.card.Instance && card.Challenge(ctx, rand.Reader) == nil {
			a.log.Info("another process serves the pages now and sees everything through", "origin", card.Origin)
			return true
		}
		if awaited, err := a.db.Awaited(); err == nil && !awaited && a.takeBack(ctx, mine) {
			return false // who stood by has gone
		}
		select {
		case <-time.After(handOverLook):
		case <-most.C:
			waiting = false
		}
	}
	return !a.takeBack(ctx, mine)
}

// takeBack serves the pages again, unless another process has them now.
func (a *app) takeBack(ctx context.Context, mine *served) bool {
	owned, err := a.db.Own(ctx)
	if err != nil || !owned {
		return false
	}
	if err := a.servePages(portOf(mine.origin)); err != nil {
		a.log.Error("the pages could not be served again", "cause", err)
		a.db.Disown()
		return false
	}
	return true
}

// busy reports whether something of the person still hangs on this process: an
// open page, or what is owed.
func (a *app) busy(ctx context.Context) bool {
	s := a.here()
	return s != nil && (s.pages.Connected() > 0 || a.owed(ctx))
}

// owed reports whether the person may still come back, or must still be told
// something: an unsettled release, a page of a review or of a wallet connection that was
// used just now though it holds no stream, or a fresh link that nobody opened yet.
func (a *app) owed(ctx context.Context) bool {
	if unsettled, err := a.db.Unsettled(ctx); err != nil || len(unsettled) > 0 {
		return err == nil
	}
	now := a.now()
	if read, err := a.db.ReadPages(ctx, now.Add(-freshPage), now); err != nil || read > 0 {
		return err == nil
	}
	fresh, err := a.desk.Unopened(ctx, freshLink)
	return err == nil && fresh
}
