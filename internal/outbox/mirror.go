package outbox

import (
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"sync"
	"time"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/fault"
)

// Mirror is a reader of the bus over letters: what the agents of this machine's
// conversations were told. It numbers events and names the log as the person's program
// does, so a cursor of either is one of the other.
//
// It differs in one thing: a cursor behind the last letter is no sign of another log,
// because events of others stand between.
type Mirror struct {
	// Cursors keeps those of named readers.
	Cursors Cursors
	// Patience is how long a reader waits for what is kept to be read for the first time.
	Patience time.Duration

	mu      sync.Mutex
	log     string
	network string
	letters []Letter // by their places in the log
	gone    map[string]bus.Seq
	whole   bool          // all that is kept was read once
	changed chan struct{} // closed at the next change; nil until somebody waits
}

// Cursors keeps the cursors of named readers, in whole numbers that only grow.
type Cursors interface {
	// Cursor returns the one of a reader, of the log; 0 for none.
	Cursor(ctx context.Context, log, reader string) (int64, error)
	// MoveCursor moves it forward; moving it back changes nothing.
	MoveCursor(ctx context.Context, log, reader string, to int64) error
}

var _ bus.Reader = (*Mirror)(nil)

// mostLetters bounds what a process holds; the oldest go first, as in the log.
const mostLetters = 50_000

var logID = regexp.MustCompile(`^[0-9a-f]{32}$`)

// Take takes the text of a letter in, also of one that it has.
func (m *Mirror) Take(text []byte) {
	var l Letter
	if json.Unmarshal(text, &l) != nil || !logID.MatchString(l.Log) || l.Seq < 0 || l.Prev < 0 {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.log != l.Log { // everything was replaced at home
		m.log, m.letters, m.gone = l.Log, nil, map[string]bus.Seq{}
	}
	m.network = l.Network
	if l.Seq == 0 || l.Type == "" {
		m.wake()
		return
	}
	i, known := m.place(l.Seq)
	//mutant:never ./internal/relay TestReaders/jetstream/again
	if known {
		return
	}
	m.letters = slices.Insert(m.letters, i, l)
	if len(m.letters) > mostLetters {
		m.gone[m.letters[0].Session] = m.letters[0].Seq
		m.letters = slices.Delete(m.letters, 0, 1)
	}
	m.wake()
}

// Whole says that all that is kept was read, or that the server cannot be asked.
func (m *Mirror) Whole(yes bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.whole = m.whole || yes
	m.wake()
}

// Network is that of the person's program, "" where nothing is known.
func (m *Mirror) Network() string { m.mu.Lock(); defer m.mu.Unlock(); return m.network }

// Earlier returns the conversation of this machine, other than one, in which something
// happened last; "" where there is none.
func (m *Mirror) Earlier(than string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, l := range slices.Backward(m.letters) {
		if l.Session != than {
			return l.Session
		}
	}
	return ""
}

// place returns where an event stands or belongs. Called with the lock held, as below.
func (m *Mirror) place(seq bus.Seq) (int, bool) {
	return slices.BinarySearchFunc(m.letters, seq, func(l Letter, s bus.Seq) int { return int(l.Seq - s) })
}

func (m *Mirror) wake() {
	if m.changed != nil {
		close(m.changed)
		m.changed = nil
	}
}

// next returns what is closed at the next change.
func (m *Mirror) next() <-chan struct{} {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.changed == nil {
		m.changed = make(chan struct{})
	}
	return m.changed
}

// known waits until what is kept was read. It is fault.PersonOffline where that cannot be
// done, or nothing was ever kept.
func (m *Mirror) known(ctx context.Context) error {
	ctx, stop := context.WithTimeout(ctx, m.Patience)
	defer stop()
	for {
		changed := m.next()
		m.mu.Lock()
		whole, log := m.whole, m.log
		m.mu.Unlock()
		if whole && log != "" {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fault.New(fault.PersonOffline, "The person's machine is off, and no events of it can be read from the NATS "+
				"server. Try again when the person has started say-ur-intent share.")
		}
	}
}

// ID implements bus.Reader.
func (m *Mirror) ID(ctx context.Context) (string, error) {
	if err := m.known(ctx); err != nil {
		return "", err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.log, nil
}

// Since implements bus.Reader.
func (m *Mirror) Since(ctx context.Context, from bus.Cursor, f bus.Filter, most int) (bus.Page, error) {
	if err := m.known(ctx); err != nil {
		return bus.Page{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.since(from, f, min(max(most, 1), bus.MostRead)), nil
}

func (m *Mirror) since(from bus.Cursor, f bus.Filter, most int) bus.Page {
	page, seq := bus.Page{}, from.Seq
	//mutant:never ./internal/relay TestReaders/jetstream/foreign
	if from.Log != m.log {
		seq, page.Truncated = 0, true
	}
	page.Next = bus.Cursor{Log: m.log, Seq: max(seq, m.end())}
	page.Truncated = page.Truncated || m.gone[f.Session] > seq
	for _, l := range m.letters {
		if l.Session != f.Session || l.Seq <= seq {
			continue
		}
		//mutant:never ./internal/relay TestReaders/jetstream/truncation
		if _, have := m.place(l.Prev); !have && l.Prev > seq {
			page.Truncated = true
		}
		if f.Sees&bus.Agent == 0 || f.Subject != "" && f.Subject != l.Subject || len(f.Types) > 0 &&
			!slices.Contains(f.Types, l.Type) {
			continue
		}
		if len(page.Events) == most {
			page.More = true
			page.Next.Seq = page.Events[most-1].Seq
			break
		}
		page.Events = append(page.Events, l.event())
	}
	return page
}

func (m *Mirror) end() bus.Seq {
	if n := len(m.letters); n > 0 {
		return m.letters[n-1].Seq
	}
	return 0
}

// Read implements bus.Reader.
func (m *Mirror) Read(ctx context.Context, c bus.Consumer, most int) (bus.Page, error) {
	log, err := m.ID(ctx)
	if err != nil {
		return bus.Page{}, err
	}
	at, err := m.Cursors.Cursor(ctx, log, c.Name)
	if err != nil {
		return bus.Page{}, err
	}
	return m.Since(ctx, bus.Cursor{Log: log, Seq: bus.Seq(at)}, c.Filter, most)
}

// Advance implements bus.Reader.
func (m *Mirror) Advance(ctx context.Context, c bus.Consumer, to bus.Seq) error {
	log, err := m.ID(ctx)
	if err != nil {
		return err
	}
	m.mu.Lock()
	end := m.end()
	m.mu.Unlock()
	if to < 0 || to > end {
		return fault.New(fault.InputInvalid, "A cursor cannot stand after the end of the log.")
	}
	return m.Cursors.MoveCursor(ctx, log, c.Name, int64(to))
}

// Wait implements bus.Reader.
func (m *Mirror) Wait(ctx context.Context, f bus.Filter, after bus.Seq) error {
	log, err := m.ID(ctx)
	if err != nil {
		return err
	}
	for {
		changed := m.next()
		page, err := m.Since(ctx, bus.Cursor{Log: log, Seq: after}, f, 1)
		if err != nil || len(page.Events) > 0 || page.Truncated {
			return err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Snapshot implements bus.Reader. It knows no tasks and no open requests: these are on
// the person's machine.
func (m *Mirror) Snapshot(ctx context.Context, _ string) (bus.State, error) {
	log, err := m.ID(ctx)
	if err != nil {
		return bus.State{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return bus.State{Cursor: bus.Cursor{Log: log, Seq: m.end()}}, nil
}
