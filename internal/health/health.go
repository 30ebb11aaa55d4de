// Package health tracks whether outside services respond. It appends an event to open conversations
// when that changes, but not for repeated failures.
package health

import (
	"context"
	"sync"
	"time"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/provider"
)

// Limits of reports and probes.
const (
	quiet         = 10 * time.Second // minimum time from a change to the next reported loss of the same service
	firstProbe    = 2 * time.Second  // after a failure; later pauses double
	maxProbe      = 30 * time.Second
	appendTimeout = 5 * time.Second
)

// Log appends events.
type Log interface {
	Append(ctx context.Context, list ...bus.Event) ([]bus.Appended, error)
}

// Config has a Monitor's dependencies.
type Config struct {
	Log    Log
	Now    func() time.Time
	Probe  func(ctx context.Context) error // queries the node while it is lost
	Failed func(error)                     // called if events could not be appended
}

// Monitor knows the state of each service and the open conversations. It is safe for
// concurrent use.
type Monitor struct {
	config Config
	wake   chan struct{}
	stop   context.CancelFunc
	done   chan struct{}

	mu       sync.Mutex
	services []*service
	open     map[string]bool
	pending  []bus.Event
	lost     bool // whether the node is lost, as last reported
}

// service is an outside server. Its fields are guarded by the monitor's lock.
type service struct {
	name     string // what follows "the", as in "Sui node at host"
	node     bool   // whether it is the node, which everything needs
	reported provider.Outcome
	at       time.Time // time of the last reported change
}

// New starts a monitor. Close ends it.
func New(c Config) *Monitor {
	ctx, stop := context.WithCancel(context.Background())
	m := &Monitor{config: c, wake: make(chan struct{}, 1), stop: stop, done: make(chan struct{}), open: map[string]bool{}}
	go m.run(ctx)
	return m
}

// Close appends pending events and stops the monitor.
func (m *Monitor) Close() {
	m.stop()
	<-m.done
}

// Node returns the function that receives the node client's outcomes.
func (m *Monitor) Node(name string) provider.Heard { return m.add(&service{name: name, node: true}) }

// Service returns the function that receives another client's outcomes. It reports only that a
// service requires credentials. A call that needs an unreachable service reports that itself.
func (m *Monitor) Service(name string) provider.Heard { return m.add(&service{name: name}) }

func (m *Monitor) add(s *service) provider.Heard {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.services = append(m.services, s)
	return func(o provider.Outcome) { m.heard(s, o) }
}

// heard records the outcome of one request.
func (m *Monitor) heard(s *service, o provider.Outcome) {
	m.mu.Lock()
	defer m.mu.Unlock()
	//mutant:never ./internal/health TestChanges/repeated
	if o == s.reported || !s.node && (o == provider.Unreachable || s.reported == 0 && o == provider.Answered) {
		return
	}
	now := m.config.Now()
	if o == provider.Unreachable && s.reported != 0 && now.Sub(s.at) < quiet {
		return // a later failure reports it, so an unstable node does not fill the log
	}
	s.reported, s.at = o, now
	if s.node {
		m.lost = o == provider.Unreachable
	}
	for conversation := range m.open {
		m.queue(conversation, s.changed()...)
	}
	m.signal()
}

// Open appends the state of the services to a new conversation. It does nothing for an open one.
func (m *Monitor) Open(conversation string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.open[conversation] {
		return
	}
	m.open[conversation] = true
	for _, s := range m.services {
		m.queue(conversation, s.present()...)
	}
	m.signal()
}

// Leave stops events to a conversation.
func (m *Monitor) Leave(conversation string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.open, conversation)
	m.signal()
}

// queue queues events for one conversation.
func (m *Monitor) queue(conversation string, list ...bus.Body) {
	for _, b := range list {
		e, err := bus.NewEvent(conversation, "", b)
		if err != nil {
			m.config.Failed(err)
			continue
		}
		m.pending = append(m.pending, e)
	}
}

func (m *Monitor) signal() {
	select {
	case m.wake <- struct{}{}:
	default:
	}
}

// changed returns the event for a conversation when a service's state has changed.
func (s *service) changed() []bus.Body {
	switch {
	case s.reported == provider.Unauthorized:
		return []bus.Body{bus.MissingAPIKey{}, bus.SystemError{Message: "The " + s.name +
			" requires a key. Set a different address on the settings page."}}
	case s.reported == provider.Unreachable:
		return []bus.Body{bus.SystemError{Message: "The " + s.name + " cannot be reached."}, s.connecting()}
	case s.node:
		return []bus.Body{bus.BackendConnected{}}
	}
	return []bus.Body{bus.SystemNotice{Message: "The " + s.name + " answers again."}}
}

// present returns the events for a new conversation.
func (s *service) present() []bus.Body {
	switch {
	case s.reported == 0 && s.node:
		return []bus.Body{s.connecting()}
	case s.reported == 0, s.reported == provider.Answered && !s.node:
		return nil
	}
	return s.changed()
}

func (s *service) connecting() bus.Body {
	return bus.BackendConnecting{Message: "Connecting to the " + s.name + "."}
}

// run appends queued events, and queries a lost node again while a conversation is open.
func (m *Monitor) run(ctx context.Context) {
	defer close(m.done)
	pause := firstProbe
	var probe <-chan time.Time // nil while the node is not probed
	for {
		switch lost := m.flush(ctx); {
		case !lost:
			probe, pause = nil, firstProbe
		case probe == nil:
			probe = time.After(pause)
		}
		select {
		case <-ctx.Done():
			m.flush(ctx)
			return
		case <-m.wake:
		case <-probe:
			_ = m.config.Probe(ctx) // its client reports the outcome
			probe, pause = nil, min(2*pause, maxProbe)
		}
	}
}

// flush appends queued events, even while closing, and reports whether to probe the node again.
func (m *Monitor) flush(ctx context.Context) (lost bool) {
	m.mu.Lock()
	list := m.pending
	m.pending, lost = nil, m.lost && len(m.open) > 0
	m.mu.Unlock()
	if len(list) == 0 {
		return lost
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), appendTimeout)
	defer stop()
	if _, err := m.config.Log.Append(ctx, list...); err != nil {
		m.config.Failed(err)
	}
	return lost
}
