package relay

import (
	"encoding/binary"
	"errors"
	"io"
	"sync"
	"time"
)

// Bounds of one stream, in each direction.
const (
	mostUnsent = 4 << 20 // bytes that are not acknowledged; a writer waits beyond
	mostUnread = 8 << 20 // bytes that nobody has read; packets beyond are not taken
	chunkBytes = 128 << 10
	// mostPackets wait to be opened; together they have mostUnread bytes at most. More are
	// dropped, as the network may, so that who floods a subject fills no memory.
	mostPackets = 4096
)

// How a stream keeps time. Tests of faults shorten them.
var (
	beat      = time.Second            // between signs of life
	again     = 300 * time.Millisecond // until what was not acknowledged is sent again
	silence   = 8 * time.Second        // until the other side counts as gone
	mostPause = 2 * time.Second        // until it is sent again, where that was in vain before
	stepEvery = 50 * time.Millisecond
)

// ErrGone is how reads and writes fail when the other side was not heard of for long.
var ErrGone = errors.New("relay: the other machine was not heard of any more")

// EndedError is how reads end when the other side ended the stream for a reason.
type EndedError struct{ Reason string }

func (e *EndedError) Error() string { return "relay: " + e.Reason }

// Stream is a sealed stream of bytes in both directions over messages that may be lost,
// doubled or reordered. What was written arrives whole and in order, or Read fails.
type Stream struct {
	keys    packetKeys
	publish func([]byte) error
	chunk   int
	now     func() time.Time

	mu      sync.Mutex
	changed *sync.Cond
	err     error  // why the stream is over
	heard   func() // called for every packet of the other side

	sent     uint64   // number of the last packet
	unacked  [][]byte // sealed, the oldest first; the last has the number sent
	unsent   int      // their bytes
	sentAt   time.Time
	pause    time.Duration // from then until it is sent again
	acks     uint64        // number of the last acknowledgement that was sent
	ackSeen  uint64        // number of the last one that came
	ackedAt  time.Time
	next     uint64 // number of the packet that is awaited
	unread   []byte
	lastSign time.Time
	done     chan struct{}
}

// newStream makes a stream that sends by publish; packets that come are given to take.
func newStream(keys packetKeys, most int64, publish func([]byte) error, now func() time.Time) *Stream {
	chunk := chunkBytes
	if most > 0 && int(most) < chunk+sealBytes {
		chunk = int(most) - sealBytes
	}
	at := now()
	s := &Stream{now: now, keys: keys, publish: publish, chunk: max(chunk, 1), next: 1, sentAt: at, pause: again,
		lastSign: at, done: make(chan struct{})}
	s.changed = sync.NewCond(&s.mu)
	go s.tick()
	return s
}

// take serves one packet. What does not open, comes twice or comes before its turn is
// dropped: the other side sends again what was not acknowledged.
func (s *Stream) take(packet []byte) {
	kind, number, payload, ok := s.keys.open(packet)
	if !ok {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return
	}
	if kind == kindAck {
		//mutant:never ./internal/relay TestStream/replayed acknowledgements
		if number <= s.ackSeen || len(payload) != 8 {
			return
		}
		s.ackSeen = number
		s.sign()
		s.acknowledged(binary.BigEndian.Uint64(payload))
		return
	}
	if kind == kindEnd && len(payload) > 0 { // what a person ended waits for nothing
		s.end(&EndedError{Reason: string(payload)})
		return
	}
	//mutant:never ./internal/relay TestStream/lost, doubled and reordered
	if number != s.next {
		if number < s.next {
			s.acknowledge() // its acknowledgement may have been lost
		}
		return
	}
	s.sign()
	if kind == kindEnd {
		s.end(&EndedError{})
		return
	}
	if len(s.unread) > 0 && len(s.unread)+len(payload) > mostUnread {
		return
	}
	s.unread = append(s.unread, payload...)
	s.next++
	s.acknowledge()
	s.changed.Broadcast()
}

