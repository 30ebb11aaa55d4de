package doors

import (
	"cmp"
	"sync"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/web"
)

// paces limits how often each caller posts.
type paces struct {
	mu      sync.Mutex
	callers map[string]*bucket
	minutes map[string]*web.Pace
}

// bucket is the number of posts that a caller may still send at once.
type bucket struct {
	left float64
	at   time.Time
}

func newPaces() *paces { return &paces{callers: map[string]*bucket{}, minutes: map[string]*web.Pace{}} }

// admit counts a post of a caller into a conversation. It returns false if the limit is reached.
func (p *paces) admit(d door, now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.callers) > mostDoorPaces || len(p.minutes) > mostDoorPaces {
		clear(p.callers)
		clear(p.minutes)
	}
	b := p.callers[d.caller]
	if b == nil {
		b = &bucket{doorBurst, now}
		p.callers[d.caller] = b
	}
	if passed := now.Sub(b.at).Seconds(); passed > 0 {
		b.left = min(doorBurst, b.left+passed*doorRate)
	}
	b.at = now
	if b.left < 1 {
		return false
	}
	b.left--
	into := cmp.Or(d.session, d.caller) // actions belong to no conversation
	m := p.minutes[into]
	if m == nil {
		m = &web.Pace{}
		p.minutes[into] = m
	}
	return m.Admit(now, mostMinute, time.Minute)
}

// paced returns an error for a post that exceeds the limit.
func (d *Doors) paced(c *visit) error {
	//mutant:always ./review/web TestDoorFlood
	if d.paces.admit(c.door, d.Now()) {
		return nil
	}
	c.W.Header().Set("Retry-After", "1")
	return fault.New(fault.RateLimited, "Too much is posted at once. Wait a second.")
}
