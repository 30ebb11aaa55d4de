// Package health tracks whether outside services respond. When that changes, it appends an event to
// the log of each open conversation. Repeated failures are not reported again.
package health

import (
	"context"
	"sync"
	"time"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/provider"
)

// Timing of reports and of probes of a lost node.
const (
	quiet         = 10 * time.Second // minimum time from a report about a service to one that it is unreachable
	firstProbe    = 2 * time.Second  // time from a failure to the first probe; the time doubles after each probe
	maxProbe      = 30 * time.Second
	appendTimeout = 5 * time.Second
)

// Log stores events.
type Log interface {
	Append(ctx context.Context, list ...bus.Event) ([]bus.Appended, error)
}

// Config holds the dependencies of a Monitor.
type Config struct {
	Log    Log
	Now    func() time.Time
	Probe  func(ctx context.Context) error // queries the node while it is unreachable
	Failed func(error)                     // called with errors of appending events
}

// Monitor tracks the state of services and reports it to open conversations. It is safe for
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
	lost     bool // the node was last reported as unreachable
}

// service is an outside server. Its fields are guarded by Monitor.mu.
type service struct {
	name     string // what follows "the", as in "Sui node at host"
	node     bool   // reports about the node are never omitted, because everything needs it
	reported provider.Outcome
	at       time.Time // time of the last reported change
}

// New returns a running Monitor. The caller must call Close.
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

// Node returns a function to call with the outcome of each request to the node.
func (m *Monitor) Node(name string) provider.Heard { return m.add(&service{name: name, node: true}) }

// Service returns a function to call with the outcome of each request to another service. The
// monitor reports only whether the service requires credentials: that it is unreachable is reported
// by the calls that need it.
func (m *Monitor) Service(name string) provider.Heard { return m.add(&service{name: name}) }

func (m *Monitor) add(s *service) provider.Heard {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.services = append(m.services, s)
	return func(o provider.Outcome) { m.heard(s, o) }
}

// heard records the outcome of a request, and queues events if the state has changed.
func (m *Monitor) heard(s *service, o provider.Outcome) {
	m.mu.Lock()
	defer m.mu.Unlock()
	//mutant:never ./internal/health TestChanges/repeated
	if o == s.reported || !s.node && (o == provider.Unreachable || s.reported == 0 && o == provider.Answered) {
		return
	}
	now := m.config.Now()
	if o == provider.Unreachable && s.reported != 0 && now.Sub(s.at) < quiet {
		return // not reported yet, so that an unstable node does not fill the log; a later failure reports it
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

// Open starts reporting to a conversation, beginning with the state of the services. It has no effect
// if the conversation is already open.
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

// Leave stops reports to a conversation.
func (m *Monitor) Leave(conversation string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.open, conversation)
	m.signal()
}

// queue adds events for one conversation to those that flush appends.
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

// changed returns the events that report a service's new state.
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

// present returns the events that report a service's state to a new conversation.
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

// run appends queued events. While the node is unreachable and a conversation is open, it also
// probes the node.
func (m *Monitor) run(ctx context.Context) {
	defer close(m.done)
	pause := firstProbe
	var probe <-chan time.Time // nil while no probe is scheduled
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
			_ = m.config.Probe(ctx) // the node's client reports the outcome
			probe, pause = nil, min(2*pause, maxProbe)
		}
	}
}

// flush appends the queued events, even if ctx is done. It reports whether the node should be
// probed.
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