// sign notes a sign of life. It is called with the lock held, as all below.
func (s *Stream) sign() {
	s.lastSign = s.now()
	if s.heard != nil {
		s.heard()
	}
}

func (s *Stream) acknowledged(next uint64) {
	first := s.sent - uint64(len(s.unacked)) + 1
	if next <= first || next > s.sent+1 {
		return
	}
	for range next - first {
		s.unsent -= len(s.unacked[0])
		s.unacked = s.unacked[1:]
	}
	s.sentAt, s.pause = s.now(), again
	s.changed.Broadcast()
}

func (s *Stream) acknowledge() {
	s.acks++
	s.ackedAt = s.now()
	_ = s.publish(s.keys.seal(kindAck, s.acks, binary.BigEndian.AppendUint64(nil, s.next)))
}

// end ends the stream for both directions.
func (s *Stream) end(err error) {
	if s.err == nil {
		s.err = err
		close(s.done)
		s.changed.Broadcast()
	}
}

// tick sends again, gives signs of life, and notices that the other side is gone.
func (s *Stream) tick() {
	t := time.NewTicker(stepEvery)
	defer t.Stop()
	for {
		select {
		case <-s.done:
			return
		case <-t.C:
		}
		s.mu.Lock()
		now := s.now()
		switch {
		case s.err != nil:
		case now.Sub(s.lastSign) > silence:
			s.end(ErrGone)
		default:
			if len(s.unacked) > 0 && now.Sub(s.sentAt) > s.pause {
				for _, packet := range s.unacked {
					_ = s.publish(packet)
				}
				// Who takes nothing, because nobody reads there, is not sent it all the time.
				s.sentAt, s.pause = now, min(2*s.pause, mostPause)
			}
			if now.Sub(s.ackedAt) > beat {
				s.acknowledge()
			}
		}
		s.mu.Unlock()
	}
}

// Write sends p, and waits while too much is not acknowledged.
func (s *Stream) Write(p []byte) (n int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(p) > 0 {
		for s.err == nil && s.unsent >= mostUnsent {
			s.changed.Wait()
		}
		if s.err != nil {
			return n, s.err
		}
		part := p[:min(len(p), s.chunk)]
		p, n = p[len(part):], n+len(part)
		if len(s.unacked) == 0 {
			s.sentAt, s.pause = s.now(), again
		}
		s.sent++
		packet := s.keys.seal(kindData, s.sent, part)
		s.unacked, s.unsent = append(s.unacked, packet), s.unsent+len(packet)
		_ = s.publish(packet) // it is sent again until it is acknowledged
	}
	return n, nil
}

// Read returns bytes that the other side wrote. Those that came before the end are read
// before the end is told: io.EOF where the other side had no reason to give.
func (s *Stream) Read(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.unread) == 0 && s.err == nil {
		s.changed.Wait()
	}
	if len(s.unread) > 0 {
		n := copy(p, s.unread)
		if s.unread = s.unread[n:]; len(s.unread) == 0 {
			s.unread = nil
		}
		return n, nil
	}
	var ended *EndedError
	if errors.As(s.err, &ended) && ended.Reason == "" {
		return 0, io.EOF
	}
	return 0, s.err
}

// End tells the other side that the stream is over, and why; "" is the usual end. What it
// had not acknowledged is given a moment first.
func (s *Stream) End(reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return
	}
	if reason == "" {
		over := false // said by the timer itself: a clock that is read may stand a moment before it
		wake := time.AfterFunc(2*again, func() { s.mu.Lock(); over = true; s.changed.Broadcast(); s.mu.Unlock() })
		defer wake.Stop()
		for s.err == nil && len(s.unacked) > 0 && !over {
			s.changed.Wait()
		}
	}
	if s.err != nil {
		return
	}
	_ = s.publish(s.keys.seal(kindEnd, s.sent+1, []byte(reason)))
	s.end(&EndedError{Reason: reason})
}

// Done is closed when the stream is over.
func (s *Stream) Done() <-chan struct{} { return s.done }
