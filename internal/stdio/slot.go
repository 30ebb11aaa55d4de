package stdio

import "sync"

// slot is a call's place among running calls.
type slot struct {
	mu     sync.Mutex
	held   bool // has a place in its session
	shared bool // has a place among all sessions
	taken  bool // the call counts as running
	parked int  // number of parked waits
}

// take waits for a place. It returns false if the call was canceled while queued.
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
// called the call does not count as running, so parked calls leave room for others. resume waits
// for a place again, unless the call was canceled. Calling it twice has no effect.
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
