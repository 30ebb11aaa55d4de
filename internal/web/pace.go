package web

import (
	"sync"
	"time"
)

// Pace is a rate limit. The zero value is ready to use.
type Pace struct {
	mu   sync.Mutex
	last []time.Time
}

// Admit reports whether to accept a call at now. It accepts at most most calls within a window.
func (p *Pace) Admit(now time.Time, most int, window time.Duration) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.last) > 0 && now.Sub(p.last[0]) >= window {
		p.last = p.last[1:]
	}
	if len(p.last) >= most {
		return false
	}
	p.last = append(p.last, now)
	return true
}
