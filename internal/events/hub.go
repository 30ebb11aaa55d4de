// Package events wakes goroutines that wait for a change.
//
// An event says that something changed but not how, so a woken reader must read the store again.
// The hub keeps no history and does not preserve order.
package events

import (
	"context"
	"sync"
	"time"
)

// Kind is a kind of thing that can change.
type Kind string

// Kinds of subjects.
const (
	Review   Kind = "review"
	Identity Kind = "identity"
	Account  Kind = "account"
	// Home is the list of reviews, which changes with every review.
	Home Kind = "home"
	// Settings is the user's settings on this machine. The subject "" changes with every setting. A
	// page's subject changes with its links and access tokens.
	Settings Kind = "settings"
	// Log is the log of the bus. The subject is a conversation, or "" for events that belong to
	// none.
	Log Kind = "log"
	// Calls is the list of a conversation's tool calls.
	Calls Kind = "calls"
	// Task is a task on the bus.
	Task Kind = "task"
	// Book is the address book.
	Book Kind = "book"
	// Coins is the accounts' lists of watched coins.
	Coins Kind = "coins"
	// Action is an action that another program of the user requested. The subject is the caller, or
	// "" for actions that wait for the user.
	Action Kind = "action"
	// Bundle is a bundle of transactions. The subject "" stands for any bundle.
	Bundle Kind = "bundle"
	// Everything wakes all watchers of any subject.
	Everything Kind = "everything"
)

// Subject is a thing that can change. ID is empty for the active account and for the settings.
type Subject struct {
	Kind Kind
	ID   string
}

// Hub notifies watchers of changes. The zero value is ready to use.
type Hub struct {
	mu      sync.Mutex
	watches map[Subject]map[*Watch]struct{}
}

// Watch is notified of changes of some subjects. C receives a value after each change. Several
// changes may be combined into one value.
type Watch struct {
	C        <-chan struct{}
	c        chan struct{}
	hub      *Hub
	subjects []Subject
}

// Watch starts to watch subjects. Read the store after this call; otherwise a change may be missed.
// The caller must Close the watch.
func (h *Hub) Watch(subjects ...Subject) *Watch {
	c := make(chan struct{}, 1)
	w := &Watch{C: c, c: c, hub: h, subjects: subjects}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.watches == nil {
		h.watches = map[Subject]map[*Watch]struct{}{}
	}
	for _, s := range subjects {
		if h.watches[s] == nil {
			h.watches[s] = map[*Watch]struct{}{}
		}
		h.watches[s][w] = struct{}{}
	}
	return w
}

// Until calls look at once, after each change of a subject, and after the duration that look
// returned, unless that is 0. It returns when look is done or fails, or when ctx ends.
func (h *Hub) Until(ctx context.Context, look func() (done bool, again time.Duration, err error),
	subjects ...Subject) error {
	w := h.Watch(subjects...)
	defer w.Close()
	for {
		done, again, err := look()
		if done || err != nil {
			return err
		}
		if err := w.next(ctx, again); err != nil {
			return err
		}
	}
}

// next waits for a change or, if limit is not 0, until limit has passed.
func (w *Watch) next(ctx context.Context, limit time.Duration) error {
	var due <-chan time.Time
	if limit > 0 {
		timer := time.NewTimer(limit)
		defer timer.Stop()
		due = timer.C
	}
	select {
	case <-w.C:
	case <-due:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// Close ends the watch. It may be called more than once.
func (w *Watch) Close() {
	w.hub.mu.Lock()
	defer w.hub.mu.Unlock()
	for _, s := range w.subjects {
		delete(w.hub.watches[s], w)
		if len(w.hub.watches[s]) == 0 {
			delete(w.hub.watches, s)
		}
	}
}

// Changed notifies everyone who watches s. It never blocks.
func (h *Hub) Changed(s Subject) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s.Kind == Everything {
		for _, all := range h.watches {
			wake(all)
		}
		return
	}
	wake(h.watches[s])
}

func wake(all map[*Watch]struct{}) {
	for w := range all {
		select {
		case w.c <- struct{}{}:
		default:
		}
	}
}
