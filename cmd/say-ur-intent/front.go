package main

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"sync"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/instance"
	"github.com/sayurintent/sayurintent/internal/settings"
	"github.com/sayurintent/sayurintent/review/web"
)

const (
	// patience is how long a call waits for pages that are about to be served
	// again: one process has gone and another one takes over.
	patience = 1500 * time.Millisecond
	askAgain = 25 * time.Millisecond
)

// front is who serves the pages of this installation: this process, or another
// one that proved it.
type front struct {
	mu     sync.Mutex
	served *served // by this process; nil while another one does
	told   string  // the last trouble with the other one that was logged

	endSuccession func() // ends the waiting for the pages; never nil after openPages
}

// served is one time of serving the pages.
type served struct {
	pages  *web.Server
	origin string
	note   string // what a person should know of the port, "" when nothing
	card   instance.Card
	stop   func()
}

// serving says where the pages are now.
type serving struct {
	here bool          // in this process
	card instance.Card // origin and chain; the secret goes nowhere
	note string
}

// here returns this process's pages, nil while another process serves them.
func (a *app) here() *served {
	a.front.mu.Lock()
	defer a.front.mu.Unlock()
	return a.front.served
}

// serving finds who serves the pages at this moment. It asks for patience: for
// a moment after one process has gone, nobody does.
func (a *app) serving(ctx context.Context, patience time.Duration) (serving, error) {
	end := time.NewTimer(patience)
	defer end.Stop()
	again := time.NewTicker(askAgain)
	defer again.Stop()
	for {
		if s := a.here(); s != nil {
			return serving{here: true, card: s.card, note: s.note}, nil
		}
		card, err := a.proven(ctx)
		if err == nil {
			return serving{card: card}, nil
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return serving{}, fault.Wrap(ctx.Err(), fault.RequestAborted, "The call was cancelled.")
		case <-end.C:
			a.tell(err)
			return serving{}, err
		}
	}
}

// proven returns the card of the process that serves the pages, once that process
// has proved that the card is its own. It is asked every time: a proof of a moment
// ago says nothing about who has the port now.
func (a *app) proven(ctx context.Context) (instance.Card, error) {
	card, err := a.readCard()
	if err != nil {
		return card, err
	}
	if err := card.Challenge(ctx, rand.Reader); err != nil {
		return instance.Card{}, err
	}
	a.front.mu.Lock()
	defer a.front.mu.Unlock()
	a.front.told = ""
	return card, nil
}

// readCard reads who says to serve the pages.
func (a *app) readCard() (instance.Card, error) {
	text, err := a.db.Announced()
	if err != nil {
		return instance.Card{}, err
	}
	if text == nil {
		return instance.Card{}, fault.New(fault.Blocked,
			"The Say Ur Intent process that serves the pages is only starting. Try again in a moment.")
	}
	return instance.Parse(text)
}

// tell logs why the pages cannot be used, once for each reason.
func (a *app) tell(err error) {
	text := err.Error()
	a.front.mu.Lock()
	told := a.front.told == text
	a.front.told = text
	a.front.mu.Unlock()
	switch {
	case told:
	case errors.Is(err, instance.ErrForeign):
		a.log.Warn("another program answers where the pages should be, and could not prove that it is Say Ur Intent; no link is made", "cause", err)
	default:
		a.log.Warn("the pages of this data directory do not answer now", "cause", err)
	}
}

// newCard makes the card of the pages that are about to be served at origin.
func (a *app) newCard(origin string) (instance.Card, error) {
	node := ""
	if a.options.network.services[settings.GRPC] == "" && !a.chain.named {
		url, err := a.embed()
		if err != nil {
			return instance.Card{}, err
		}
		node = url
	}
	return instance.New(origin, node, os.Getpid(), rand.Reader)
}
