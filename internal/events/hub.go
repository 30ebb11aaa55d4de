// Package events wakes goroutines that wait for a change.
//
// An event says what changed, not how: a woken reader reads the store again. The hub keeps no
// history and no order.
package events

import (
	"context"
	"sync"
	"time"
)

// Kind is the kind of thing that can change.
type Kind string

// Kinds of subjects.
const (
	Review   Kind = "review"
	Identity Kind = "identity"
	Account  Kind = "account"
	// Home is the list of reviews: it changes with every review.
	Home Kind = "home"
	// Settings is what the user set on this machine: the subject "" changes with every setting, a
	// page's own subject with its links and passes.
	Settings Kind = "settings"
	// Log is the log of the bus for pages, the agent and the worker. The subject is a conversation,
	// or "" for events without one.
	Log Kind = "log"
	// Calls are the calls of tools of a conversation.
	Calls Kind = "calls"
	// Task is one task of the bus.
	Task Kind = "task"
	// Book is the address book.
	Book Kind = "book"
	// Coins is the list of watched coins of accounts.
	Coins Kind = "coins"
	// Action is an action of a program of the user's: the subject is the caller, "" for what waits
	// for the user.
	Action Kind = "action"
	// Bundle is a bundle of transactions: the subject "" is any of them.
	Bundle Kind = "bundle"
	// Everything wakes all watchers of any subject.
	Everything Kind = "everything"
)

// Subject is one thing that can change. ID is empty for the active account
// and for the settings.
type Subject struct {
	Kind Kind
	ID   string
}

// Hub passes changes to watchers. The zero value is ready to use.
type Hub struct {
	mu      sync.Mutex
	watches map[Subject]map[*Watch]struct{}
}

// Watch is one waiter's interest in some subjects. C receives at least once after
// each change; several changes may be reported as one.
type Watch struct {
	C        <-chan struct{}
	c        chan struct{}
	hub      *Hub
	subjects []Subject
}

// Watch starts watching subjects. Read the store after this call, not before it, so
// that no change falls between. The caller must Close it.
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

// Until calls look now, after each change of a subject, and after the duration that look returns,
// if not 0. It ends when look is done or fails, or with ctx's error.
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

// next waits for a change, but at most most if that is not 0.
func (w *Watch) next(ctx context.Context, most time.Duration) error {
	var due <-chan time.Time
	if most > 0 {
		timer := time.NewTimer(most)
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

// Changed wakes everyone who watches s. It never blocks.
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
