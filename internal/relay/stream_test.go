package relay

import (
	"bytes"
	"io"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/internal/testkit/long"
)

// wire connects two streams. change returns the packets that arrive when one is sent.
type wire struct {
	mu       sync.Mutex
	up, down *Stream
	packets  [][]byte
	change   func(packet []byte) [][]byte
}

// pass delivers packets from another goroutine, because a sending stream holds its lock.
func (w *wire) pass(to func() *Stream) func([]byte) error {
	queue := make(chan []byte, 1<<14)
	go func() {
		for packet := range queue {
			if s := to(); s != nil {
				s.take(packet)
			}
		}
	}()
	return func(packet []byte) error {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.packets = append(w.packets, packet)
		for _, p := range w.change(packet) {
			select {
			case queue <- p:
			default: // lost, as by a slow consumer
			}
		}
		return nil
	}
}

func (w *wire) ends() (up, down *Stream) { w.mu.Lock(); defer w.mu.Unlock(); return w.up, w.down }

// joined returns both ends of a stream.
func joined(t *testing.T, change func([]byte) [][]byte) *wire {
	t.Helper()
	w := &wire{change: change}
	var shared [32]byte
	copy(shared[:], "a key of one connection")
	toDown := w.pass(func() *Stream { _, d := w.ends(); return d })
	toUp := w.pass(func() *Stream { u, _ := w.ends(); return u })
	up := newStream(packetKeys{shared, dirUp, dirDown}, 4<<10, toDown, time.Now)
	down := newStream(packetKeys{shared, dirDown, dirUp}, 4<<10, toUp, time.Now)
	w.mu.Lock()
	w.up, w.down = up, down
	w.mu.Unlock()
	t.Cleanup(func() { up.End("the test is over"); down.End("the test is over") })
	return w
}

func faithful(packet []byte) [][]byte { return [][]byte{packet} }

func exchanged(t *testing.T, w *wire, size int) {
	t.Helper()
	sent := make([]byte, size)
	for i := range sent {
		sent[i] = byte(rand.Uint32())
	}
	go func() { _, _ = w.up.Write(sent) }()
	got := make([]byte, size)
	late := time.AfterFunc(double.Patience, func() { w.down.End("the test waited too long") })
	defer late.Stop()
	if _, err := io.ReadFull(w.down, got); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, sent) {
		t.Error("other bytes came than were written")
	}
}

func TestStream(t *testing.T) {
	long.Skip(t, "it waits for a NATS server")
	t.Parallel()
	t.Run("split over the size of a message", func(t *testing.T) {
		w := joined(t, faithful)
		exchanged(t, w, 100_000)
		w.mu.Lock()
		defer w.mu.Unlock()
		for _, p := range w.packets {
			if len(p) > 4<<10 {
				t.Fatalf("a packet has %d bytes", len(p))
			}
		}
	})
	t.Run("lost, doubled and reordered", func(t *testing.T) {
		var held []byte
		exchanged(t, joined(t, func(p []byte) [][]byte {
			switch rand.IntN(10) {
			case 0:
				return nil
			case 1:
				return [][]byte{p, p}
			case 2:
				before := held
				held = p
				if before == nil {
					return nil
				}
				return [][]byte{before}
			}
			return [][]byte{p}
		}), 100_000)
	})
	t.Run("replayed acknowledgements", func(t *testing.T) {
		w := joined(t, faithful)
		exchanged(t, w, 10_000)
		came := func() uint64 { w.up.mu.Lock(); defer w.up.mu.Unlock(); return w.up.ackSeen }
		double.Until(t, "two acknowledgements came", func() bool { return came() >= 2 })
		w.down.mu.Lock() // prevents new packets
		defer w.down.mu.Unlock()
		double.Until(t, "what was on its way has come", func() bool {
			w.up.mu.Lock()
			seen := w.up.ackSeen
			w.up.lastSign = w.up.lastSign.Add(-silence / 2)
			sign := w.up.lastSign
			w.up.mu.Unlock()
			w.mu.Lock()
			all := w.packets
			w.mu.Unlock()
			again := 0
			for _, p := range all {
				if kind, n, _, ok := w.up.keys.open(p); ok && kind == kindAck && n <= seen {
					w.up.take(p)
					again++
				}
			}
			w.up.mu.Lock()
			defer w.up.mu.Unlock()
			if w.up.ackSeen != seen {
				return false
			}
			if again == 0 || !w.up.lastSign.Equal(sign) {
				t.Errorf("%d repeated acknowledgements count as signs of life", again)
			}
			return true
		})
	})
	t.Run("foreign and changed packets do not open", func(t *testing.T) {
		w := joined(t, faithful)
		exchanged(t, w, 10)
		w.mu.Lock()
		all := w.packets
		w.mu.Unlock()
		other := w.down.keys
		other.shared[0] ^= 1
		for _, p := range all {
			if _, _, _, ok := other.open(p); ok {
				t.Error("a packet opens with the key of another connection")
			}
			for i := range p {
				changed := bytes.Clone(p)
				changed[i] ^= 1
				if _, _, _, ok := w.down.keys.open(changed); ok {
					t.Fatalf("a packet opens with byte %d changed", i)
				}
			}
			if _, _, _, up := w.up.keys.open(p); up {
				if _, _, _, down := w.down.keys.open(p); down {
					t.Error("a packet opens on both sides")
				}
			}
		}
	})
	t.Run("the end comes after what was written", func(t *testing.T) {
		w := joined(t, faithful)
		if _, err := w.up.Write([]byte("all of it")); err != nil {
			t.Fatal(err)
		}
		w.up.End("")
		got, err := io.ReadAll(w.down)
		if err != nil || string(got) != "all of it" {
			t.Errorf("%q, %v", got, err)
		}
	})
}
