package stdio

import "sync"

// Shared limits all sessions of a server together, in addition to each session's own limits. It is
// safe for concurrent use.
type Shared struct {
	slots chan struct{}
	most  int

	mu    sync.Mutex
	bytes int
}

// NewShared returns limits on the number of concurrent calls and on the total size of the requests
// of all sessions. Each session may always have one request.
func NewShared(calls, bytes int) *Shared {
	return &Shared{slots: make(chan struct{}, calls), most: bytes}
}

// full reports whether a request of this size would exceed the limit.
func (s *Shared) full(size int) bool {
	if s == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bytes+size > s.most
}

// add counts a request or, with a negative size, removes it.
func (s *Shared) add(size int) {
	if s != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.bytes += size
	}
}

// occupy waits for a free place for the call, first in its session and then among all sessions, so
// that one session rarely blocks another. It gives up if the call is canceled. The caller must hold
// the slot's lock, as for vacate and regain.
func (s *Session) occupy() {
	select {
	case s.conn.slots <- struct{}{}:
		s.slot.held = true
		s.regain()
	case <-s.ctx.Done():
	}
}

// regain waits for a place among the calls of all sessions.
func (s *Session) regain() {
	if s.conn.opts.Shared == nil {
		return
	}
	select {
	case s.conn.opts.Shared.slots <- struct{}{}:
		s.slot.shared = true
	case <-s.ctx.Done():
	}
}

// vacate frees the call's places.
func (s *Session) vacate() {
	s.vacateShared()
	if s.slot.held {
		<-s.conn.slots
		s.slot.held = false
	}
}

// vacateShared frees the place among the calls of all sessions, and reports whether the call had
// one.
func (s *Session) vacateShared() bool {
	had := s.slot.shared
	if had {
		<-s.conn.opts.Shared.slots
		s.slot.shared = false
	}
	return had
}

// lend frees the call's place among all sessions while it writes, so that a client that does not
// read does not block others. back waits for a place again.
func (s *Session) lend() (back func()) {
	s.slot.mu.Lock()
	defer s.slot.mu.Unlock()
	if !s.vacateShared() {
		return func() {}
	}
	return func() {
		s.slot.mu.Lock()
		defer s.slot.mu.Unlock()
		if s.slot.held {
			s.regain()
		}
	}
}
