package health

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/provider"
)

// heap is a log in memory.
type heap struct {
	mu   sync.Mutex
	list []bus.Event
}

func (h *heap) Append(_ context.Context, list ...bus.Event) ([]bus.Appended, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, e := range list {
		if err := e.Check(); err != nil {
			return nil, err
		}
	}
	h.list = append(h.list, list...)
	return nil, nil
}

// take returns the new events as "conversation type: message".
func (h *heap) take(t *testing.T) (list []string) {
	t.Helper()
	synctest.Wait()
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, e := range h.list {
		b, err := bus.Decode(e.Payload)
		if err != nil {
			t.Fatal(err)
		}
		line := e.Session + " " + string(e.Type)
		switch b := b.(type) {
		case bus.SystemError:
			line += ": " + b.Message
		case bus.SystemNotice:
			line += ": " + b.Message
		case bus.BackendConnecting:
			line += ": " + b.Message
		}
		list = append(list, line)
	}
	h.list = nil
	return list
}

func TestChanges(t *testing.T) {
	run := func(name string, f func(t *testing.T, m *Monitor, log *heap, probes *int)) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				log, probes := &heap{}, 0
				m := New(Config{Log: log, Now: time.Now, Failed: func(err error) { t.Error(err) },
					Probe: func(context.Context) error { probes++; return errors.New("still away") }})
				defer m.Close()
				f(t, m, log, &probes)
			})
		})
	}
	is := func(t *testing.T, log *heap, want ...string) {
		t.Helper()
		if got := log.take(t); !slices.Equal(got, want) {
			t.Errorf("got\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
		}
	}
	run("R003-48 R003-49 a conversation opens", func(t *testing.T, m *Monitor, log *heap, _ *int) {
		node := m.Node("Sui node (n)")
		m.Open("a")
		m.Open("a")
		is(t, log, "a BackendConnecting: Connecting to the Sui node (n).")
		node(provider.Answered)
		is(t, log, "a BackendConnected")
		m.Open("b")
		is(t, log, "b BackendConnected")
		m.Leave("a")
		m.Leave("b")
		node(provider.Unauthorized)
		is(t, log)
	})
	run("R003-47 the node goes away and comes back", func(t *testing.T, m *Monitor, log *heap, probes *int) {
		node := m.Node("Sui node (n)")
		m.Open("a")
		node(provider.Answered)
		log.take(t)
		time.Sleep(quiet)
		node(provider.Unreachable)
		is(t, log, "a SystemError: The Sui node (n) cannot be reached.",
			"a BackendConnecting: Connecting to the Sui node (n).")
		time.Sleep(firstProbe*7 + time.Second)
		synctest.Wait()
		if *probes != 3 {
			t.Errorf("the node was asked %d times", *probes)
		}
		node(provider.Answered)
		is(t, log, "a BackendConnected")
		time.Sleep(time.Hour)
		if *probes != 3 {
			t.Error("a node that answers is still asked")
		}
	})
	run("repeated", func(t *testing.T, m *Monitor, log *heap, _ *int) {
		node := m.Node("n")
		m.Open("a")
		node(provider.Unreachable)
		log.take(t)
		for range 20 {
			node(provider.Unreachable)
		}
		is(t, log)
		for range 20 { // the node is unstable
			node(provider.Answered)
			node(provider.Unreachable)
		}
		is(t, log, "a BackendConnected")
		time.Sleep(quiet)
		node(provider.Unreachable)
		is(t, log, "a SystemError: The n cannot be reached.", "a BackendConnecting: Connecting to the n.")
	})
	run("R003-50 a service wants a key", func(t *testing.T, m *Monitor, log *heap, _ *int) {
		prices := m.Service("DeepBook indexer (i)")
		m.Open("a")
		prices(provider.Answered)
		prices(provider.Unreachable)
		is(t, log)
		prices(provider.Unauthorized)
		prices(provider.Unauthorized)
		refused := "a SystemError: The DeepBook indexer (i) requires a key. Set a different address on the settings page."
		is(t, log, "a MissingApiKey", refused)
		prices(provider.Answered)
		is(t, log, "a SystemNotice: The DeepBook indexer (i) answers again.")
	})
	run("nobody is there", func(t *testing.T, m *Monitor, log *heap, probes *int) {
		node := m.Node("n")
		node(provider.Unreachable)
		time.Sleep(time.Hour)
		if is(t, log); *probes > 0 {
			t.Error("a node is asked for nobody")
		}
	})
}
