package double

import (
	"sync"
	"time"
)

// Clock is a clock that a test moves by hand, or that runs and can be pushed.
type Clock struct {
	mu      sync.Mutex
	base    func() time.Time
	forward time.Duration
	step    time.Duration
}

// NewClock returns a clock that stands still at a time until it is moved.
func NewClock(at time.Time) *Clock { return Running(func() time.Time { return at }) }

// Running returns a clock that goes as base does, usually time.Now.
func Running(base func() time.Time) *Clock { return &Clock{base: base} }

// Stepping returns a clock that moves on by a step each time it is read.
func Stepping(at time.Time, step time.Duration) *Clock {
	c := NewClock(at)
	c.step = step
	return c
}

// Now returns the time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.forward += c.step
	return c.base().Add(c.forward)
}

// Advance moves the clock on, or back where d is negative.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.forward += d
}
