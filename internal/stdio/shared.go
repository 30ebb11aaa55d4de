package stdio

import "sync"

// Shared limits the calls of all sessions of a server together, in addition to each session's own
// limits. It is safe for concurrent use.
type Shared struct {
	slots chan struct{}
	most  int

	mu    sync.Mutex
	bytes int
}

// NewShared returns limits on the number of running calls and on the total size of requests in all
// sessions. Each session may always have one request.
func NewShared(calls, bytes int) *Shared {
	return &Shared{slots: make(chan struct{}, calls), most: bytes}
}

// full reports whether a request of the given size would exceed the limit.
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

// occupy waits for a free slot in the call's session and then for one shared by all sessions, in
// this order so that one session rarely blocks another. It returns without a slot if the call is
// canceled. The caller must hold the slot's lock, as for vacate, vacateShared and regain.
func (s *Session) occupy() {
	select {
	case s.conn.slots <- struct{}{}:
		s.slot.held = true
		s.regain()
	case <-s.ctx.Done():
	}
}

// regain waits for a slot shared by all sessions.
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

// vacate frees the call's slots.
func (s *Session) vacate() {
	s.vacateShared()
	if s.slot.held {
		<-s.conn.slots
		s.slot.held = false
	}
}

// vacateShared frees the call's shared slot, and reports whether it had one.
func (s *Session) vacateShared() bool {
	had := s.slot.shared
	if had {
		<-s.conn.opts.Shared.slots
		s.slot.shared = false
	}
	return had
}

// lend frees the call's shared slot while it writes, so that a client that does not read does not
// block other sessions. back waits for a slot again.
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
