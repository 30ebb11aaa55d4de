package stdio

import (
	"encoding/json"
	"sync"
	"time"
)

// progress is the state of a call's progress messages.
type progress struct {
	mu      sync.Mutex
	sent    bool
	last    int64
	at      time.Time
	waiting []byte // the newest message not yet written
	timer   *time.Timer
	over    bool
}

// Progress reports to the client that done of total is complete, with a short sentence for the
// user. A total of 0 means unknown. Messages are written in order, before the answer, at most ten
// per second. If they arrive faster, only the newest is kept, and the last is always written.
// Progress returns false if done did not increase, the client did not request progress, or the call
// has ended or was canceled.
func (s *Session) Progress(done, total int64, message string) bool {
	p := &s.progress
	p.mu.Lock()
	defer p.mu.Unlock()
	if s.meta.token == nil || p.over || s.silent.Load() || (p.sent && done <= p.last) {
		return false
	}
	frame, err := noticeFrame(0, "notifications/progress", struct {
		ProgressToken json.RawMessage `json:"progressToken"`
		Progress      int64           `json:"progress"`
		Total         int64           `json:"total,omitempty"`
		Message       string          `json:"message,omitempty"`
	}{s.meta.token, done, total, s.conn.names.text(message)})
	if err != nil {
		return false
	}
	wait := s.conn.opts.ProgressEvery - s.conn.opts.Now().Sub(p.at)
	first := !p.sent
	p.sent, p.last = true, done
	if first || wait <= 0 || (total > 0 && done >= total) {
		s.tell(frame)
		return true
	}
	p.waiting = frame
	if p.timer == nil {
		p.timer = time.AfterFunc(wait, s.tellWaiting)
	}
	return true
}

// tell writes a message. The caller must hold the progress lock.
func (s *Session) tell(frame []byte) {
	p := &s.progress
	p.waiting, p.at = nil, s.conn.opts.Now()
	if p.timer != nil {
		p.timer.Stop()
		p.timer = nil
	}
	s.at.out.write(frame, s)
}

func (s *Session) tellWaiting() {
	p := &s.progress
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.waiting != nil && !p.over {
		s.tell(p.waiting)
	}
}

// settle writes the pending notifications and progress, and drops later ones.
func (s *Session) settle() {
	s.notices.settle()
	p := &s.progress
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.waiting != nil {
		s.tell(p.waiting)
	}
	p.over = true
}
