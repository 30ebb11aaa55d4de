package stdio

import "sync"

// slot is a call's place among those that run at the same time.
type slot struct {
	mu     sync.Mutex
	held   bool
	taken  bool // the call counts among those that run
	parked int  // how many waits of the call are parked
}

// take waits for a place; false means that the call was stopped while queued.
func (s *Session) take() bool {
	s.slot.mu.Lock()
	defer s.slot.mu.Unlock()
	select {
	case <-s.ctx.Done():
		return false
	case s.conn.slots <- struct{}{}:
	}
	if s.ctx.Err() != nil {
		<-s.conn.slots
		return false
	}
	s.slot.held, s.slot.taken = true, true
	return true
}

func (s *Session) give() {
	s.slot.mu.Lock()
	defer s.slot.mu.Unlock()
	if s.slot.held {
		<-s.conn.slots
	}
	s.slot.held, s.slot.taken = false, false
}

// Park says that the handler is about to wait for something outside. Until
// resume is called the call does not count among those that run, so any number
// of parked calls leaves room for others. resume waits for a place again,
// unless the call was stopped; calling it twice does nothing.
//
//	resume := session.Park()
//	defer resume()
//	select { … }
func (s *Session) Park() (resume func()) {
	s.slot.mu.Lock()
	defer s.slot.mu.Unlock()
	s.slot.parked++
	if s.slot.parked == 1 && s.slot.held {
		<-s.conn.slots
		s.slot.held = false
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
	select {
	case s.conn.slots <- struct{}{}:
		s.slot.held = true
	case <-s.ctx.Done():
	}
}
