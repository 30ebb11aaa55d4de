package stdio

import "sync"

// slot records which of the limited slots for running calls a call holds.
type slot struct {
	mu     sync.Mutex
	held   bool // holds a slot of its session
	shared bool // holds a slot shared by all sessions
	taken  bool // the call has started
	parked int  // number of parked waits
}

// take waits for a slot. It returns false if the call was canceled while queued.
func (s *Session) take() bool {
	s.slot.mu.Lock()
	defer s.slot.mu.Unlock()
	if s.occupy(); s.ctx.Err() != nil {
		s.vacate()
		return false
	}
	s.slot.taken = true
	return true
}

func (s *Session) give() {
	s.slot.mu.Lock()
	defer s.slot.mu.Unlock()
	s.vacate()
	s.slot.taken = false
}

// Park marks that the handler is about to wait for something outside the server. Until resume is
// called, the call does not count as running, so that others can run. resume waits for a slot again
// unless the call was canceled. A second call of resume has no effect.
//
//	resume := session.Park()
//	defer resume()
//	select { … }
func (s *Session) Park() (resume func()) {
	s.slot.mu.Lock()
	defer s.slot.mu.Unlock()
	s.slot.parked++
	if s.slot.parked == 1 {
		s.vacate()
	}
	return sync.OnceFunc(s.resume)
}

func (s *Session) resume() {
	s.slot.mu.Lock()
	defer s.slot.mu.Unlock()
	s.slot.parked--
	if s.slot.parked > 0 || !s.slot.taken || s.slot.held {
		return
	}
	s.occupy()
}
