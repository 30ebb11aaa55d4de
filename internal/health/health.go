// Package health tracks whether outside services respond. When that changes, it appends events to
// open conversations; repeated failures append nothing.
package health

import (
	"context"
	"sync"
	"time"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/provider"
)

// Bounds of reports and probes.
const (
	quiet         = 10 * time.Second // after a change, before the next loss of the same service is reported
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
	Probe  func(ctx context.Context) error // asks the node something, while it is lost
	Failed func(error)                     // hears of events that could not be appended
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
	lost     bool // the node, as last reported
}

// service is one server outside. Its fields are guarded by the monitor's lock.
type service struct {
	name     string // after "the", as in "Sui node at host"
	node     bool   // the node that everything needs
	reported provider.Outcome
	at       time.Time // of the last reported change
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

// Node returns the receiver of the node client's outcomes.
func (m *Monitor) Node(name string) provider.Heard { return m.add(&service{name: name, node: true}) }

// Service returns the receiver of another client's outcomes. It only reports a service that
// requires credentials; a call that needs an unreachable service reports that itself.
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
		return // a later failure is reported, so an unstable node does not fill the log
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

// Open appends the state of the services to a conversation that opens. It does nothing
// for one that is open.
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

// Leave stops events for a conversation.
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

// changed returns what a conversation hears when the state of the service has changed.
func (s *service) changed() []bus.Body {
	switch {
	case s.reported == provider.Unauthorized:
		return []bus.Body{bus.MissingAPIKey{}, bus.SystemError{Message: "The " + s.name +
			" refuses to answer without a key. " +
			"Set the address of another one on the settings page."}}
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

// run appends what is queued, and asks a lost node again while a conversation is open.
func (m *Monitor) run(ctx context.Context) {
	defer close(m.done)
	pause := firstProbe
	var probe <-chan time.Time // nil while the node is not to be asked
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

// flush appends what is queued, also at the end, and reports whether the node is to be asked
// again.
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
