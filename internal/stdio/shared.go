package stdio

import "sync"

// Shared limits all sessions of a server together, in addition to each session's limits. It is
// safe for concurrent use.
type Shared struct {
	slots chan struct{}
	most  int

	mu    sync.Mutex
	bytes int
}

// NewShared returns a limit on the calls that run at once in all sessions, and on the bytes of all
// their requests. One request of each session is always accepted.
func NewShared(calls, bytes int) *Shared {
	return &Shared{slots: make(chan struct{}, calls), most: bytes}
}

// full reports whether a request of this size has no place.
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

// occupy waits for a free place for the call, first in its session and then among all, so that one
// session rarely waits for another. It gives up when the call is stopped. The caller must hold the
// slot's lock, as for vacate and regain.
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

// vacate gives up the call's places.
func (s *Session) vacate() {
	s.vacateShared()
	if s.slot.held {
		<-s.conn.slots
		s.slot.held = false
	}
}

// vacateShared gives up the place among the calls of all sessions, and reports whether the
// call had one.
func (s *Session) vacateShared() bool {
	had := s.slot.shared
	if had {
		<-s.conn.opts.Shared.slots
		s.slot.shared = false
	}
	return had
}

// lend gives up the call's place among all sessions while writing, so that a client that does not
// read blocks no others. back waits for a place again.
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
