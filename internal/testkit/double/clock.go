package double

import (
	"sync"
	"time"
)

// Clock is a clock for tests. It stands still or runs, and Advance changes it.
type Clock struct {
	mu      sync.Mutex
	base    func() time.Time
	forward time.Duration
	step    time.Duration
}

// NewClock returns a clock that stands still until it is advanced.
func NewClock(at time.Time) *Clock { return Running(func() time.Time { return at }) }

// Running returns a clock that follows base, usually time.Now.
func Running(base func() time.Time) *Clock { return &Clock{base: base} }

// Stepping returns a clock that advances by step on every reading.
func Stepping(at time.Time, step time.Duration) *Clock {
	c := NewClock(at)
	c.step = step
	return c
}

// Patient returns a clock that follows now for some seconds, and then runs twenty times slower. A
// transaction expires after a minute, but on a busy machine a test may need that long for its next
// step.
func Patient(now func() time.Time) func() time.Time {
	const usual, slower = 20 * time.Second, 20
	start := now()
	return func() time.Time {
		d := now().Sub(start)
		if d > usual {
			d = usual + (d-usual)/slower
		}
		return start.Add(d)
	}
}

// Now returns the time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.forward += c.step
	return c.base().Add(c.forward)
}

// Advance moves the clock forward, or back if d is negative.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.forward += d
}
